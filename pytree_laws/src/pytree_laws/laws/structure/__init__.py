"""Laws of what a class is: construction, leaves, round trips, key paths, static values, identity."""
