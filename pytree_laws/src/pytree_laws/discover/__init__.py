"""Discovery of undeclared arrays, outputs, configurations, uses of methods and sizes."""
