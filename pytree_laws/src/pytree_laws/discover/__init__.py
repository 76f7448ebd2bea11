"""Finding what a suite does not declare: arrays, outputs, configurations, uses of methods, sizes."""
