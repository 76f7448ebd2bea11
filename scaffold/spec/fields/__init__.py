"""Rules for single fields of a spec, and what follows from them."""
