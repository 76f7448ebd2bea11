"""Values to try, as test files write them."""
