"""RunTimeNumber: a parameter of operators whose value is passed when a program runs."""

from typing import Any, ClassVar

from hy_ndarray.ops.elementwise.scalar import div_scalar, minus_scalar, mul_scalar, plus_scalar

__all__ = ["RunTimeNumber"]


class RunTimeNumber:
    """Placeholder of a number, such as a learning rate, that each run of a program is passed.

    Operators have it as the value of a parameter. It may be the right operand of ``+``, ``-``,
    ``*`` or ``/``.

    Args:
        name: Its name among the arguments of the program.

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
