"""batched_kernel: selection of the batching rule for a call on batched buffers."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from hy_ndarray._errors import TransformError
from hy_ndarray.devices._compositions import Composed, composition_of
from hy_ndarray.devices._protocols import KernelFunction
from hy_ndarray.ops import Operator
from hy_ndarray.transforms._calls import Inner, outputs_of, repeated
from hy_ndarray.transforms._table import RuleTable
from hy_ndarray.transforms.batching.batched import MEMORY, Batched
from hy_ndarray.transforms.batching.drawing import drawing_below, drawn
from hy_ndarray.transforms.batching.elementwise import pointwise
from hy_ndarray.transforms.batching.looping import looped
from hy_ndarray.transforms.batching.rows import folded
from hy_ndarray.transforms.batching.rule import RULES, BatchedCall, Rule
from hy_ndarray.transforms.batching.shaping import viewed

__all__ = ["TABLE"]


def batched_kernel(op: Operator) -> KernelFunction:
    """Return the kernel that runs an operator on batched buffers."""
    needs = op.needs
    draws = "rng" in needs
    rules = _rules(op)

    def kernel(*buffers: Batched | None, **params: Any) -> Any:
        is_train = params.pop("is_train") if "is_train" in needs else None
        level = params.pop("rng") if draws else None
        # Operators on the level below find their device from their operands.
        params.pop("device", None) if "device" in needs else None
        inputs = [None if x is None else x.inner for x in buffers]
        mapped = [x is not None and x.mapped for x in buffers]
        if level is not None:
            call = BatchedCall(op, inputs, mapped, params, level.size, is_train)
            with drawing_below(level):
                if op.draws(params, bool(is_train)):
                    results, is_mapped = drawn(call, level)
                elif True not in mapped:
                    results, is_mapped = outputs_of(op, inputs, params, is_train), False
                else:
                    results, is_mapped = computed(call, rules), True
        elif True not in mapped:
            results, is_mapped = outputs_of(op, inputs, params, is_train), False
        else:
            at = inputs[mapped.index(True)]
            assert at is not None
            call = BatchedCall(op, inputs, mapped, params, at.shape[0], is_train)
            results, is_mapped = computed(call, rules), True
        result = tuple([Batched(x, is_mapped) for x in results])
        return result[0] if len(result) == 1 else result

    return kernel


def _rules(op: Operator) -> list[Rule]:
    """Return an operator's batching rules in order of preference; the last one always applies."""
    result: list[Rule] = []
    own = RULES.get(op.name)
    if own is not None:
        result.append(own)
    traits = op.traits
    if traits.pointwise:
        result.append(pointwise)
    if traits.view or traits.resized:
        result.append(viewed)
    if traits.rows is not None:
        result.append(folded)
    return [*result, looped if composition_of(op.kernel) is None else opened]


def opened(call: BatchedCall) -> Sequence[Inner]:
    """Run an operator's composition, with the batching rules of its steps, for all samples."""
    op = call.op
    buffers = [
        None if x is None else Batched(x, m) for x, m in zip(call.inputs, call.mapped, strict=True)
    ]
    needs = {"is_train": bool(call.is_train)} if "is_train" in op.needs else {}
    results = _composed(op.kernel).function(*buffers, **call.params, **needs)
    all_results = results if isinstance(results, tuple) else (results,)
    return [y.inner if y.mapped else repeated(y.inner, call.size) for y in all_results]


@cache
def _composed(kernel: str) -> Composed:
    composition = composition_of(kernel)
    assert composition is not None
    return Composed(kernel, composition, _step, (TABLE,), None)


def _step(kernel: str) -> Any:
    """Return the batching rule for a step of a composition, as a kernel."""
    return TABLE.find(kernel)


def computed(call: BatchedCall, rules: Sequence[Rule]) -> Sequence[Inner]:
    """Return the results of the first rule that applies.

    Raises:
        TransformError: The shape of a result depends on values, so it may differ by sample.
    """
    if _has_dynamic_shape(call):
        raise TransformError(
            f"vmap: the output shape of {call.op.name} depends on values, so samples could have "
            "different shapes; use an operator with a fixed output shape (where, or "
            "multiplication by a mask), or call it outside of vmap"
        )
    for each in rules:
        result = each(call)
        if result is not None:
            return result
    raise AssertionError(call.op.name)


TABLE: Final = RuleTable("vmap", Batched, MEMORY, batched_kernel)

_DYNAMIC_SHAPES: dict[str, bool] = {}


def _has_dynamic_shape(call: BatchedCall) -> bool:
    """Return whether, by the operator's type rule, a result's shape depends on values."""
    name = call.op.name
    known = _DYNAMIC_SHAPES.get(name)
    if known is None:
        known = _DYNAMIC_SHAPES[name] = any(t.shape is None or None in t.shape for t in call.types)
    return known
