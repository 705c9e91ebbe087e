"""Derived operators, whose type rule, gradient and kernel follow from a composition."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from hy_ndarray._errors import AutogradError
from hy_ndarray.devices._compositions import declare_compositions
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.composition import Composition, Program, Step, Trace, Tracer
from hy_ndarray.ops.record.schema import (
    Gradient,
    Operator,
    OperatorFunction,
    Rule,
    Saved,
    find,
    operator,
    operators,
)
from hy_ndarray.ops.record.traits import NO_TRAITS
from hy_ndarray.ops.record.types import TensorType

__all__ = ["composition", "derived"]

F = TypeVar("F", bound=Callable[..., Any])


def derived(
    name: str,
    *aliases: str,
    rule: Rule | None = None,
    grad: Gradient | None = None,
    differentiable: bool = True,
    **facts: Any,
) -> Callable[[Callable[..., Any]], OperatorFunction]:
    """Declare the decorated composition as operator ``name`` of the catalogue.

    Its signature is the schema, as for :func:`~hy_ndarray.ops.record.schema.operator`; its body
    computes the result with other operators.

    Args:
        name: MXNet's canonical name.
        aliases: Its other names.
        rule: The type rule; None to derive it from the composition.
        grad: The gradient; None to derive it from the composition.
        differentiable: Whether the operator has a gradient.
        facts: Further arguments of :func:`~hy_ndarray.ops.record.schema.operator`.

    Example:
        >>> @derived("_example_cube", catalogued=False)
        ... def cube(data: Tracer) -> Tracer:
        ...     return data * data * data
        >>> cube.op.infer([TensorType((2, 3), "float32")], {})
        ((2, 3) float32,)
    """

    def register(function: Callable[..., Any]) -> OperatorFunction:
        declared = operator(name, *aliases, grad=grad, composition=function, **facts)(function)
        op = declared.op
        object.__setattr__(op, "rule", rule or Composition(op).rule)
        if grad is None and differentiable:
            object.__setattr__(op, "grad", gradient_of(op))
        declare_compositions({op.kernel: Composition(op)})
        return declared

    return register


def composition(*functions: OperatorFunction, differentiated: bool = False) -> Callable[[F], F]:
    """Declare the decorated function as the composition of existing operators.

    The operators keep their own type rules. The function takes a tracer per input, and the
    parameters by keyword.

    Args:
        functions: The operators that share this definition.
        differentiated: Whether gradients are derived from it, too, as of gradients of operators,
            which are rarely differentiated again; else the operators keep their own.
    """

    def register(function: F) -> F:
        kernels = {each.op.kernel: each.op for each in functions}
        for op in (*kernels.values(), *operators()):
            if op.kernel in kernels:
                assert op.composition is None or op.composition is function, op.name
                object.__setattr__(op, "composition", function)
                if differentiated:
                    object.__setattr__(op, "grad", gradient_of(op))
        declare_compositions({name: Composition(op) for name, op in kernels.items()})
        return function

    return register


def gradient_of(op: Operator) -> Gradient:
    """Return the gradient of an operator, derived from its composition.

    It applies an operator whose composition recomputes the steps and differentiates them in
    reverse; so the gradient has a kernel, can be a graph node, and is differentiable.
    """
    by_presence: dict[tuple[bool, ...], Operator] = {}

    def gradient(saved: Saved, *dys: Any) -> Sequence[Any]:
        present = tuple(x is not None for x in saved.inputs)
        if present not in by_presence:
            by_presence[present] = _backward_operator(op, present, len(dys))
        operands = [x for x in (*saved.inputs, *dys) if x is not None]
        back, kind = by_presence[present], type(operands[0])
        gradients = kind.apply_operator(back, operands, {**saved.params}, saved.is_train)
        results = iter(gradients if isinstance(gradients, list | tuple) else [gradients])
        return [next(results) if there else None for there in present]

    return gradient


def _backward_operator(op: Operator, present: tuple[bool, ...], heads: int) -> Operator:
    """Return the operator from present inputs and head gradients to the inputs' gradients."""
    count = sum(present)

    def rule(*types: TensorType, **params: Any) -> tuple[TensorType, ...]:
        return tuple(TensorType(t.shape, t.dtype) for t in types[:count])

    def composition(*operands: Tracer, **params: Any) -> list[Tracer]:
        rest = iter(operands[:count])
        inputs = [next(rest) if there else None for there in present]
        return _gradients(op, operands[0].trace, inputs, operands[count:], params)

    inputs = [f"x{i}" for i in range(count)] + [f"dy{i}" for i in range(heads)]
    shape = "".join("x" if there else "_" for there in present)
    back = replace(
        op,
        name=f"_backward_{op.name}",
        kernel=f"backward of {op.kernel} {shape}",
        aliases=(),
        inputs=tuple(inputs),
        optional=frozenset(),
        variadic=False,
        active=None,
        aux=frozenset(),
        outputs=tuple(f"dx{i}" for i in range(count)),
        visible=None,
        updates=None,
        rule=rule,
        composition=composition,
        grad=None,
        same="",
        checked=True,
        ignores_head_grad=False,
        back=None,
        plain=count == 1 and not op.needs,
        stores=None,
        count=None,
        synonym_of=None,
        traits=NO_TRAITS,
    )
    object.__setattr__(back, "grad", gradient_of(back))
    declare_compositions({back.kernel: Composition(back)})
    return back


def _gradients(
    op: Operator,
    trace: Trace,
    inputs: Sequence[Tracer | None],
    dys: Sequence[Tracer],
    params: Params,
) -> list[Tracer]:
    """Return the gradients of the present inputs, by reverse mode over the composition's steps."""
    calls: list[tuple[Step, Sequence[Tracer | None], Sequence[Tracer]]] = []
    reached = {x.index for x in inputs if x is not None}
    program = _derived_program(op, trace, inputs, params)
    steps = iter(program.steps)

    def apply(inner: Operator, operands: Sequence[Any], more: Params) -> Sequence[Tracer]:
        outputs = trace.apply(inner, operands, more)
        calls.append((next(steps), operands, outputs))
        if any(x is not None and x.index in reached for x in operands):
            reached.update(y.index for y in outputs)
        return outputs

    sums: dict[int, Tracer] = {}

    def add(value: Tracer, dx: Tracer) -> None:
        before = sums.get(value.index)
        sums[value.index] = dx if before is None else before + dx

    for result, dy in zip(program.replay(inputs, apply), dys, strict=True):
        add(result, dy)
    for step, operands, outputs in reversed(calls):
        visible = outputs[: step.op.num_visible(step.params)]
        wanted = [x if x is not None and x.index in reached else None for x in operands]
        if not any(wanted) or not any(y.index in sums for y in visible):
            continue
        if step.op.grad is None:
            raise AutogradError(
                f"{op.name} is not differentiable, because {step.op.name}, of which it is "
                "composed, is not"
            )
        heads = [sums[y.index] if y.index in sums else _zeros_like(y) for y in visible]
        saved = Saved(tuple(operands), tuple(outputs), step.params, True, wanted)
        for x, dx in zip(wanted, step.op.grad(saved, *heads), strict=True):
            if x is not None and dx is not None:
                add(x, dx)
    return [sums[x.index] if x.index in sums else _zeros_like(x) for x in inputs if x is not None]


def _zeros_like(value: Tracer) -> Tracer:
    op = find("zeros_like")
    zeros: Tracer = Tracer.apply_operator(op, (value,), op.defaults)
    return zeros


def _derived_program(
    op: Operator, trace: Trace, inputs: Sequence[Tracer | None], params: Params
) -> Program:
    """Return an operator's program on values of a trace, inferring types only if necessary."""
    composition = Composition(op)
    program = composition.program([None if x is None else (None, None) for x in inputs], params)
    if program is not None:
        return program
    types = [None if x is None else trace.type(x.index) for x in inputs]
    return composition.traced(
        [None if t is None else TensorType(t.shape, t.dtype) for t in types], params
    )
