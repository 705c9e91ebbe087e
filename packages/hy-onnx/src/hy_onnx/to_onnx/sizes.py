"""Types of a graph's entries, with open sizes, which are known only at run time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hy_onnx.model import Dim
from hy_symbol import Entry, Graph, Node, Types, infer_types
from hy_symbol.exchange import ExportError

__all__ = ["Sizes", "sizes_of"]

_OTHERS = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
"""Added to twice the first test value of open sizes to get the second."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Types of all entries of a graph, with names of open sizes.

    Types are inferred twice, with two test values for each open size. A size that differs between
    both is open; if its two values are those of an input's open size, it has the same name, and
    otherwise it is a derived size without a name.
    """

    types: Types
    other: Types | None = None
    names: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """Names of open sizes, by their pair of test values."""
    size_sources: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Input and axis that have an open size at run time, by its name."""

    def dims(self, entry: Entry) -> tuple[Dim, ...]:
        """Return the sizes of an entry; open sizes are names or None.

        Raises:
            ExportError: The type cannot be inferred from the inputs.
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

    def extended(self, graph: Graph) -> "Sizes":
        """Return the sizes of a rewritten graph."""
        other = None if self.other is None else self.other.extended(graph)
        return Sizes(self.types.extended(graph), other, self.names, self.size_sources)

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
    """Infer the types of all entries of a graph.

    Args:
        graph: The graph.
        shapes: Shapes of the variables.
        dtypes: Dtypes of the variables, None to infer them.
        open_sizes: For each input its sizes: integers, or names of open sizes.

    Raises:
        ShapeError, DTypeError: Types contradict each other; names the node.
        ExportError: A size cannot be open, as the graph depends on its value.
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
