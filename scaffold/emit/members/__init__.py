"""Members of a class besides its constructor: properties, the call, filter specs, saving and sharding."""
