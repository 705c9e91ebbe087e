"""Constant: a parameter that is not trained."""

from typing import Any

from hy_gluon import initializer
from hy_gluon.parameter.parameter import Parameter
from hy_ndarray import NDArray, nd
from hy_ndarray.warning import warn

__all__ = ["Constant"]


class Constant(Parameter):
    """Parameter that is not trained.

    Args:
        name: Name of the constant; ``"const"`` if only a value is given, as in MXNet 2.
        value: Value of the constant: an array, or an argument of :func:`hy_ndarray.nd.array`.

    Example:
        >>> scale = Constant("scale", [1.0, 2.0])
        >>> scale.initialize()
        >>> scale.data().asnumpy()
        array([1., 2.], dtype=float32)
    """

    def __init__(self, name: Any, value: Any = None) -> None:
        if value is None:
            name, value = "const", name
        self.value = value if isinstance(value, NDArray) else nd.array(value)
        super().__init__(
            name,
            grad_req="null",
            shape=self.value.shape,
            dtype=self.value.dtype,
            init=initializer.Constant(self.value),
            differentiable=False,
        )

    @property
    def grad_req(self) -> str:
        """Gradient request, which always is ``"null"``."""
        return "null"

    @grad_req.setter
    def grad_req(self, request: str) -> None:
        if request != "null":
            warn(
                f"constant {self.name!r} has no gradient; its grad_req stays 'null' instead of "
                f"{request!r}"
            )

    # MXNet writes the value as JSON into the graph, which makes files of megabytes.
    def _text_of_init(self) -> str | None:
        return None  # a graph's file would hold the whole value; the parameters' file has it
