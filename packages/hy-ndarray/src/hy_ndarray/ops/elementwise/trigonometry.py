"""Element-wise trigonometric and hyperbolic functions."""

from typing import Any

from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.elementwise.unary import sqrt, square
from hy_ndarray.ops.families import float_function
from hy_ndarray.ops.record.schema import Saved


def _grad_sin(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * cos(saved.inputs[0]),)


sin = float_function("sin", "_sparse_sin", text="The sine of angles in radians.", grad=_grad_sin)


def _grad_cos(saved: Saved, dy: Any) -> tuple[Any]:
    return (-(dy * sin(saved.inputs[0])),)


cos = float_function("cos", "_sparse_cos", text="The cosine of angles in radians.", grad=_grad_cos)


def _grad_tan(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (square(saved.outputs[0]) + 1),)


tan = float_function("tan", "_sparse_tan", text="The tangent of angles in radians.", grad=_grad_tan)


arcsin = float_function(
    "arcsin",
    "_sparse_arcsin",
    text="The angle in ``[-π/2, π/2]`` whose sine is ``data``; nan outside of ``[-1, 1]``.",
    grad=lambda saved, dy: (dy / sqrt(1 - square(saved.inputs[0])),),
)


arccos = float_function(
    "arccos",
    "_sparse_arccos",
    text="The angle in ``[0, π]`` whose cosine is ``data``; nan outside of ``[-1, 1]``.",
    grad=lambda saved, dy: (-(dy / sqrt(1 - square(saved.inputs[0]))),),
)


arctan = float_function(
    "arctan",
    "_sparse_arctan",
    text="The angle in ``[-π/2, π/2]`` whose tangent is ``data``.",
    grad=lambda saved, dy: (dy / (square(saved.inputs[0]) + 1),),
)


def _grad_sinh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * cosh(saved.inputs[0]),)


sinh = float_function("sinh", "_sparse_sinh", text="The hyperbolic sine.", grad=_grad_sinh)


def _grad_cosh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * sinh(saved.inputs[0]),)


cosh = float_function("cosh", "_sparse_cosh", text="The hyperbolic cosine.", grad=_grad_cosh)


def _grad_tanh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (1 - square(saved.outputs[0])),)


tanh = float_function("tanh", "_sparse_tanh", text="The hyperbolic tangent.", grad=_grad_tanh)


arcsinh = float_function(
    "arcsinh",
    "_sparse_arcsinh",
    text="The number whose hyperbolic sine is ``data``.",
    grad=lambda saved, dy: (dy / sqrt(square(saved.inputs[0]) + 1),),
)


arccosh = float_function(
    "arccosh",
    "_sparse_arccosh",
    text="The number, not negative, whose hyperbolic cosine is ``data``; nan below 1.",
    grad=lambda saved, dy: (dy / sqrt(square(saved.inputs[0]) - 1),),
)


arctanh = float_function(
    "arctanh",
    "_sparse_arctanh",
    text="The number whose hyperbolic tangent is ``data``; nan outside of ``[-1, 1]``.",
    grad=lambda saved, dy: (dy / (1 - square(saved.inputs[0])),),
)


degrees = float_function(
    "degrees",
    "_sparse_degrees",
    text="Angles in radians as degrees.",
    grad=gradient_by("degrees"),
)


radians = float_function(
    "radians",
    "_sparse_radians",
    text="Angles in degrees as radians.",
    grad=gradient_by("radians"),
)
