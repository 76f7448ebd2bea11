"""Laws of variants: other configurations, flags, and the methods beside the call."""
