"""Inference with MXNet's conventions: methods of symbols for shapes and dtypes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from hy_ndarray import ArgumentError, HyError, dtype_name, numpy_type
from hy_ndarray.warning import warn
from hy_symbol._errors import GraphError
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.infer.engine import Types, infer_types
from hy_symbol.infer.outputs import Outputs
from hy_symbol.infer.shapes import (
    MXShape,
    declared_dtype,
    from_partial,
    is_complete,
    known_shape,
    to_partial,
)

__all__ = ["Inference", "complete_shape", "inferred"]

_V = TypeVar("_V")
_Shapes: TypeAlias = list[MXShape]
_DTypes: TypeAlias = list[type[np.generic] | None]
_Entries: TypeAlias = tuple[list[Entry], list[Entry], list[Entry]]


def inferred(
    graph: Graph, shapes: Mapping[str, Sequence[int]], dtypes: Mapping[str, object]
) -> Types:
    """Return types inferred from shapes and dtypes by variable name, and declared ones.

    Unknown names are ignored. Dtypes of variables that cannot be inferred are set to float32.
    """
    known_shapes = {
        node: known_shape(node, to_partial(shapes.get(node.name))) for node in graph.variables
    }
    known_dtypes = {
        node: dtype_name(dtypes[node.name]) if node.name in dtypes else declared_dtype(node)
        for node in graph.variables
    }
    types = infer_types(graph, known_shapes, known_dtypes)
    missing = [node for node in graph.variables if types.dtype((node, 0)) is None]
    if missing:
        # Only now: a default in the first run could contradict what other dtypes imply.
        known_dtypes.update(dict.fromkeys(missing, "float32"))
        types = infer_types(graph, known_shapes, known_dtypes)
    return types


def complete_shape(types: Types, node: Node) -> tuple[int, ...]:
    """Return the shape of a variable; raise an error unless every size is known.

    Raises:
        GraphError: A size is unknown. The message names all variables with unknown sizes, and the
            error of a custom operator's rule, if any.
    """
    shape = types.shape((node, 0))
    if not is_complete(shape):
        variables = types.graph.variables
        missing = [n.name for n in variables if not is_complete(types.shape((n, 0)))]
        what = f"shapes do not follow from what is given: {', '.join(missing)}"
        failure = types.failure
        raise GraphError(what if failure is None else f"{what}; {failure}") from failure
    return tuple(n for n in shape or () if n is not None)


class Inference(Outputs):
    """Methods of symbols that infer shapes and dtypes from known ones.

    Arguments take precedence over what variables declare (``var("x", shape=..., dtype=...)``).
    Results are those of MXNet, which infers a little less and accepts a little more than the
    operators' rules; :func:`infer_types` and binding use the operators' rules.
    """

    __slots__ = ()

    def infer_shape(
        self, *args: Any, **kwargs: Any
    ) -> tuple[_Shapes, _Shapes, _Shapes] | tuple[None, None, None]:
        """Return shapes of arguments, outputs and auxiliary states inferred from known ones.

        Args:
            args: Shapes of the arguments by position, None or ``()`` where unknown.
            kwargs: Shapes by variable name, with 0 for unknown sizes (in numpy semantics -1).

        Returns:
            Three lists of shapes, or three times None (with a warning) if a shape cannot be
            inferred.

        Raises:
            ShapeError: The shapes contradict each other; names the node.
            GraphError: No variable has a name that is given.
            ArgumentError: A custom operator's ``infer_shape`` failed.

        Example:
            >>> from hy_symbol import sym
            >>> net = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc1")
            >>> net.infer_shape(data=(2, 5))
            ([(2, 5), (10, 5), (10,)], [(2, 10)], [])
        """
        types = self._inferred_shapes(args, kwargs)
        rows = [[types.shape(entry) for entry in row] for row in self._listed_entries()]
        if all(is_complete(shape) for row in rows for shape in row):
            arguments, outputs, states = ([from_partial(shape) for shape in row] for row in rows)
            return arguments, outputs, states
        if types.failure is not None:
            raise types.failure
        shapes = {node.name: types.shape((node, 0)) for node in self.graph.variables}
        missing = [f"{n} {from_partial(s)}" for n, s in shapes.items() if not is_complete(s)]
        what = f"variables {', '.join(missing)}" if missing else "outputs"
        warn(f"shapes do not follow from what is given: {what}")
        return None, None, None

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[_Shapes, _Shapes, _Shapes]:
        """Return inferred shapes with 0 for unknown sizes and ``()`` for unknown shapes."""
        types = self._inferred_shapes(args, kwargs)
        arguments, outputs, states = (
            [from_partial(types.shape(entry)) for entry in row] for row in self._listed_entries()
        )
        return arguments, outputs, states

    def infer_type(
        self, *args: Any, **kwargs: Any
    ) -> tuple[_DTypes, _DTypes, _DTypes] | tuple[None, None, None]:
        """Return dtypes of arguments, outputs and auxiliary states inferred from known ones.

        Returns:
            Three lists of numpy types, or three times None if a dtype cannot be inferred.

        Raises:
            DTypeError: The dtypes contradict each other, or an operator such as ``Dropout`` needs
                the dtype of its data, which is unknown; names the node.
            GraphError: No variable has a name that is given.
            ArgumentError: A custom operator's ``infer_type`` failed.
        """
        types = self._inferred_dtypes(args, kwargs)
        arguments, outputs, states = self._dtypes_of(types)
        if all(dtype is not None for dtype in (*arguments, *outputs, *states)):
            return arguments, outputs, states
        if types.failure is not None:
            raise types.failure
        return None, None, None

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> tuple[_DTypes, _DTypes, _DTypes]:
        """Return dtypes like :meth:`infer_type`, with None for each unknown one."""
        return self._dtypes_of(self._inferred_dtypes(args, kwargs))

    def _inferred_dtypes(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Types:
        by_variable = self._by_variable(args, kwargs, dtype_name)
        return infer_types(
            self.graph, None, {**self._declared(declared_dtype), **by_variable}, as_mxnet=True
        )

    def _dtypes_of(self, types: Types) -> tuple[_DTypes, _DTypes, _DTypes]:
        dtypes = [[types.dtype(entry) for entry in row] for row in self._listed_entries()]
        arguments, outputs, states = (
            [None if dtype is None else numpy_type(dtype) for dtype in row] for row in dtypes
        )
        return arguments, outputs, states

    def _inferred_shapes(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Types:
        by_variable = self._by_variable(args, kwargs, to_partial)
        known = {node: known_shape(node, by_variable.get(node)) for node in self.graph.variables}
        return infer_types(self.graph, known, None, as_mxnet=True)

    def _listed_entries(self) -> _Entries:
        graph = self.graph
        arguments = [(node, 0) for node in graph.arguments]
        return arguments, list(graph.outputs), [(node, 0) for node in graph.states]

    def _declared(self, declared: Callable[[Any], _V | None]) -> dict[Node, _V]:
        declarations = ((node, declared(node)) for node in self.graph.variables)
        return {key: value for key, value in declarations if value is not None}

    def _by_variable(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], read: Callable[[Any], _V | None]
    ) -> dict[Node, _V]:
        """Return parsed arguments by variable; a name applies to all variables of that name."""
        # MXNet refuses this as well.
        if args and kwargs:
            raise GraphError("inference takes arguments by position or by name, not both")
        if len(args) > len(self.graph.arguments):
            count = len(self.graph.arguments)
            raise ArgumentError(f"{len(args)} arguments are given, the graph has {count}")
        names = dict.fromkeys(node.name for node in self.graph.variables)
        for name in kwargs:
            if name not in names:
                raise GraphError(f"no variable is called {name!r}: {', '.join(names)}")
        pairs = [(node, value) for node, value in zip(self.graph.arguments, args, strict=False)]
        pairs += [(n, kwargs[n.name]) for n in self.graph.variables if n.name in kwargs]
        by_variable: dict[Node, _V] = {}
        for node, value in pairs:
            try:
                known = None if value is None else read(value)
            except HyError as error:
                error.add_note(f"given for variable '{node.name}'")
                raise
            if known is not None:
                by_variable[node] = known
        return by_variable
