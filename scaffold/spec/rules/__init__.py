"""The rules that a spec obeys: each looks at one thing and yields its faults."""
