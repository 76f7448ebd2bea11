"""Messages of errors that classes raise."""

from pytree_laws import errors


def message_of(error: BaseException) -> str:
    """Return the message of an error, even if the code of its class fails."""
    try:
        return errors.message_of(error)
    except Exception:  # from a class of the user
        return "what it says cannot be read"
