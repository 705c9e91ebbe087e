"""MXNet's exceptions, and the registration of further ones."""

from mxnet._errors import register_error
from mxnet.base import MXNetError

__all__ = ["InternalError", "MXNetError", "register"]

register = register_error


@register
class InternalError(MXNetError):
    """An internal error; the message asks for a report.

    Args:
        msg: What happened.
    """

    def __init__(self, msg: str) -> None:
        hint = "MXNet hint: You hit an internal error. Please report it where you got hy from."
        super().__init__(f"{msg}\n{hint}" if "MXNet hint:" not in msg else msg)
