"""What was last generated of each class (`records`), what its files have become since (`states`), and how edits in them are kept."""
