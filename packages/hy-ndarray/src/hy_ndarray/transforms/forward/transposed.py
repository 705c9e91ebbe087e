"""Tangent rule of any differentiable operator: the transpose of its gradient rule."""

from collections.abc import Sequence

from hy_ndarray.core import _state, _tape
from hy_ndarray.core._array import Leaf
from hy_ndarray.core._scopes import record
from hy_ndarray.core.casting import without_casting
from hy_ndarray.ops import Saved
from hy_ndarray.transforms._calls import Inner, apply
from hy_ndarray.transforms._recording import is_differentiable
from hy_ndarray.transforms.forward.rule import DualCall

__all__ = ["transposed"]


def transposed(call: DualCall) -> Sequence[Inner | None]:
    """Return tangents by differentiating ``sum(gradient(head) · tangent)`` by the head.

    Gradient rules are composed of operators, so this works if those are differentiable.
    """
    op = call.op
    visible = op.num_visible(call.params)
    # Forward mode by two reverse modes: Townsend, "A new trick for calculating Jacobian vector
    # products", 2017. A gradient rule is linear in the head gradients, so that their values do not
    # matter: zeros.
    heads: list[Inner] = []
    for y in call.outputs[:visible]:
        head = apply("zeros_like", y.detach())
        if is_differentiable(y):
            head._entry = Leaf(head, "write")
        heads.append(head)
    wanted = [None if t is None else True for t in call.tangents]
    count = len(op.output_names(call.params))
    saved = Saved(
        tuple(call.primals), tuple(call.outputs[:count]), call.params, bool(call.is_train), wanted
    )
    nested = _state.scope.recording
    assert op.grad is not None
    with record(_state.scope.training), without_casting():
        gradients = op.grad(saved, *heads)
    pairs = [
        (dx, t)
        for dx, t in zip(gradients, call.tangents, strict=False)
        if dx is not None and t is not None and dx._live_entry() is not None
    ]
    entries = [head._entry for head in heads if head._entry is not None]
    sums = _tape.run(
        [dx for dx, _ in pairs],
        [t for _, t in pairs],
        nested,
        True,
        _state.scope.training,
        towards=entries,
    )
    result = [None if head._entry is None else sums.get(head._entry) for head in heads]
    return [*result, *[None] * (len(call.outputs) - visible)]
