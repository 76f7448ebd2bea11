"""What the author leaves out and the class has, written into a spec: state, Variables, casts, scans, other forms of static values."""
