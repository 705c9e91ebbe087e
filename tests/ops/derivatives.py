"""First and second gradients of operators on the inputs of case rows."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from hy_ndarray import AutogradError, NDArray, autograd, nd, ops, random
from hy_ndarray.testing import OpCase, drawn as values_of

__all__ = ["Kind", "gradient_kind", "second_gradient_errors"]

Kind: TypeAlias = Literal["no", "zero", "once", "twice"]
"""No gradient; none but zero; one that cannot be, or can be, differentiated again."""

_EPS = 1e-5
_SEED = 7


class _First(NamedTuple):
    """A row's first gradients, with the arrays they are functions of."""

    inputs: list[Any]
    """Differentiated inputs."""
    head_grads: list[Any]
    gradients: list[Any]
    """One for each differentiated input."""


class _Row:
    """A row with its inputs, and random directions that turn its gradients into numbers."""

    def __init__(self, case: OpCase) -> None:
        self.case = case
        self.op = ops.find(case.op)
        self.params = self.op.parse(case.params)
        self.rng = np.random.default_rng(list(str(case).encode()))
        self.values = values_of(case, self.rng)
        self.where = self._differentiated()

    def _differentiated(self) -> tuple[int, ...]:
        """The inputs asked for, else the drawn ones; given ones only where none is drawn."""
        wanted = self.case.grad_inputs
        if wanted is None:
            drawn = [i for i in range(len(self.values)) if i not in self.case.inputs]
            wanted = tuple(filter(self._is_floating, drawn)) or tuple(range(len(self.values)))
        return tuple(filter(self._is_floating, wanted))

    def _is_floating(self, i: int) -> bool:
        v = self.values[i]
        return v is not None and v.dtype.kind == "f" and v.size > 0

    def is_smooth(self, heads: Sequence[Any]) -> bool:
        """Whether numbers can be compared: inputs away from special values, float64 results."""
        given = self.case.grad_inputs is None and set(self.where) <= set(self.case.inputs)
        precise = all(np.dtype(y.dtype) == np.float64 for y in heads)
        return bool(heads) and precise and not given

    def forward(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The inputs as arrays, and the outputs that a gradient can come from."""
        random.seed(_SEED)
        xs: list[Any] = [None if v is None else nd.array(v, dtype=v.dtype) for v in values]
        for i in self.where:
            xs[i].attach_grad()
        is_train = self.case.is_train
        with autograd.record(is_train):
            ys = NDArray.apply_operator(self.op, xs, self.params, is_train)
        ys = ys if isinstance(ys, list) else [ys]
        return xs, [y for y in ys if y.in_graph and np.dtype(y.dtype).kind == "f"]

    def first(self, values: Sequence[Any], dys: Sequence[Any], *, linked: bool) -> _First:
        """The gradients for head gradients ``dys``; ``linked`` ones can be differentiated."""
        xs, heads = self.forward(values)
        variables = [xs[i] for i in self.where]
        head_grads = [nd.array(dy, dtype=y.dtype) for y, dy in zip(heads, dys, strict=True)]
        for dy in head_grads:
            dy.attach_grad()
        with autograd.record(self.case.is_train):
            gradients = autograd.grad(
                heads,
                variables,
                head_grads,
                retain_graph=linked,
                create_graph=linked,
                train_mode=self.case.is_train,
            )
        return _First(variables, head_grads, gradients)

    def slope(
        self, points: list[Any], i: int, direction: Any, dys: list[Any], weights: list[Any]
    ) -> float:
        """How the weighted sum of the first gradients changes along a direction of one point.

        ``points`` is either the inputs or ``dys`` itself.
        """

        def at(t: float) -> float:
            moved = [p + t * direction if j == i else p for j, p in enumerate(points)]
            values, heads = (self.values, moved) if points is dys else (moved, dys)
            found = self.first(values, heads, linked=False).gradients
            return sum(float((g.asnumpy() * w).sum()) for g, w in zip(found, weights, strict=True))

        return (at(_EPS) - at(-_EPS)) / (2 * _EPS)


def second_gradient_errors(case: OpCase) -> list[str]:
    """What is wrong with the second gradients of a row, against numerical derivatives in float64.

    The first gradients are functions of the inputs and of the head gradients; a random weighted
    sum of them is differentiated with respect to each of these.

    Raises:
        AutogradError: There is no second gradient.
    """
    row = _Row(case)
    _, heads = row.forward(row.values)
    if not case.check_second or not row.is_smooth(heads):
        return []
    dys = [row.rng.standard_normal(y.shape) for y in heads]
    first = row.first(row.values, dys, linked=True)
    weights = [row.rng.standard_normal(g.shape) for g in first.gradients]
    with autograd.record(case.is_train):
        weighted = [
            (g * nd.array(w, dtype="float64")).sum()
            for g, w in zip(first.gradients, weights, strict=True)
        ]
        total = nd.add_n(*weighted)
    autograd.backward(total, train_mode=case.is_train)
    errors = []
    places = [("input", row.values, i, x) for i, x in zip(row.where, first.inputs, strict=True)]
    places += [("head gradient", dys, i, dy) for i, dy in enumerate(first.head_grads)]
    for what, points, i, array in places:
        direction = row.rng.standard_normal(array.shape)
        numeric = row.slope(points, i, direction, dys, weights)
        analytic = float((array.grad.asnumpy() * direction).sum())
        if not np.isclose(analytic, numeric, rtol=1e-4, atol=1e-5):
            errors.append(f"{what} {i}: {analytic:.8g}, numerically {numeric:.8g}")
    return errors


def _only_zeros(row: _Row, heads: Sequence[Any]) -> bool:
    dys = [row.rng.standard_normal(y.shape) for y in heads]
    first = row.first(row.values, dys, linked=False)
    return all(not g.asnumpy().any() for g in first.gradients)


def gradient_kind(case: OpCase) -> Kind | None:
    """How often the operator of a row can be differentiated there; None where it cannot be told."""
    row = _Row(case)
    if row.op.grad is None:
        return "no"
    _, heads = row.forward(row.values) if case.check_second else ([], [])
    if heads and _only_zeros(row, heads):
        return "zero"
    if not row.is_smooth(heads):
        return None
    try:
        return "once" if second_gradient_errors(case) else "twice"
    except AutogradError:
        return "once"
