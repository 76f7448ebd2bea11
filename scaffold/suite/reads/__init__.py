"""Facts about examples in the code of a class: values that it compares, restricts, reads, or passes on."""
