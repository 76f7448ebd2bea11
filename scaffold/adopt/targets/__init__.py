"""What the user asks for: targets as they are written, the classes that sources have, and what cannot be used."""
