"""Probability densities of distributions, and their logarithms."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.elementwise.broadcast import like_of
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.elementwise.special import digamma
from hy_ndarray.ops.record.ranges import NonNegative
from hy_ndarray.ops.record.rules import same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.reduce.reductions import sum as total
from hy_ndarray.ops.shaping.creation import zeros_like


def _fit(data: TensorType, like: TensorType, keep: int) -> None:
    """Check that ``data`` is ``[*S, *last]`` if ``like`` is ``[*S, *N, *last]``."""
    if data.shape is None or like.shape is None:
        return
    extra = len(like.shape) - len(data.shape)
    leading = len(data.shape) - keep
    if extra < 0 or leading < 0:
        raise ShapeError(
            f"{like.label}{show(like.shape)} has too few axes for the parameters "
            f"{data.label}{show(data.shape)}"
        )
    data.set_shape(like.shape[:leading] + like.shape[leading + extra :])


@operator("_spread_like", grad=gradient_by("_unspread_like", 0))
def spread_like(data: TensorType, like: TensorType, *, keep: NonNegative = 0) -> TensorType:
    """Return ``data``, ``[*S, *last]``, broadcast to the shape ``[*S, *N, *last]`` of ``like``."""
    _fit(data, like, keep)
    return like.with_dtype(data.dtype)


@operator("_unspread_like", grad=gradient_by("_spread_like", 0))
def unspread_like(data: TensorType, like: TensorType, *, keep: NonNegative = 0) -> TensorType:
    """Return ``data``, ``[*S, *N, *last]``, summed over ``N`` to the shape of ``like``."""
    _fit(like, data, keep)
    return like.with_dtype(data.dtype)


DensityGradients = Callable[..., Sequence[Any]]
"""Function to the derivatives of a log density by sample and parameters; None if there is none."""


def chain(gradients: DensityGradients) -> Callable[[Saved, Any], tuple[Any, ...]]:
    """Return the gradient function of a density, given the derivatives of its logarithm."""

    def gradient(saved: Saved, dy: Any) -> tuple[Any, ...]:
        sample, *parameters = saved.inputs
        weight = dy if saved.params["is_log"] else dy * saved.outputs[0]
        spread = [spread_like(p, sample) for p in parameters]
        first, *rest = gradients(sample, *spread)
        return (
            zeros_like(sample) if first is None else weight * first,
            *(unspread_like(weight * s, p) for s, p in zip(rest, parameters, strict=True)),
        )

    return gradient


def density(sample: TensorType, *parameters: TensorType, is_log: bool) -> TensorType:
    """Return the type of a density: that of ``sample``, to which the parameters must broadcast."""
    same_dtype(sample, *parameters)
    for p in parameters:
        _fit(p, sample, 0)
    return sample


def _grad_dirichlet(saved: Saved, dy: Any) -> tuple[Any, Any]:
    sample, alpha = saved.inputs
    weight = spread_like(dy if saved.params["is_log"] else dy * saved.outputs[0], sample)
    spread = spread_like(alpha, sample, keep=1)
    whole = like_of(total(alpha, axis=(-1,), keepdims=True), alpha)
    gradients = log(sample) + spread_like(digamma(whole) - digamma(alpha), sample, keep=1)
    return weight * ((spread - 1.0) / sample), unspread_like(weight * gradients, alpha, keep=1)


@operator("_random_pdf_dirichlet", "random_pdf_dirichlet", grad=_grad_dirichlet)
def random_pdf_dirichlet(
    sample: TensorType, alpha: TensorType, *, is_log: bool = False
) -> TensorType:
    """Return the density of the Dirichlet distribution.

    Args:
        sample: ``[*S, *N, K]``, floating: vectors, each of sum 1.
        alpha: ``[*S, K]``, the concentrations; same dtype as ``sample``.
        is_log: Return the logarithm of the density.

    Returns:
        ``[*S, *N]``.

    Raises:
        ShapeError: The shapes of ``sample`` and ``alpha`` are incompatible.
    """
    same_dtype(sample, alpha)
    _fit(alpha, sample, 1)
    return sample.with_shape(None if sample.shape is None else sample.shape[:-1])
