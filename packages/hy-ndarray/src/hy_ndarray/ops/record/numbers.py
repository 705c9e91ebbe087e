"""Numbers that are given when a program runs, as parameters of the operators in it."""

from typing import Any, ClassVar

from hy_ndarray.ops.elementwise.scalar import div_scalar, minus_scalar, mul_scalar, plus_scalar

__all__ = ["RunTimeNumber"]


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
    is_run_time: ClassVar[bool] = True

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<RunTimeNumber {self.name}>"

    def __radd__(self, operand: Any) -> Any:
        return plus_scalar(operand, scalar=self)

    def __rsub__(self, operand: Any) -> Any:
        return minus_scalar(operand, scalar=self)

    def __rmul__(self, operand: Any) -> Any:
        return mul_scalar(operand, scalar=self)

    def __rtruediv__(self, operand: Any) -> Any:
        return div_scalar(operand, scalar=self)
