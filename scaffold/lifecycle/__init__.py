"""Operations on generated classes: `update`, `check` and `destroy`."""
