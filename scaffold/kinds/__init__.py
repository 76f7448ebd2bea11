"""The kinds of class: one file each, found by its name.

To add a kind is to add a file here with `KIND = Kind(...)`, a folder of templates under the same name, and specs in
`generated_examples/specs/`. A kind says its summary and the context of its templates; what else it says is one of the fields
of `scaffold.kind.Kind`, and the defaults there hold for the rest.
"""
