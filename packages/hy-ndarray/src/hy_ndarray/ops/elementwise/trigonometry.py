"""Trigonometric and hyperbolic functions, element by element."""

from typing import Any

from hy_ndarray.ops.elementwise.unary import sqrt, square
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "cos",
    "cosh",
    "degrees",
    "radians",
    "sin",
    "sinh",
    "tan",
    "tanh",
]


def _grad_sin(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * cos(saved.inputs[0]),)


@pointwise("sin", "_sparse_sin", grad=_grad_sin)
def sin(data: TensorType) -> TensorType:
    """The sine of angles in radians.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_cos(saved: Saved, dy: Any) -> tuple[Any]:
    return (-(dy * sin(saved.inputs[0])),)


@pointwise("cos", "_sparse_cos", grad=_grad_cos)
def cos(data: TensorType) -> TensorType:
    """The cosine of angles in radians.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_tan(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (square(saved.outputs[0]) + 1),)


@pointwise("tan", "_sparse_tan", grad=_grad_tan)
def tan(data: TensorType) -> TensorType:
    """The tangent of angles in radians.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_arcsin(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / sqrt(1 - square(saved.inputs[0])),)


@pointwise("arcsin", "_sparse_arcsin", grad=_grad_arcsin)
def arcsin(data: TensorType) -> TensorType:
    """The angle in ``[-π/2, π/2]`` whose sine is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_arccos(saved: Saved, dy: Any) -> tuple[Any]:
    return (-(dy / sqrt(1 - square(saved.inputs[0]))),)


@pointwise("arccos", "_sparse_arccos", grad=_grad_arccos)
def arccos(data: TensorType) -> TensorType:
    """The angle in ``[0, π]`` whose cosine is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_arctan(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (square(saved.inputs[0]) + 1),)


@pointwise("arctan", "_sparse_arctan", grad=_grad_arctan)
def arctan(data: TensorType) -> TensorType:
    """The angle in ``[-π/2, π/2]`` whose tangent is ``data``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_sinh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * cosh(saved.inputs[0]),)


@pointwise("sinh", "_sparse_sinh", grad=_grad_sinh)
def sinh(data: TensorType) -> TensorType:
    """The hyperbolic sine.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_cosh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * sinh(saved.inputs[0]),)


@pointwise("cosh", "_sparse_cosh", grad=_grad_cosh)
def cosh(data: TensorType) -> TensorType:
    """The hyperbolic cosine.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_tanh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (1 - square(saved.outputs[0])),)


@pointwise("tanh", "_sparse_tanh", grad=_grad_tanh)
def tanh(data: TensorType) -> TensorType:
    """The hyperbolic tangent.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_arcsinh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / sqrt(square(saved.inputs[0]) + 1),)


@pointwise("arcsinh", "_sparse_arcsinh", grad=_grad_arcsinh)
def arcsinh(data: TensorType) -> TensorType:
    """The number whose hyperbolic sine is ``data``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_arccosh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / sqrt(square(saved.inputs[0]) - 1),)


@pointwise("arccosh", "_sparse_arccosh", grad=_grad_arccosh)
def arccosh(data: TensorType) -> TensorType:
    """The number, not negative, whose hyperbolic cosine is ``data``; nan below 1.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_arctanh(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (1 - square(saved.inputs[0])),)


@pointwise("arctanh", "_sparse_arctanh", grad=_grad_arctanh)
def arctanh(data: TensorType) -> TensorType:
    """The number whose hyperbolic tangent is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_degrees(saved: Saved, dy: Any) -> tuple[Any]:
    return (degrees(dy),)


@pointwise("degrees", "_sparse_degrees", grad=_grad_degrees)
def degrees(data: TensorType) -> TensorType:
    """Angles in radians as degrees.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_radians(saved: Saved, dy: Any) -> tuple[Any]:
    return (radians(dy),)


@pointwise("radians", "_sparse_radians", grad=_grad_radians)
def radians(data: TensorType) -> TensorType:
    """Angles in degrees as radians.

    Args:
        data: ``[*shape]``, floating.
    """
    return data
