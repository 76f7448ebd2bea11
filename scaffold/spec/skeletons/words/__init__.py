"""Names, annotations and literals of a skeleton, and what each resolves to."""
