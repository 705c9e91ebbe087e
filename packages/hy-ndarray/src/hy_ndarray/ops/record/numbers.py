"""RunTimeNumber: an operator parameter whose value is passed each time a program runs."""

from typing import Any, ClassVar

from hy_ndarray.ops.elementwise.scalar import div_scalar, minus_scalar, mul_scalar, plus_scalar

__all__ = ["RunTimeNumber"]


class RunTimeNumber:
    """Placeholder of a number, such as a learning rate, that is an argument of each run.

    It can be the value of an operator's parameter, or the right operand of ``+``, ``-``, ``*`` or
    ``/``.

    Args:
        name: The name of the program's argument.

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
