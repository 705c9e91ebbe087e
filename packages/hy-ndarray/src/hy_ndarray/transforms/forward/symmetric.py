"""Tangent rules of gradient operators, whose Jacobian is symmetric.

``G(dy, x)`` is the gradient of ``<dy, f(x)>`` with respect to ``x``. It is linear in ``dy``. Its
Jacobian in ``x`` is a Hessian and so symmetric: the product with a tangent is what the gradient
rule of ``G`` returns for that tangent as the head gradient.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hy_ndarray.core.casting import without_casting
from hy_ndarray.ops import Saved
from hy_ndarray.transforms._calls import Inner, apply
from hy_ndarray.transforms.forward.rule import RULES, DualCall, total


class _Gradient(NamedTuple):
    heads: tuple[int, ...]
    """Positions of the inputs that are head gradients, ``dy``."""
    of: tuple[int | None, ...]
    """For each output, the position of the input that it is the gradient of."""


_GRADIENTS: Mapping[str, _Gradient] = {
    "_normalize_backward": _Gradient((0,), (1, 2, None)),
    "_normalize_statistics_backward": _Gradient((0, 1), (2,)),
    "_prelu_backward": _Gradient((0,), (1, 2)),
    "_product_of_others": _Gradient((), (0,)),
}


def _symmetric(call: DualCall) -> Sequence[Inner | None]:
    op, kind = call.op, _GRADIENTS[call.op.name]
    terms: list[list[Inner | None]] = [[] for _ in kind.of]
    if any(call.tangents[i] is not None for i in kind.heads):
        inputs = list(call.primals)
        for i in kind.heads:
            inputs[i] = call.tangent(i)
        for own, y in zip(terms, call.run(inputs), strict=True):
            own.append(y)
    if any(k is not None and call.tangents[k] is not None for k in kind.of):
        heads = [
            apply("zeros_like", y) if k is None else call.tangent(k)
            for k, y in zip(kind.of, call.outputs, strict=True)
        ]
        saved = Saved(tuple(call.primals), tuple(call.outputs), call.params, bool(call.is_train))
        assert op.grad is not None
        with without_casting():
            gradients = op.grad(saved, *heads)
        for own, source in zip(terms, kind.of, strict=True):
            if source is not None:
                own.append(gradients[source])
    return [total(own) for own in terms]


for _name in _GRADIENTS:
    RULES[_name] = _symmetric
