"""MXNet's exception classes, and the registration of new ones."""

from mxnet._errors import register_error
from mxnet.base import MXNetError

__all__ = ["InternalError", "MXNetError", "register"]

register = register_error


@register
class InternalError(MXNetError):
    """Internal error, whose message asks the user to report it.

    Args:
        msg: Description of the error.
    """

    def __init__(self, msg: str) -> None:
        hint = "MXNet hint: You hit an internal error. Please report it where you got hy from."
        super().__init__(f"{msg}\n{hint}" if "MXNet hint:" not in msg else msg)
