"""Facts about the user's project: its layout, settings, tests, environment and dependencies."""
