"""Numbers that are given when a program runs, as parameters of the operators in it."""

from typing import Any

__all__ = ["RunTimeNumber", "is_open"]


class RunTimeNumber:
    """Stands for a number, such as a learning rate, that each run of a program is given.

    Operators keep it as the value of a parameter. It may stand on the right of an operand, behind
    ``+``, ``-``, ``*`` or ``/``.

    Args:
        name: What the program calls it.

    Example:
        >>> from hy_ndarray.ops import find
        >>> find("_mul_scalar").parse({"scalar": RunTimeNumber("lr")})["scalar"]
        <RunTimeNumber lr>
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<RunTimeNumber {self.name}>"

    def __radd__(self, operand: Any) -> Any:
        return operand.call_operator("_plus_scalar", scalar=self)

    def __rsub__(self, operand: Any) -> Any:
        return operand.call_operator("_minus_scalar", scalar=self)

    def __rmul__(self, operand: Any) -> Any:
        return operand.call_operator("_mul_scalar", scalar=self)

    def __rtruediv__(self, operand: Any) -> Any:
        return operand.call_operator("_div_scalar", scalar=self)


def is_open(value: Any) -> bool:
    """Whether a parameter is such a number, or a tuple with one in it."""
    if isinstance(value, tuple):
        return any(isinstance(x, RunTimeNumber) for x in value)
    return isinstance(value, RunTimeNumber)
