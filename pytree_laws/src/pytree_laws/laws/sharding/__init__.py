"""Laws of sharding: what a class does on a mesh of devices, traced on none and run on some."""
