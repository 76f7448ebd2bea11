"""Stacked layers: a loop over layers in the spec, one instance with an axis of layers and a scan in the class."""
