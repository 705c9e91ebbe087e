"""Checks of transforms: vmap against loops, tangents against numerical differences."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hy_ndarray import NDArray, autograd, nd, ops, random
from hy_ndarray.devices._protocols import Params
from hy_ndarray.testing.checks import SEED, Check, arrays
from hy_ndarray.testing.op_case import OpCase, values_of
from hy_ndarray.testing.selection import (
    differentiated,
    has_numerical_gradient,
    has_results,
    is_floating,
    results_of,
)
from hy_ndarray.testing.tested_table import TestedTable, Tolerance
from hy_ndarray.transforms import jvp, vjp, vmap

__all__ = ["TRANSFORM_CHECKS", "check_hessian", "check_jvp", "check_vmap", "is_batched"]

SAMPLE_COUNT = 3
STEP_SIZE = 1e-6
_GRADIENTS = Tolerance(2e-5, 2e-6)
_EQUAL = Tolerance(1e-8, 1e-9)
_EQUAL_FLOAT32 = Tolerance(1e-6, 1e-7)
"""For results of few digits whatever the inputs: BLAS sums in an order that follows alignment."""


def _draws_nothing(case: OpCase) -> bool:
    """Return whether the operator draws no random numbers."""
    op = ops.find(case.op)
    return not op.draws(op.parse(case.params), case.is_train)


def is_batched(case: OpCase, _: TestedTable) -> bool:
    """Return whether the case has inputs, and results whose shapes do not depend on values."""
    if not has_results(case) or not _draws_nothing(case):
        return False
    values = values_of(case)
    if not any(v is not None for v in values):
        return False
    op = ops.find(case.op)
    if op.traits.foreign or op.stores is not None:
        return False
    return all(t.sizes is not None for t in results_of(case, values))


def _run_operator(case: OpCase, params: Params, inputs: Sequence[NDArray | None]) -> list[NDArray]:
    op = ops.find(case.op)
    with autograd.train_mode() if case.is_train else autograd.predict_mode():
        random.seed(SEED)
        result = NDArray.apply_operator(op, inputs, params, case.is_train)
    return result if isinstance(result, list) else [result]


def _samples(case: OpCase) -> list[Any]:
    """Return each input stacked for several samples; random inputs are permuted between samples."""
    draws = np.random.default_rng(SEED)
    computed: list[Any] = []
    for i, value in enumerate(values_of(case)):
        if value is None:
            computed.append(None)
        elif i in case.inputs or value.dtype.kind != "f":
            computed.append(np.stack([value] * SAMPLE_COUNT))
        else:
            order = [draws.permutation(value.ravel()).reshape(value.shape) for _ in range(2)]
            computed.append(np.stack([value, *order]))
    return computed


def _choices(values: Sequence[Any]) -> Iterator[tuple[bool, ...]]:
    """Yield the sets of inputs to map over: all inputs, then each input alone."""
    there = [v is not None for v in values]
    yield tuple(there)
    if sum(there) > 1:
        for i, is_there in enumerate(there):
            if is_there:
                yield tuple(j == i for j in range(len(there)))


def check_vmap(case: OpCase, _: TestedTable) -> None:
    """Check that vmap over stacked samples equals separate calls."""
    stacked = _samples(case)
    op = ops.find(case.op)
    params = op.parse(case.params)
    for mask in _choices(stacked):
        rows = [
            [None if v is None else v[i if m else 0] for v, m in zip(stacked, mask, strict=True)]
            for i in range(SAMPLE_COUNT)
        ]
        wanted = [_run_operator(case, params, arrays(row)) for row in rows]
        whole = [
            None if v is None else (v if m else v[0]) for v, m in zip(stacked, mask, strict=True)
        ]
        supplied = [x for x in arrays(whole) if x is not None]
        where = [i for i, v in enumerate(whole) if v is not None]

        def run(*inputs: NDArray, where: Any = where) -> list[NDArray]:
            filled: list[NDArray | None] = [None] * len(stacked)
            for i, x in zip(where, inputs, strict=True):
                filled[i] = x
            return _run_operator(case, params, filled)

        axes = tuple(0 if mask[i] else None for i in where)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            computed = vmap(run, in_axes=axes)(*supplied)
        assert len(computed) == len(wanted[0])
        for k, y in enumerate(computed):
            expected = np.stack([row[k].asnumpy() for row in wanted])
            assert y.dtype == wanted[0][k].dtype, f"{mask}: {y.dtype}"
            assert y.shape == expected.shape, f"{mask}: {y.shape}, not {expected.shape}"
            tolerance = _EQUAL_FLOAT32 if expected.dtype == np.float32 else _EQUAL
            np.testing.assert_allclose(
                y.asnumpy().astype(np.float64),
                expected.astype(np.float64),
                rtol=tolerance.rtol,
                atol=tolerance.atol,
                err_msg=f"mapped: {mask}",
            )


class _Direction:
    """A case as a function of its differentiable inputs, with a random direction in them."""

    def __init__(self, case: OpCase) -> None:
        self.case = case
        self.values = values_of(case)
        self.where = differentiated(case, self.values)
        draws = np.random.default_rng(SEED)
        self.direction = [draws.standard_normal(self.values[i].shape) for i in self.where]
        self._params = ops.find(case.op).parse(case.params)

    def at(self, t: float) -> list[NDArray]:
        """Return the inputs displaced by ``t`` times the direction."""
        pairs = zip(self.where, self.direction, strict=True)
        return [nd.array(self.values[i] + t * d, dtype="float64") for i, d in pairs]

    def tangents(self) -> list[NDArray]:
        """Return the direction as arrays, the tangents of the inputs."""
        return [nd.array(d, dtype="float64") for d in self.direction]

    def run(self, *inputs: NDArray) -> list[NDArray]:
        """Return the floating results for the given differentiable inputs."""
        filled = arrays(self.values)
        for i, x in zip(self.where, inputs, strict=True):
            filled[i] = x
        results = _run_operator(self.case, self._params, filled)
        kinds = results_of(self.case, self.values)
        return [y for y, t in zip(results, kinds, strict=True) if is_floating(t)]

    def grads(self, *inputs: NDArray) -> list[NDArray]:
        """Return the gradients of a weighted sum of the results for the given inputs."""
        with autograd.train_mode() if self.case.is_train else autograd.predict_mode():
            ys, pullback = vjp(self.run, *inputs)
            draws = np.random.default_rng(SEED)
            heads = [nd.array(draws.standard_normal(y.shape), dtype="float64") for y in ys]
            return list(pullback(heads))


def _compare(computed: Sequence[NDArray], above: Any, below: Any) -> None:
    for y, high, low in zip(computed, above, below, strict=True):
        numeric = (high.asnumpy() - low.asnumpy()) / (2 * STEP_SIZE)
        largest = float(np.abs(numeric).max(initial=0.0))
        np.testing.assert_allclose(
            y.asnumpy(), numeric, rtol=_GRADIENTS.rtol, atol=_GRADIENTS.atol * max(1.0, largest)
        )


def check_jvp(case: OpCase, _: TestedTable) -> None:
    """Check the tangents of results against numerical derivatives along a direction."""
    along = _Direction(case)
    _, grads = jvp(along.run, along.at(0), along.tangents())
    _compare(grads, along.run(*along.at(STEP_SIZE)), along.run(*along.at(-STEP_SIZE)))


def check_hessian(case: OpCase, _: TestedTable) -> None:
    """Check the tangents of gradients against numerical derivatives along a direction."""
    along = _Direction(case)
    _, computed = jvp(along.grads, along.at(0), along.tangents())
    _compare(computed, along.grads(*along.at(STEP_SIZE)), along.grads(*along.at(-STEP_SIZE)))


def _is_smooth(case: OpCase, tested: TestedTable) -> bool:
    """Return whether the case can be compared with numerical derivatives."""
    return "float64" in tested.dtypes and _draws_nothing(case) and has_numerical_gradient(case)


TRANSFORM_CHECKS = (
    Check("vmap", is_batched, check_vmap),
    Check("jvp", _is_smooth, check_jvp),
    Check("hessian", lambda c, t: c.check_second and _is_smooth(c, t), check_hessian),
)
"""Checks of transforms, for :func:`check_operator`."""
