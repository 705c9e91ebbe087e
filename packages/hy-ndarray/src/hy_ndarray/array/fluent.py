"""Fluent: the methods of arrays and symbols that call the operator of the same name."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray.ops import Operator, find

__all__ = ["Fluent"]


def _operator(name: str) -> Callable[..., Any]:
    """Return a method that calls operator ``name`` with its object as first input."""
    op = find(name)

    def method(self: "Fluent", *args: Any, **kwargs: Any) -> Any:
        return self.call_operator(op, name, (self, *args), kwargs)

    method.__name__ = name
    method.__qualname__ = f"Fluent.{name}"
    method.__doc__ = op.doc
    return method


class Fluent:
    """Mixin of methods such as ``x.relu()`` for ``relu(x)``, by ``call_operator``.

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
        """Call ``op`` as a program does; see :class:`hy_ndarray.Operand`."""
        raise NotImplementedError(f"{cls.__name__} must define call_operator")

    abs = _operator("abs")
    arccos = _operator("arccos")
    arccosh = _operator("arccosh")
    arcsin = _operator("arcsin")
    arcsinh = _operator("arcsinh")
    arctan = _operator("arctan")
    arctanh = _operator("arctanh")
    argmax = _operator("argmax")
    argmax_channel = _operator("argmax_channel")
    argmin = _operator("argmin")
    argsort = _operator("argsort")
    broadcast_axes = _operator("broadcast_axes")
    cbrt = _operator("cbrt")
    ceil = _operator("ceil")
    clip = _operator("clip")
    cos = _operator("cos")
    cosh = _operator("cosh")
    degrees = _operator("degrees")
    depth_to_space = _operator("depth_to_space")
    exp = _operator("exp")
    expm1 = _operator("expm1")
    fix = _operator("fix")
    flip = _operator("flip")
    floor = _operator("floor")
    log = _operator("log")
    log10 = _operator("log10")
    log1p = _operator("log1p")
    log2 = _operator("log2")
    log_softmax = _operator("log_softmax")
    max = _operator("max")
    mean = _operator("mean")
    min = _operator("min")
    nanprod = _operator("nanprod")
    nansum = _operator("nansum")
    norm = _operator("norm")
    one_hot = _operator("one_hot")
    ones_like = _operator("ones_like")
    pad = _operator("pad")
    pick = _operator("pick")
    prod = _operator("prod")
    radians = _operator("radians")
    rcbrt = _operator("rcbrt")
    reciprocal = _operator("reciprocal")
    relu = _operator("relu")
    repeat = _operator("repeat")
    reshape_like = _operator("reshape_like")
    rint = _operator("rint")
    round = _operator("round")
    rsqrt = _operator("rsqrt")
    shape_array = _operator("shape_array")
    sigmoid = _operator("sigmoid")
    sign = _operator("sign")
    sin = _operator("sin")
    sinh = _operator("sinh")
    size_array = _operator("size_array")
    slice = _operator("slice")
    slice_axis = _operator("slice_axis")
    slice_like = _operator("slice_like")
    softmax = _operator("softmax")
    softmin = _operator("softmin")
    sort = _operator("sort")
    space_to_depth = _operator("space_to_depth")
    split = _operator("split")
    sqrt = _operator("sqrt")
    square = _operator("square")
    sum = _operator("sum")
    swapaxes = _operator("swapaxes")
    take = _operator("take")
    tan = _operator("tan")
    tanh = _operator("tanh")
    tile = _operator("tile")
    topk = _operator("topk")
    transpose = _operator("transpose")
    trunc = _operator("trunc")
    zeros_like = _operator("zeros_like")
