"""TOML and the keys that a spec may hold, without the meaning of a spec."""
