"""Fluent: methods of arrays and symbols that call the operator of the same name."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray.ops import Operator, find

__all__ = ["Fluent"]


def _operator_method(name: str) -> Callable[..., Any]:
    """Return a method that calls operator ``name`` with ``self`` as its first input."""
    op = find(name)

    def method(self: "Fluent", *args: Any, **kwargs: Any) -> Any:
        return self.call_operator(op, name, (self, *args), kwargs)

    method.__name__ = name
    method.__qualname__ = f"Fluent.{name}"
    method.__doc__ = op.doc
    return method


class Fluent:
    """Mixin of methods such as ``x.relu()`` that call the operator of the same name.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.array([[1, -2], [3, 4]]).relu().sum(axis=1).asnumpy()
        array([1., 7.], dtype=float32)
    """

    __slots__ = ()

    @classmethod
    def call_operator(
        cls, op: Operator, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Call ``op`` with a program's arguments; see :class:`hy_ndarray.Operand`."""
        raise NotImplementedError(f"{cls.__name__} must define call_operator")

    abs = _operator_method("abs")
    arccos = _operator_method("arccos")
    arccosh = _operator_method("arccosh")
    arcsin = _operator_method("arcsin")
    arcsinh = _operator_method("arcsinh")
    arctan = _operator_method("arctan")
    arctanh = _operator_method("arctanh")
    argmax = _operator_method("argmax")
    argmax_channel = _operator_method("argmax_channel")
    argmin = _operator_method("argmin")
    argsort = _operator_method("argsort")
    broadcast_axes = _operator_method("broadcast_axes")
    cbrt = _operator_method("cbrt")
    ceil = _operator_method("ceil")
    clip = _operator_method("clip")
    cos = _operator_method("cos")
    cosh = _operator_method("cosh")
    degrees = _operator_method("degrees")
    depth_to_space = _operator_method("depth_to_space")
    exp = _operator_method("exp")
    expm1 = _operator_method("expm1")
    fix = _operator_method("fix")
    flip = _operator_method("flip")
    floor = _operator_method("floor")
    log = _operator_method("log")
    log10 = _operator_method("log10")
    log1p = _operator_method("log1p")
    log2 = _operator_method("log2")
    log_softmax = _operator_method("log_softmax")
    max = _operator_method("max")
    mean = _operator_method("mean")
    min = _operator_method("min")
    nanprod = _operator_method("nanprod")
    nansum = _operator_method("nansum")
    norm = _operator_method("norm")
    one_hot = _operator_method("one_hot")
    ones_like = _operator_method("ones_like")
    pad = _operator_method("pad")
    pick = _operator_method("pick")
    prod = _operator_method("prod")
    radians = _operator_method("radians")
    rcbrt = _operator_method("rcbrt")
    reciprocal = _operator_method("reciprocal")
    relu = _operator_method("relu")
    repeat = _operator_method("repeat")
    reshape_like = _operator_method("reshape_like")
    rint = _operator_method("rint")
    round = _operator_method("round")
    rsqrt = _operator_method("rsqrt")
    shape_array = _operator_method("shape_array")
    sigmoid = _operator_method("sigmoid")
    sign = _operator_method("sign")
    sin = _operator_method("sin")
    sinh = _operator_method("sinh")
    size_array = _operator_method("size_array")
    slice = _operator_method("slice")
    slice_axis = _operator_method("slice_axis")
    slice_like = _operator_method("slice_like")
    softmax = _operator_method("softmax")
    softmin = _operator_method("softmin")
    sort = _operator_method("sort")
    space_to_depth = _operator_method("space_to_depth")
    split = _operator_method("split")
    sqrt = _operator_method("sqrt")
    square = _operator_method("square")
    sum = _operator_method("sum")
    swapaxes = _operator_method("swapaxes")
    take = _operator_method("take")
    tan = _operator_method("tan")
    tanh = _operator_method("tanh")
    tile = _operator_method("tile")
    topk = _operator_method("topk")
    transpose = _operator_method("transpose")
    trunc = _operator_method("trunc")
    zeros_like = _operator_method("zeros_like")
