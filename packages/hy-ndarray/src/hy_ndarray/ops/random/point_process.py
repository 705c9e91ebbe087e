"""Likelihood of events under self-exciting (Hawkes) processes."""

from typing import Any

import numpy as np

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.indices import Indices, Others, Values, along
from hy_ndarray.ops.record.rules import expect_rank, like_result, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType


def _grad(saved: Saved, dy: Any, dstate: Any) -> tuple[Any, ...]:
    return (*hawkesll_backward(dy, *saved.inputs), None, None, None, None, None)


def _check_operands(
    lda: TensorType,
    alpha: TensorType,
    beta: TensorType,
    state: TensorType,
    lags: TensorType,
    marks: TensorType,
    valid_length: TensorType,
    max_time: TensorType,
) -> None:
    same_dtype(lda, alpha, beta, state, lags, valid_length, max_time)
    marks.set_dtype("int32")
    for data in (lda, state, lags, marks):
        expect_rank(data, 2)
    lda.set_shape(state.shape)
    state.set_shape(lda.shape)
    lags.set_shape(marks.shape)
    marks.set_shape(lags.shape)
    batch, kinds = lda.shape or (None, None)
    for data in (alpha, beta):
        data.set_shape((kinds,))
    for data in (valid_length, max_time):
        data.set_shape((batch,))
    lags.set_shape((batch, None))


def _beyond_lengths(values: Values, others: Others, params: Params) -> Values | None:
    lengths = others("valid_length")
    return None if lengths is None else np.arange(values.shape[1]) >= lengths[:, None]


@operator(
    "_contrib_hawkesll",
    outputs=("output", "out_state"),
    grad=_grad,
    traits=Traits(indices=(Indices("marks", count=along("lda", 1), ignored=_beyond_lengths),)),
)
def hawkesll(
    lda: TensorType,
    alpha: TensorType,
    beta: TensorType,
    state: TensorType,
    lags: TensorType,
    marks: TensorType,
    valid_length: TensorType,
    max_time: TensorType,
) -> tuple[TensorType, TensorType]:
    """Return the log likelihood of events of ``K`` kinds under Hawkes processes (1971).

    The intensity of kind ``k`` at time ``t`` is ``lda + alpha beta Σ exp(-beta (t - s))``, summed
    over the events of that kind at times ``s`` before ``t``.

    Args:
        lda: ``[N, K]``, background intensities.
        alpha: ``[K]``, branching ratios: the mean number of events that an event triggers.
        beta: ``[K]``, decay rates of the excitation.
        state: ``[N, K]``, initial value of the sum, from earlier events.
        lags: ``[N, T]``, times between consecutive events.
        marks: ``[N, T]``, int32, kinds of the events.
        valid_length: ``[N]``, numbers of valid events.
        max_time: ``[N]``, ends of the observation intervals.

    Returns:
        The log likelihood, ``[N]``; and the sum at ``max_time``, ``[N, K]``.

    Raises:
        ShapeError: The operands are incompatible.

    Gradient:
        Of the likelihood with respect to ``lda``, ``alpha`` and ``beta``.

    Source:
        Hawkes 1971, Spectra of Some Self-Exciting and Mutually Exciting Point Processes.
    """
    _check_operands(lda, alpha, beta, state, lags, marks, valid_length, max_time)
    return lda.with_shape(None if lda.shape is None else lda.shape[:1]), state


@operator("_hawkesll_backward", outputs=("lda", "alpha", "beta"))
def hawkesll_backward(
    dy: TensorType,
    lda: TensorType,
    alpha: TensorType,
    beta: TensorType,
    state: TensorType,
    lags: TensorType,
    marks: TensorType,
    valid_length: TensorType,
    max_time: TensorType,
) -> tuple[TensorType, TensorType, TensorType]:
    """Return the gradients of the likelihood with respect to ``lda``, ``alpha`` and ``beta``."""
    like_result(dy, hawkesll, lda, alpha, beta, state, lags, marks, valid_length, max_time)
    return lda, alpha, beta
