"""A class after it was written: what was last generated (`records`), what it has become since (`states`), and what is done
about it (`update`, `check`, `destroy`).
"""
