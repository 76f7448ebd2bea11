"""Pictures of classes. `of_spec` and `of_class` make a `tree`, and `table` lays it out for the renderers."""
