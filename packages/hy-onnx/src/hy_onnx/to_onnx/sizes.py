"""Types of a graph's entries with open sizes, known only when the model runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hy_onnx.model import Dim
from hy_symbol import Entry, Graph, Node, Types, infer_types
from hy_symbol.exchange import ExportError

__all__ = ["Sizes", "sizes_of"]

_OTHERS = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
"""Sizes that open ones have in the second inference, beyond those of the first."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Type of every entry; open sizes have a name, or None if they are derived.

    A graph is inferred with given sizes, and again with others in the place of the open ones: a
    size that is not the same in both is open, and one that has the two values of an open size of
    an input is that size.
    """

    types: Types
    other: Types | None = None
    names: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """Of open sizes, by their value in both inferences."""
    size_sources: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Input and axis where an open size is found when the model runs, by its name."""

    def dims(self, entry: Entry) -> tuple[Dim, ...]:
        """Return the sizes of an entry.

        Raises:
            ExportError: They do not follow from the inputs.
        """
        node, index = entry
        shape, dtype = self.types.get(entry)
        if shape is None or dtype is None:
            raise ExportError(
                f"'{node.name}': the type of output {index} does not follow from in_shapes and "
                f"in_types: {(shape, dtype)}; give the shapes of all inputs"
            )
        if self.other is None:
            return shape
        changed = self.other.shape(entry)
        if changed is None or len(changed) != len(shape):
            raise ExportError(f"'{node.name}': its number of axes is not the same for all sizes")
        pairs = zip(shape, changed, strict=True)
        return tuple(a if a == b else self.names.get((a or 0, b or 0)) for a, b in pairs)

    def dtype(self, entry: Entry) -> str:
        """Return the dtype of an entry."""
        dtype = self.types.dtype(entry)
        assert dtype is not None, "dims() is asked first"
        return dtype

    def inside(self, node: Node, k: int, graph: Graph) -> "Sizes":
        """Return the sizes in body ``k`` of a loop or branch."""
        other = None if self.other is None else self.other.body(node, k, graph).solve()
        return Sizes(self.types.body(node, k, graph).solve(), other, self.names, self.size_sources)


def sizes_of(
    graph: Graph,
    shapes: Mapping[Node, tuple[int, ...]],
    dtypes: Mapping[Node, str | None],
    open_sizes: Mapping[Node, Sequence[Dim]],
) -> Sizes:
    """Return the sizes of all entries of a graph, by inference.

    Args:
        graph: The graph.
        shapes: Shapes of the variables.
        dtypes: Their dtypes, None where they follow.
        open_sizes: By input: an integer for each size that is fixed, and else a name.

    Raises:
        ShapeError, DTypeError: Types contradict each other; names the node.
        ExportError: A size cannot be open, for the graph holds it.
    """
    if not any(isinstance(n, str) for dims in open_sizes.values() for n in dims):
        return Sizes(infer_types(graph, shapes, dtypes))
    changed = dict(shapes)
    names: dict[tuple[int, int], str] = {}
    size_sources: dict[str, tuple[str, int]] = {}
    values: dict[str, int] = {}
    fresh = iter(_OTHERS)
    for node, dims in open_sizes.items():
        shape = list(shapes[node])
        for axis, name in enumerate(dims):
            if not isinstance(name, str):
                continue
            if name not in values:
                values[name] = next(fresh) + 2 * shape[axis]  # so that windows are more, too
                size_sources[name] = node.name, axis
                names[shape[axis], values[name]] = name
            shape[axis] = values[name]
        changed[node] = tuple(shape)
    try:
        types, other = (infer_types(graph, inputs, dtypes) for inputs in (shapes, changed))
    except ValueError as error:
        shown = ", ".join(f"{node.name}{tuple(dims)}" for node, dims in open_sizes.items())
        raise ExportError(f"the graph does not leave these sizes open: {shown}: {error}") from error
    return Sizes(types, other, names, size_sources)
