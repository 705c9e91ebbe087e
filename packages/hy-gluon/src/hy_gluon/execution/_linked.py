"""Backward passes of graphs run operator by operator, so that they can be differentiated again."""

from collections.abc import Mapping, Sequence

from hy_ndarray import AutogradError, NDArray, all_outputs
from hy_symbol import (
    Differentiable,
    Entry,
    ExecutableCache,
    Graph,
    Node,
    interpret,
    setup_lock,
    without_collections,
)
from hy_symbol.execution.cache import Mode
from hy_symbol.execution.setup_lock import release_stale


def draws(graph: Graph, is_train: bool) -> bool:
    """Return whether any node of a graph draws random numbers in the given mode."""
    return any(node.op is not None and node.op.draws(node.params, is_train) for node in graph.nodes)


@without_collections
def plain_programs(cache: ExecutableCache, mode: Mode) -> Differentiable:
    """Return the forward and backward graphs without lowering, cached by mode."""
    with setup_lock():
        # By mode, and under the lock: `cache.joint` differentiates the graph.
        programs = cache.plain.get(mode)
        if programs is None:
            release_stale(cache.plain)
            programs = cache.plain[mode] = cache.joint(*mode[1:]).programs(mode[0])
        return programs


def linked_backward(
    cache: ExecutableCache,
    programs: Differentiable,
    args: Sequence[NDArray],
    dys: Mapping[int, NDArray],
) -> Sequence[NDArray | None]:
    """Return gradients by running the backward graph operator by operator, recorded.

    Used with ``create_graph=True``: the gradients are then differentiable. The forward pass is run
    again. ``dys`` has the head gradients by output position.
    """
    parts = programs.parts
    is_train = parts.is_train
    random = [
        node.name
        for node in programs.forward.steps
        if node.op is not None and node.op.draws(node.params, is_train)
    ]
    # Running forward again would draw other numbers than the recorded pass did.
    if random:
        raise AutogradError(
            f"create_graph through the random operator '{random[0]}' of a hybridized block "
            "would draw new numbers; call hybridize(False) for this"
        )
    states = cache.graph.auxiliary
    values: dict[Entry, NDArray] = {}
    for node, array in zip(cache.variables, args, strict=True):
        # Auxiliary states are copied: the forward pass is repeated and must not update them twice.
        values[node, 0] = array.copy() if node in states else array
    for entry, head in zip(programs.backward.inputs, parts.heads, strict=False):
        values[entry] = dys[head]

    def compute(node: Node, inputs: list[NDArray]) -> Sequence[NDArray]:
        assert node.op is not None
        operands = node.operands(inputs)
        return all_outputs(node.op, operands, node.params, is_train=is_train)

    interpret((*programs.forward.steps, *programs.backward.steps), values, compute)
    gradients: list[NDArray | None] = [None] * len(args)
    for position, entry in enumerate(parts.gradients):
        maker, value = parts.last.get(position), values[entry]
        if maker is not None:
            (value,) = compute(maker, [values[source] for source in maker.inputs])
        gradients[parts.targets[position]] = value
    return gradients
