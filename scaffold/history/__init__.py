"""Records of generated files (`records`), states of these files (`states`), and merges of edits."""
