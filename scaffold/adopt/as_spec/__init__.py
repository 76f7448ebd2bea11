"""A class that exists as a spec: the skeleton that gives it, and what would differ.

`source` reads the class where it is written, `shapes` and `types` what was found of an instance, `built`, `fields` and
`methods` make tables of it, which `draft` keeps sound and `choose` brings as near to the class as they come; `emitted` is what
`new-module` would write, and `differences` what differs.
"""
