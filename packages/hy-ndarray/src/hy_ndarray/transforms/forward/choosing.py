"""dual_kernel: selection of the rule for the tangents of a call."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import AutogradError
from hy_ndarray.devices._protocols import KernelFunction
from hy_ndarray.ops import Operator
from hy_ndarray.transforms._calls import Inner, outputs_of
from hy_ndarray.transforms._recording import is_differentiable
from hy_ndarray.transforms.forward.dual import Dual
from hy_ndarray.transforms.forward.pointwise import pointwise
from hy_ndarray.transforms.forward.rule import RULES, DualCall, Rule
from hy_ndarray.transforms.forward.transposed import transposed

__all__ = ["dual_kernel"]


def dual_kernel(op: Operator) -> KernelFunction:
    """Return the kernel that runs an operator on dual buffers."""
    needs = op.needs
    own = RULES.get(op.name)
    rules: list[Rule] = [] if own is None else [own]
    rules += [pointwise, transposed]

    def kernel(*buffers: Dual | None, **params: Any) -> Any:
        is_train = params.pop("is_train") if "is_train" in needs else None
        for name in ("rng", "device"):
            if name in needs:
                params.pop(name, None)
        primals = [None if x is None else x.primal for x in buffers]
        tangents = [None if x is None else x.tangent for x in buffers]
        results = outputs_of(op, primals, params, is_train)
        result: Sequence[Inner | None] = ()
        if any(t is not None for t in tangents):
            count = len(op.output_names(params))
            call = DualCall(op, primals, tangents, results[:count], params, is_train)
            result = _tangents(call, rules)
        known = [*result[: len(results)], *[None] * (len(results) - len(result))]
        duals = tuple([Dual(y, t) for y, t in zip(results, known, strict=True)])
        return duals[0] if len(duals) == 1 else duals

    return kernel


def _tangents(call: DualCall, rules: Sequence[Rule]) -> Sequence[Inner | None]:
    """Return the tangents of the outputs by the first rule that applies.

    Raises:
        AutogradError: The operator is not differentiable.
    """
    if not any(map(is_differentiable, call.outputs)):
        return ()
    if call.op.grad is None and call.op.name not in RULES:
        raise AutogradError(f"{call.op.name} is not differentiable")
    for each in rules:
        result = each(call)
        if result is not None:
            return result
    raise AssertionError(call.op.name)
