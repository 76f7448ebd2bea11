"""Laws of sharding: a class on a mesh of devices, which is traced or run."""
