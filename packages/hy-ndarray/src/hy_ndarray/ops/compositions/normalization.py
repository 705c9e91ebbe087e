"""Compositions of the second gradients of batch, layer, group and instance normalization.

With ``hat = (data - mean) / deviation``, the gradient of a normalization is ``project(gamma * dy) /
deviation``, where ``project`` makes values orthogonal to ones and to ``hat`` (Ioffe and Szegedy,
2015). For batch normalization, the argument ``deviation`` is the inverse deviation.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from hy_ndarray.ops.compositions._terms import cast, filled, reshape, total, wide
from hy_ndarray.ops.nn.normalization import norm_gradients
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition

CHANNELS = (1,)
"""The axes of a :class:`_Form` that index gamma and beta."""


class _Form(NamedTuple):
    """Three axes to which the data is reshaped; the second one indexes gamma and beta."""

    shape: tuple[int, int, int]
    stats: tuple[int, ...]
    """The axes that index mean and deviation, which are computed over the others."""

    @property
    def shared(self) -> float:
        """Return the number of elements over which each mean is computed."""
        return float(prod(n for i, n in enumerate(self.shape) if i not in self.stats))

    def spread(self, values: Tracer, axes: Sequence[int]) -> Tracer:
        """Return values indexed by ``axes`` in a shape that broadcasts against the data."""
        sizes = [n if i in axes else 1 for i, n in enumerate(self.shape)]
        return reshape(wide(values), *sizes)

    def sum(self, x: Tracer, axes: Sequence[int]) -> Tracer:
        """Return sums over all but ``axes``, in a shape that broadcasts against the data."""
        return total(x, [i for i in range(3) if i not in axes], keepdims=True)

    def mean(self, x: Tracer) -> Tracer:
        """Return the means for the statistics, in a shape that broadcasts against the data."""
        return self.sum(x, self.stats) / self.shared


def _form_of(shape: Sequence[int], kind: str, axis: int, groups: int) -> _Form:
    if kind in ("instance", "group"):
        count = groups if kind == "group" else shape[1]
        return _Form((shape[0], count, prod(shape[1:]) // max(count, 1)), (0, 1))
    at = axis % len(shape)
    sizes = prod(shape[:at]), shape[at], prod(shape[at + 1 :])
    return _Form(sizes, CHANNELS if kind == "batch" else (0, 2))


class _Normalization:
    """The operands of a normalization's gradients, in shapes that broadcast."""

    def __init__(
        self, data: Tracer, mean: Tracer, deviation: Tracer, kind: str, axis: int, groups: int
    ) -> None:
        self.form = form = _form_of(data.shape, kind, axis, groups)
        stored = form.spread(deviation, form.stats)
        self.inverse = stored if kind == "batch" else 1.0 / stored
        self.hat = (self.of(data) - form.spread(mean, form.stats)) * self.inverse

    def of(self, x: Tracer) -> Tracer:
        """Return an array of the data's shape in the form."""
        return reshape(wide(x), *self.form.shape)

    def along(self, x: Tracer) -> Tracer:
        """Return the components of values along ``hat``."""
        return self.form.mean(x * self.hat)

    def project(self, x: Tracer) -> Tracer:
        """Return values orthogonal to ones and to ``hat``."""
        return x - self.form.mean(x) - self.hat * self.along(x)


def _like(value: Tracer, like: Tracer) -> Tracer:
    return cast(reshape(value, *like.shape), like.dtype)


@composition(norm_gradients.normalize_statistics_backward)
def _statistics_backward(
    dmean: Tracer,
    ddeviation: Tracer,
    data: Tracer,
    mean: Tracer,
    deviation: Tracer,
    *,
    kind: str,
    **grouping: Any,
) -> Any:
    of = _Normalization(data, mean, deviation, kind, **grouping)
    form = of.form
    factor = form.spread(ddeviation, form.stats) / form.shared
    if kind == "batch":  # the derivative of the inverse
        factor = factor * of.inverse * of.inverse * -1.0
    return _like(of.hat * factor + form.spread(dmean, form.stats) / form.shared, data)


@composition(norm_gradients.normalize_statistics_backward_backward)
def _statistics_backward_backward(
    ddata: Tracer,
    ddeviation: Tracer,
    data: Tracer,
    mean: Tracer,
    deviation: Tracer,
    *,
    kind: str,
    **grouping: Any,
) -> Any:
    of = _Normalization(data, mean, deviation, kind, **grouping)
    form, u = of.form, of.of(ddata)
    to_deviation = along = of.along(u)
    to_data = of.project(u)
    factor = form.spread(ddeviation, form.stats) * of.inverse / form.shared
    if kind == "batch":
        squared = of.inverse * of.inverse
        to_deviation = along * squared * -1.0
        to_data = to_data - of.hat * along * 2.0
        factor = factor * squared * -1.0
    return (
        _like(form.mean(u), mean),
        _like(to_deviation, ddeviation),
        _like(to_data * factor, data),
    )


@composition(norm_gradients.normalize_backward_backward)
def _backward_backward(
    ddata: Tracer,
    dgamma: Tracer,
    dbeta: Tracer,
    dy: Tracer,
    data: Tracer,
    gamma: Tracer,
    mean: Tracer,
    deviation: Tracer,
    *,
    fix_gamma: bool,
    frozen: bool,
    **grouping: Any,
) -> Any:
    of = _Normalization(data, mean, deviation, **grouping)
    form, hat, inverse = of.form, of.hat, of.inverse
    g, u = of.of(dy), of.of(ddata)
    if fix_gamma:
        factor, dfactor = (filled((1, 1, 1), value, g.dtype) for value in (1.0, 0.0))
    else:
        factor, dfactor = form.spread(gamma, CHANNELS), form.spread(dgamma, CHANNELS)
    # The projection is symmetric, so it is its own transpose.
    projected = (u if frozen else of.project(u)) * inverse
    to_dy = projected * factor + hat * dfactor + form.spread(dbeta, CHANNELS)
    to_gamma = form.sum(projected * g, CHANNELS)
    to_data = to_hat = g * dfactor
    if not frozen:
        p = g * factor
        to_hat = to_hat - inverse * (u * of.along(p) + p * of.along(u))
        to_data = of.project(to_hat) - hat * form.mean(projected * p)
    return (
        _like(to_dy, dy),
        _like(to_data * inverse, data),
        filled(gamma.shape, 0.0, gamma.dtype) if fix_gamma else _like(to_gamma, gamma),
    )
