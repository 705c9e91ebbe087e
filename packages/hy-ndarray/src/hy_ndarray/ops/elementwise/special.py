"""The error function, its inverse, and the gamma function with its logarithm and derivatives."""

import math
from typing import Any

from hy_ndarray.ops.elementwise.exponential import exp
from hy_ndarray.ops.elementwise.unary import square
from hy_ndarray.ops.families import float_function
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType

erf = float_function(
    "erf",
    "_npx_erf",
    text="The error function ``2/√π ∫ exp(-t²) dt`` from 0 to ``data``.",
    grad=lambda saved, dy: (dy * exp(-square(saved.inputs[0])) * (2 / math.sqrt(math.pi)),),
)


erfinv = float_function(
    "erfinv",
    "_npx_erfinv",
    text="The number whose error function is ``data``; nan outside of ``[-1, 1]``.",
    grad=lambda saved, dy: (dy * exp(square(saved.outputs[0])) * (math.sqrt(math.pi) / 2),),
)


def _grad_gamma(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (saved.outputs[0] * digamma(saved.inputs[0])),)


gamma = float_function(
    "gamma",
    "_npx_gamma",
    "_sparse_gamma",
    text="The gamma function, ``(data - 1)!`` for integers; nan at the negative ones.",
    grad=_grad_gamma,
)


def _grad_gammaln(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * digamma(saved.inputs[0]),)


gammaln = float_function(
    "gammaln",
    "_npx_gammaln",
    "_sparse_gammaln",
    text="Logarithm of the absolute value of the gamma function.",
    grad=_grad_gammaln,
)


def _grad_digamma(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * trigamma(saved.inputs[0]),)


@pointwise("_digamma", grad=_grad_digamma)
def digamma(data: TensorType) -> TensorType:
    """Return the derivative of ``gammaln``."""
    return data


@pointwise("_trigamma")
def trigamma(data: TensorType) -> TensorType:
    """Return the derivative of ``_digamma``."""
    return data
