"""Uses of names in code, which show types that no annotation gives."""
