"""The members of a class beside its constructor: properties, the call, filter specs, files, and meshes."""
