"""Pictures of classes: `tree` is the model, `of_spec` and `of_class` make one, `table` lays it out, and each format has its renderer."""
