"""Texts of errors that classes raise."""

from pytree_laws import errors


def message_of(error: BaseException) -> str:
    """What an error says; of a check at run time Equinox tells first where to look for what it says."""
    try:
        return errors.message_of(error)
    except Exception:  # of a class of the user's
        return "what it says cannot be read"
