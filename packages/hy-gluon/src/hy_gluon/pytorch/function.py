"""A graph as a function of tensors, which PyTorch differentiates by hy's gradients."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch

from hy_gluon.pytorch.steps import Steps
from hy_gluon.pytorch.tensors import torch_device
from hy_ndarray import AutogradError
from hy_symbol import Differentiable, Entry, Graph, Joint, Node, inlined

__all__ = ["GraphFunction"]


class GraphFunction:
    """A graph in one mode, for one tensor per variable.

    Args:
        graph: The graph.
        wrt: Positions of the variables that gradients are asked for at most.
        is_train: The mode.
    """

    def __init__(self, graph: Graph, wrt: Sequence[int], *, is_train: bool) -> None:
        self.graph = inlined(graph)
        self.wrt = tuple(wrt)
        self.is_train = is_train
        inputs = [(node, 0) for node in self.graph.variables]
        self._plain = Steps(inputs, self.graph.outputs, is_train=is_train)
        self._recorded = _function(self) if wrt else None

    def __deepcopy__(self, memo: Any) -> "GraphFunction":
        return self  # nothing of it changes

    @property
    def states(self) -> tuple[Entry, ...]:
        """The variables that have new values afterwards."""
        return self._plain.states

    def __call__(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The outputs, and the new values of states."""
        if torch.compiler.is_exporting():  # an exported program predicts
            return self._plain(*[tensor.detach() for tensor in tensors])
        if self._recorded is None or not torch.is_grad_enabled():
            return self._plain(*tensors)
        found = self._recorded.apply(*tensors)
        count = len(self.graph.outputs)
        return tuple(found[:count]), tuple(found[count:])

    @cached_property
    def joint(self) -> Joint:
        """The graph with its gradients."""
        return Joint.of(self.graph, self.wrt, is_train=self.is_train)

    @cached_property
    def derivative(self) -> "GraphFunction":
        """The gradients as a function of the variables and of the head gradients.

        Raises:
            AutogradError: The graph draws random numbers, which would be others now.
        """
        for node in self.graph.nodes:
            if node.op is not None and node.op.draws(node.params, self.is_train):
                raise AutogradError(
                    f"create_graph through the random operator '{node.name}' of a block in "
                    "PyTorch would draw new numbers; call eval() on the module for this"
                )
        joint = self.joint
        gradients = joint.graph.outputs[len(self.graph.outputs) :]
        variables: tuple[Node, ...] = (*joint.variables, *joint.head_grads)
        graph = Graph(gradients, variables)
        heads = range(len(joint.variables), len(variables))
        return GraphFunction(graph, (*self.wrt, *heads), is_train=self.is_train)


def _function(graph: GraphFunction) -> Any:
    """The ``autograd.Function`` of a graph: its gradients are programs of hy's."""
    both: Differentiable = graph.joint.programs(torch_device())
    mode = graph.is_train
    forward_steps = Steps(both.forward.inputs, both.forward.outputs, is_train=mode)
    backward_steps = Steps(both.backward.inputs, both.backward.outputs, is_train=mode)
    count, total = both.num_outputs, len(both.forward.inputs)
    heads, taken, targets = both.heads, both.saved_inputs, both.targets
    entries = both.forward.inputs
    changed = {entries.index(entry) for entry in forward_steps.states}

    class Recorded(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            values, states = forward_steps(*tensors)
            kept = [x.clone() if k in changed else x for k, x in enumerate(tensors)]
            ctx.save_for_backward(*kept, *values[count:])
            ctx.mark_non_differentiable(*states)
            return (*values[:count], *states)

        @staticmethod
        def backward(ctx: Any, *dys: Any) -> Any:
            inputs, saved = ctx.saved_tensors[:total], ctx.saved_tensors[total:]
            if torch.is_grad_enabled():  # these gradients are to be differentiated in turn
                found, _ = graph.derivative((*inputs, *dys[:count]))
                pairs = zip(graph.joint.targets, found, strict=True)
            else:
                given = [dys[i] for i in heads] + [inputs[i] for i in taken] + list(saved)
                found, _ = backward_steps(*given)
                pairs = zip(targets, found, strict=True)
            gradients: list[Any] = [None] * total
            for i, gradient in pairs:
                gradients[i] = gradient
            return tuple(gradients)

    return Recorded
