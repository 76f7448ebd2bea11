"""Laws of what an NNX module is: construction, Variables, split and merge, static attributes, ties."""
