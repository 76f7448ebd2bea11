"""Values to try, as they are written."""
