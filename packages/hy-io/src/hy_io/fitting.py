"""Checks that arrays are the parameters of a graph, and converts their names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from hy_io._errors import HyError
from hy_io.names import join_arg_aux
from hy_io.ndarray_list import Array, StoredArray
from hy_io.torch_names import from_torch_state_dict, to_torch_state_dict

__all__ = [
    "KnownGraph",
    "MisfitError",
    "check_fit",
    "dense",
    "from_torch",
    "read_graph",
    "to_torch",
]

_GROUP = "hy_io.graphs"

_PARAMETER_ENDINGS = (
    # Inputs have no parameters' endings; without ``--input`` this tells data from missing weights.
    *("weight", "bias", "gamma", "beta", "alpha", "mean", "var", "parameters"),
    *("quantize", "quantize_min", "quantize_max"),
)
"""Suffixes of the names of parameters, which distinguish them from inputs."""

Shapes = Mapping[str, Sequence[int]]


class KnownGraph(Protocol):
    """Interface of a graph with shape inference, such as a symbol of hy-symbol.

    A package provides a reader of graphs as an entry point of the group ``hy_io.graphs``: a
    function of the JSON text and the name of its file.
    """

    def list_inputs(self) -> list[str]:
        """Return the names of all variables."""

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are not auxiliary states."""

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Infer the shapes of arguments, outputs and states from some; 0 for unknown sizes."""


class MisfitError(HyError, ValueError):
    """Arrays do not match the variables of a graph; the message lists all that differ."""


def _misfit(title: str, lines: Sequence[str]) -> MisfitError:
    return MisfitError("\n  ".join([title, *lines]))


def read_graph(text: str, file: str) -> KnownGraph | None:
    """Return a graph from its JSON; None if no package that reads graphs is installed.

    Args:
        text: The graph as JSON.
        file: Name of the file, for messages.

    Raises:
        ValueError: The text is not a graph; the message names the file.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  # 10 ms, and few files have one

    for point in entry_points(group=_GROUP):
        graph: KnownGraph = point.load()(text, file)
        return graph
    return None


def check_fit(arrays: Mapping[str, StoredArray], graph: KnownGraph, inputs: Shapes) -> None:
    """Raise if the arrays are not exactly the parameters of a graph, by name and shape.

    Args:
        arrays: Arrays by name, with or without the tags ``arg:`` and ``aux:``.
        graph: The graph.
        inputs: Shapes of the graph's inputs by name, from which the shapes of the parameters are
            inferred. If empty, variables whose names do not have the suffix of a parameter are
            taken as inputs, and the shapes are only compared with those declared in the graph and
            with each other.

    Raises:
        MisfitError: Arrays are missing or unknown, or have other shapes.
        ShapeError: Shape inference finds a contradiction.
    """
    shapes = {
        name.removeprefix("arg:").removeprefix("aux:"): tuple(array.shape)
        for name, array in arrays.items()
    }
    known = graph.list_inputs()
    lines = [f"{name}: is not in the graph" for name in (*shapes, *inputs) if name not in known]
    for name in known:
        # With inputs named, every other variable must have an array; else names decide.
        is_input = name in inputs if inputs else not name.endswith(_PARAMETER_ENDINGS)
        if name not in shapes and not is_input:
            lines.append(f"{name}: is missing")
    lines += _misshapen(shapes, _expected(graph, inputs))
    # Without input shapes nothing follows forwards; the shapes of the parameters themselves may
    # still contradict each other.
    if not lines and not inputs:
        lines = _misshapen(shapes, _expected(graph, shapes))
    if lines:
        raise _misfit("the arrays do not fit the graph", lines)


def _expected(graph: KnownGraph, stored: Shapes) -> Shapes:
    """Infer the shapes of all variables from some: 0 for unknown sizes, () for unknown shapes."""
    known = graph.list_inputs()
    arguments, _, states = graph.infer_shape_partial(
        **{name: shape for name, shape in stored.items() if name in known}
    )
    names = graph.list_arguments() + graph.list_auxiliary_states()
    return {name: shape or () for name, shape in zip(names, arguments + states, strict=True)}


def _misshapen(shapes: Shapes, expected: Shapes) -> list[str]:
    """Return a message for each shape that differs from the expected one."""
    lines = []
    for name, shape in shapes.items():
        wanted = expected.get(name) or shape
        pairs = zip(wanted, shape, strict=False)
        # 0 is an open size of the graph.
        if len(wanted) != len(shape) or any(n not in (0, size) for n, size in pairs):
            sizes = ", ".join(str(n or "?") for n in wanted) + "," * (len(wanted) == 1)
            lines.append(f"{name}: is {shape}, the graph wants ({sizes})")
    return lines


def to_torch(weights: Mapping[str, StoredArray]) -> dict[str, Array]:
    """Return the arrays under the names that PyTorch gives the same layers.

    Raises:
        MisfitError: Some arrays do not belong to a layer that PyTorch has.
    """
    arrays = dense(weights)
    if unknown := _of_no_layer(arrays, to_torch_state_dict):
        raise _misfit(
            "these arrays are of no layer that PyTorch has, too; --to mxnet keeps all names",
            unknown,
        )
    return to_torch_state_dict(arrays)


def from_torch(state: Mapping[str, StoredArray], symbol: KnownGraph | None) -> dict[str, Array]:
    """Rename the arrays of a PyTorch module to a graph's variables, or to structural names.

    Raises:
        MisfitError: Some arrays do not belong to a known layer, or are not in the graph.
    """
    dense_arrays = dense(state)
    unknown = _of_no_layer(dense_arrays, from_torch_state_dict)
    if unknown and symbol is None:
        raise _misfit(
            "these arrays are of no layer that Gluon has, too; --from mxnet keeps all names",
            unknown,
        )
    arrays = from_torch_state_dict({n: dense_arrays[n] for n in dense_arrays if n not in unknown})
    if symbol is None:
        return arrays
    states = set(symbol.list_auxiliary_states())
    # Gluon joins names by "_", PyTorch by ".", and one says moving where the other says running.
    names_by_key = {_normalized_name(name): name for name in symbol.list_inputs()}
    unknown += [name for name in arrays if _normalized_name(name) not in names_by_key]
    if unknown:
        raise _misfit("these arrays are not in the graph", unknown)
    named = {names_by_key[_normalized_name(name)]: array for name, array in arrays.items()}
    return join_arg_aux(
        {name: array for name, array in named.items() if name not in states},
        {name: array for name, array in named.items() if name in states},
    )


def _of_no_layer(
    arrays: Mapping[str, Array], renamed: Callable[[Mapping[str, Array]], object]
) -> list[str]:
    """Return the names of the arrays that the conversion function ``renamed`` refuses."""
    unknown = []
    for name, array in arrays.items():
        try:
            renamed({name: array})
        except ValueError:
            unknown.append(name)
    return unknown


def _normalized_name(name: str) -> str:
    """Return a name with ``_`` for ``.`` and ``running_`` for ``moving_``, to compare schemes."""
    return name.replace(".", "_").replace("moving_", "running_")


def dense(arrays: Mapping[str, StoredArray]) -> dict[str, Array]:
    """Return the arrays unchanged if all are dense.

    Raises:
        ValueError: Some arrays are sparse.
    """
    sparse = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if sparse:
        raise ValueError(f"only .params files hold sparse arrays: {', '.join(sparse)}")
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}
