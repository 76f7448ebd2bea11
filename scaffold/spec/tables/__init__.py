"""TOML and the keys that a spec may hold; nothing here knows what a spec means."""
