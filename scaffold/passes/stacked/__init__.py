"""Stacked layers: a loop over layers in the spec becomes a scan over a single instance."""
