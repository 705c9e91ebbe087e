"""GraphFunction: a graph as a function of tensors, with derivatives by hy."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import torch

from hy_gluon.pytorch.recorded import Recorded, pushing, recomputing, saving
from hy_gluon.pytorch.steps import Steps
from hy_ndarray import AutogradError
from hy_symbol import Entry, Graph, Joint, Node, inlined

__all__ = ["GraphFunction"]


class GraphFunction:
    """Graph in training or prediction mode as a function of one tensor per variable.

    PyTorch can differentiate it in reverse and forward mode to any order, and map it over batches:
    it is an ``autograd.Function`` whose derivatives are graphs, again as objects of this class.

    Args:
        graph: The graph.
        wrt: Positions of the variables with respect to which gradients may be requested.
        is_train: Whether the graph runs in training mode.
        record: Returns the PyTorch autograd functions of this object.
        gradient_of: The function whose gradients this one computes, if it is a derivative.
    """

    def __init__(
        self,
        graph: Graph,
        wrt: Sequence[int],
        *,
        is_train: bool,
        record: "Callable[[GraphFunction], Recorded]" = saving,
        gradient_of: "GraphFunction | None" = None,
    ) -> None:
        self.graph = inlined(graph)
        self.wrt = tuple(wrt)
        self.is_train = is_train
        self._gradient_of = gradient_of
        inputs = [(node, 0) for node in self.graph.variables]
        self.plain = Steps(inputs, self.graph.outputs, is_train=is_train)
        """The graph's kernel calls, without an autograd function of hy's."""
        self._recorded = record(self) if wrt else None

    def __deepcopy__(self, memo: Any) -> "GraphFunction":
        # Deep copies of modules share functions: they hold programs, and no state.
        return self

    @property
    def states(self) -> tuple[Entry, ...]:
        """Return the variables that the graph updates, such as running means."""
        return self.plain.states

    def __call__(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the outputs, and the updated states."""
        # torch.export records plain operators only; an autograd.Function would not load again.
        if torch.compiler.is_exporting():
            return self.plain(*[tensor.detach() for tensor in tensors])
        # Without gradients the autograd.Function would only cost time.
        if self._recorded is None or not torch.is_grad_enabled():
            return self.plain(*tensors)
        outputs = self._recorded(*tensors)
        count = len(self.graph.outputs)
        return tuple(outputs[:count]), tuple(outputs[count : count + len(self.states)])

    @cached_property
    def joint(self) -> Joint:
        """Return the graph of outputs and gradients together."""
        return Joint.of(self.graph, self.wrt, is_train=self.is_train)

    @cached_property
    def derivative(self) -> "GraphFunction":
        """Return the gradients as a function of variables and head gradients.

        Gradients are those with respect to ``joint.targets``.

        Raises:
            AutogradError: The graph draws random numbers, which would be drawn again, or it is not
                differentiable.
        """
        graph = self._gradient_graph()
        # Head gradients are variables of the derivative, too, so that it can be differentiated by
        # them.
        heads = range(len(self.graph.variables), len(graph.variables))
        wrt = (*self.wrt, *heads)
        return GraphFunction(
            graph, wrt, is_train=self.is_train, record=recomputing, gradient_of=self
        )

    def tangents(
        self, tensors: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> list[Any]:
        """Return the tangents of the outputs for tangents of the variables (forward mode).

        Args:
            tensors: The values of the variables.
            outputs: Tensors with the shapes and dtypes of the outputs.
            tangents: Tangents of the variables; None for zero.

        Raises:
            AutogradError: See :attr:`derivative`.
        """
        # Forward mode by two reverse passes (Townsend 2017): the gradient is linear in the heads,
        # so its own gradient with respect to these maps tangents.
        if self._gradient_of is not None:
            changes = self._changes_of_gradients(self._gradient_of, tensors, tangents)
        else:
            function, targets = self._transposed
            speeds = [_or_zeros(tangents[i], tensors[i]) for i in self.joint.targets]
            tangents_out, _ = function((*tensors, *outputs, *speeds))
            changes = dict(zip(targets, tangents_out, strict=True))
        return [_or_zeros(changes.get(k), y) for k, y in enumerate(outputs)]

    def _changes_of_gradients(
        self, primal: "GraphFunction", tensors: Sequence[Any], tangents: Sequence[Any]
    ) -> dict[int, Any]:
        """Return the tangents of this derivative's outputs, by position.

        Because second derivatives are symmetric, tangents of variables map to tangents of gradients
        by a Hessian-vector product: the gradient of the gradients with the tangents as heads.
        Gradients are linear in the heads.
        """
        first, targets = len(primal.graph.variables), primal.joint.targets
        of_variables, of_heads = tangents[:first], tangents[first:]
        changes: dict[int, Any] = {}
        if any(tangent is not None for tangent in of_variables):
            speeds = [_or_zeros(of_variables[i], tensors[i]) for i in targets]
            outputs, _ = self.derivative((*tensors, *speeds))
            second = dict(zip(self.joint.targets, outputs, strict=True))
            changes = {k: second[i] for k, i in enumerate(targets) if i in second}
        if any(tangent is not None for tangent in of_heads):
            pairs = zip(of_heads, tensors[first:], strict=True)
            outputs, _ = self((*tensors[:first], *[_or_zeros(t, head) for t, head in pairs]))
            for k, change in enumerate(outputs):
                changes[k] = changes[k] + change if k in changes else change
        return changes

    @cached_property
    def _transposed(self) -> "tuple[GraphFunction, tuple[int, ...]]":
        """Return a function that computes tangents of outputs, and the outputs' positions.

        Gradients are linear in the head gradients. Their gradient with respect to the head
        gradients therefore maps tangents of variables to tangents of outputs, and does not depend
        on the heads' values. Its variables are those of :attr:`derivative`, then one tangent for
        each of ``joint.targets``.
        """
        graph = self._gradient_graph()
        first = len(self.graph.variables)
        # The heads' values do not matter, as the gradient is linear in them; outputs serve as such.
        joint = Joint.of(graph, range(first, len(graph.variables)), is_train=self.is_train)
        variables = (*joint.variables, *joint.head_grads)
        backward = Graph(joint.graph.outputs[len(graph.outputs) :], variables)
        wrt = (*self.wrt, *range(len(graph.variables), len(variables)))
        targets = tuple(target - first for target in joint.targets)
        record = partial(pushing, primal=self, targets=targets)
        return GraphFunction(backward, wrt, is_train=self.is_train, record=record), targets

    def _gradient_graph(self) -> Graph:
        for node in self.graph.nodes:
            # A random operator would draw again in the derivative, for another function than the
            # one that ran.
            if node.op is not None and node.op.draws(node.params, self.is_train):
                raise AutogradError(
                    f"create_graph through the random operator '{node.name}' of a block in "
                    "PyTorch would draw new numbers, as would jvp and hessian of torch.func; call "
                    "eval() on the module for this"
                )
        joint = self.joint
        variables: tuple[Node, ...] = (*joint.variables, *joint.head_grads)
        return Graph(joint.graph.outputs[len(self.graph.outputs) :], variables)


def _or_zeros(tangent: Any, like: Any) -> Any:
    return torch.zeros_like(like) if tangent is None else tangent
