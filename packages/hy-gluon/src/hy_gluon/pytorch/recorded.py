"""PyTorch autograd functions of graphs, with derivatives by hy."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import torch

from hy_gluon.pytorch.mapping import has_tangents
from hy_gluon.pytorch.steps import Steps
from hy_gluon.pytorch.tensors import torch_device
from hy_symbol import Differentiable, Joint

__all__ = ["Recorded", "pushing", "recomputing", "saving"]

_Like: TypeAlias = tuple[tuple[int, ...], torch.dtype, torch.device]


class _Graph(Protocol):
    """Protocol of a graph as a function of tensors, with its derivatives."""

    plain: Steps
    is_train: bool

    @property
    def joint(self) -> Joint: ...

    @property
    def derivative(self) -> "_Graph": ...

    def __call__(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]: ...

    def tangents(
        self, tensors: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> list[Any]: ...


class Recorded(NamedTuple):
    """A computation as two equivalent ``torch.autograd.Function`` classes."""

    transformed: Any
    """Class with ``setup_context``, ``jvp`` and a ``vmap`` rule, as ``torch.func`` needs it."""
    # Dynamo follows forward(ctx, ...) only, torch.func needs setup_context: hence both.
    plain: Any
    """Class with ``forward(ctx, ...)``, as Dynamo needs it; its calls have less overhead."""

    def __call__(self, *tensors: Any) -> Any:
        """Return the results, recorded by PyTorch's autograd."""
        # Plain.apply does not inspect signatures, which takes longer than small kernels.
        if has_tangents():
            return self.transformed.apply(*tensors)
        return self.plain.apply(*tensors)


def _autograd_functions(
    run: Callable[..., Any],
    save: Callable[[Any, Any, Any], Sequence[Any]],
    differentiate: Callable[..., Any],
    push: Callable[..., Any],
) -> Recorded:
    """Return a computation as PyTorch autograd functions.

    Args:
        run: The computation.
        save: Function of context, inputs and outputs that returns the tensors to save.
        differentiate: Function of context and head gradients that returns a gradient per input.
        push: Function of context and tangents of inputs that returns tangents of outputs.
    """

    class Transformed(torch.autograd.Function):
        # PyTorch derives the rule from these functions, whose operations all have one.
        generate_vmap_rule = True

        @staticmethod
        def forward(*tensors: Any) -> Any:
            return run(*tensors)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            tensors = save(ctx, inputs, output)
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)

        @staticmethod
        def backward(ctx: Any, *dys: Any) -> Any:
            return differentiate(ctx, *dys)

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            return push(ctx, *tangents)

    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            output = run(*tensors)
            ctx.save_for_backward(*save(ctx, tensors, output))
            return output

        @staticmethod
        def backward(ctx: Any, *dys: Any) -> Any:
            return differentiate(ctx, *dys)

    return Recorded(Transformed, Plain)


def _likes(tensors: Sequence[Any]) -> list[_Like]:
    return [(tuple(x.shape), x.dtype, x.device) for x in tensors]


def _zeros(like: _Like) -> Any:
    shape, dtype, device = like
    return torch.zeros(shape, dtype=dtype, device=device)


def saving(graph: _Graph) -> Recorded:
    """Return autograd functions of a graph that save the values needed for gradients."""
    both: Differentiable = graph.joint.programs(torch_device())
    steps = Steps(both.forward.inputs, both.forward.outputs, is_train=graph.is_train)
    gradients = _gradients(graph, both)
    count, total, own = both.num_outputs, len(both.forward.inputs), len(steps.states)
    changed = [both.forward.inputs.index(entry) for entry in steps.states]

    def run(*tensors: Any) -> Any:
        values, states = steps(*tensors)
        # States are overwritten after the call, but the backward pass needs the old values.
        old = [tensors[k].clone() for k in changed]
        return (*values[:count], *states, *values[count:], *old)

    def save(ctx: Any, inputs: Any, output: Any) -> Sequence[Any]:
        ctx.mark_non_differentiable(*output[count:])
        # Saved intermediates get no gradient; zeros of their size would be allocated.
        ctx.set_materialize_grads(False)
        ctx.outputs = _likes(output[:count])
        end = len(output) - len(changed)
        saved = list(inputs)
        for k, value in zip(changed, output[end:], strict=True):
            saved[k] = value
        return (*saved, *output[count + own : end])

    def differentiate(ctx: Any, *dys: Any) -> Any:
        heads = [
            _zeros(like) if dy is None else dy
            for dy, like in zip(dys[:count], ctx.outputs, strict=True)
        ]
        all_gradients: list[Any] = [None] * total
        for i, gradient in zip(both.targets, gradients(ctx.saved_tensors, heads), strict=True):
            all_gradients[i] = gradient
        return tuple(all_gradients)

    def push(ctx: Any, *tangents: Any) -> Any:
        values, outputs = ctx.saved_tensors, list(map(_zeros, ctx.outputs))
        tangents_out = graph.tangents(values[:total], outputs, tangents)
        # Saved values and old states are marked non-differentiable, so their tangents are None.
        return (*tangents_out, *[None] * (own + len(values) - total + len(changed)))

    return _autograd_functions(run, save, differentiate, push)


def _gradients(
    graph: _Graph, both: Differentiable
) -> Callable[[Sequence[Any], Sequence[Any]], Any]:
    """Return a function that computes gradients from saved values and head gradients."""
    steps = Steps(both.backward.inputs, both.backward.outputs, is_train=graph.is_train)
    count, total, targets = both.num_outputs, len(both.forward.inputs), both.targets

    def compute(saved: Sequence[Any], heads: Sequence[Any]) -> Any:
        needed = [saved[i] for i in both.saved_inputs]
        gradients, _ = steps(*[heads[i] for i in both.heads], *needed, *saved[total:])
        return gradients

    def run(*tensors: Any) -> Any:
        return compute(tensors[count:], tensors[:count])

    def save(ctx: Any, inputs: Any, output: Any) -> Sequence[Any]:  # noqa: ARG001
        ctx.saved = len(inputs) - count - total
        return (*inputs[count : count + total], *inputs[:count])

    def differentiate(ctx: Any, *dxs: Any) -> Any:
        of = dict(zip(targets, dxs, strict=True))
        heads = [of[i] for i in graph.joint.targets]
        second = _backward(graph.derivative, ctx.saved_tensors, heads)
        return (*second[total:], *second[:total], *[None] * ctx.saved)

    def push(ctx: Any, *tangents: Any) -> Any:
        values, wanted = ctx.saved_tensors, graph.joint.targets
        known = (*tangents[count : count + total], *tangents[:count])
        like = [values[i] for i in wanted]  # a gradient is like its variable
        of = dict(zip(wanted, graph.derivative.tangents(values, like, known), strict=True))
        return tuple(of[i] for i in targets)

    recorded = _autograd_functions(run, save, differentiate, push)

    def gradients(saved: Sequence[Any], heads: Sequence[Any]) -> Any:
        # Only under create_graph is this function itself recorded.
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            return recorded(*heads, *saved)  # they may be differentiated in turn
        return compute(saved, heads)

    return gradients


def _backward(graph: _Graph, tensors: Sequence[Any], heads: Sequence[Any]) -> list[Any]:
    """Return a gradient for each variable of a graph, None where there is none."""
    gradients, _ = graph.derivative((*tensors, *heads))
    all_gradients: list[Any] = [None] * len(tensors)
    for i, gradient in zip(graph.joint.targets, gradients, strict=True):
        all_gradients[i] = gradient
    return all_gradients


def recomputing(graph: _Graph) -> Recorded:
    """Return autograd functions of a derivative that save its inputs and recompute values.

    Second derivatives are created on first use, as not every gradient is differentiable.
    """

    def save(ctx: Any, inputs: Any, output: Any) -> Sequence[Any]:
        ctx.outputs = _likes(output)
        return tuple(inputs)

    def differentiate(ctx: Any, *dys: Any) -> Any:
        return tuple(_backward(graph, ctx.saved_tensors, dys))

    return _autograd_functions(_runner(graph), save, differentiate, _push(graph))


def pushing(graph: _Graph, *, primal: _Graph, targets: Sequence[int]) -> Recorded:
    """Return autograd functions of a graph that maps tangents of variables to tangents of outputs.

    The product of its result with head gradients equals the product of the tangents with the
    gradients for these heads, so its derivatives are computed from those of the gradients.

    Args:
        graph: Graph that computes tangents of some outputs. Its variables are those of ``primal``,
            one with the shape of each output, and the tangents of ``joint.targets``.
        primal: The differentiated function.
        targets: Positions of the outputs whose tangents are computed.
    """
    first, outputs = len(primal.joint.variables), len(primal.joint.head_grads)
    total = first + outputs

    def save(ctx: Any, inputs: Any, output: Any) -> Sequence[Any]:
        ctx.outputs = _likes(output)
        return tuple(inputs)

    # By symmetry of second derivatives the product needs gradients of gradients only.
    def differentiate(ctx: Any, *dys: Any) -> Any:
        inputs = ctx.saved_tensors
        heads = list(map(torch.zeros_like, inputs[first:total]))
        for k, dy in zip(targets, dys, strict=True):
            heads[k] = dy
        gradients, _ = primal.derivative((*inputs[:first], *heads))
        second = _backward(primal.derivative, (*inputs[:first], *heads), inputs[total:])
        return (*second[:first], *[None] * outputs, *gradients)

    return _autograd_functions(_runner(graph), save, differentiate, _push(graph))


def _runner(graph: _Graph) -> Callable[..., Any]:
    def run(*tensors: Any) -> Any:
        return graph.plain(*tensors)[0]

    return run


def _push(graph: _Graph) -> Callable[..., Any]:
    def push(ctx: Any, *tangents: Any) -> Any:
        outputs = list(map(_zeros, ctx.outputs))
        return tuple(graph.tangents(ctx.saved_tensors, outputs, tangents))

    return push
