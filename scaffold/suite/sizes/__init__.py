"""The sizes of examples that the fields of a class do not say: of its parts, of images, of arguments one after the other."""
