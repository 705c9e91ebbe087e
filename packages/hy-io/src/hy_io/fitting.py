"""Matches arrays with a graph: converts their names, and reports those that do not fit."""

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
"""How the names of variables end that are no inputs."""

Shapes = Mapping[str, Sequence[int]]


class KnownGraph(Protocol):
    """Graph that can infer the shapes of its variables, such as a symbol of hy-symbol.

    A package that reads graphs offers, by an entry point of the group ``hy_io.graphs``, a function
    that takes the JSON and the name of its file.
    """

    def list_inputs(self) -> list[str]:
        """Return the names of all variables."""

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are not auxiliary states."""

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Return shapes of arguments, outputs and states inferred from some; 0 if unknown."""


class MisfitError(HyError, ValueError):
    """Arrays do not fit a graph, or have names that it lacks; the message lists all of them."""


def _misfit(title: str, lines: Sequence[str]) -> MisfitError:
    return MisfitError("\n  ".join([title, *lines]))


def read_graph(text: str, file: str) -> KnownGraph | None:
    """Return a graph from its JSON; None if no installed package knows graphs, as hy-symbol does.

    Args:
        text: The graph.
        file: What errors call it.

    Raises:
        ValueError: It is no graph; the message names the file.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  # 10 ms, and few files have one

    for point in entry_points(group=_GROUP):
        graph: KnownGraph = point.load()(text, file)
        return graph
    return None


def check_fit(arrays: Mapping[str, StoredArray], graph: KnownGraph, inputs: Shapes) -> None:
    """Refuse arrays that are not the parameters of a graph.

    Args:
        arrays: By name, with or without marks.
        graph: The graph.
        inputs: Shapes of its inputs. If none is given, inputs are the variables whose names do not
            end as those of parameters do, and a shape is wrong if it is not what the graph
            declares, or contradicts another one.

    Raises:
        MisfitError: Arrays are missing or unknown, or have other shapes.
        ShapeError: Shapes contradict each other inside the graph.
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
    """Return shapes of variables inferred from some: 0 for unknown sizes, () for unknown shapes."""
    known = graph.list_inputs()
    arguments, _, states = graph.infer_shape_partial(
        **{name: shape for name, shape in stored.items() if name in known}
    )
    names = graph.list_arguments() + graph.list_auxiliary_states()
    return {name: shape or () for name, shape in zip(names, arguments + states, strict=True)}


def _misshapen(shapes: Shapes, expected: Shapes) -> list[str]:
    """Return a line for each shape that differs from the expected one."""
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
    """Return the arrays under the names of a PyTorch module.

    Raises:
        MisfitError: Names of some arrays are those of no layer that PyTorch has.
    """
    arrays = dense(weights)
    if unknown := _of_no_layer(arrays, to_torch_state_dict):
        raise _misfit(
            "these arrays are of no layer that PyTorch has, too; --to mxnet keeps all names",
            unknown,
        )
    return to_torch_state_dict(arrays)


def from_torch(state: Mapping[str, StoredArray], symbol: KnownGraph | None) -> dict[str, Array]:
    """Return a PyTorch module's arrays by the names of a graph, or of the structure of a block.

    Raises:
        MisfitError: Some are of no layer that is known here, or not in the graph.
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
    """Return the names of arrays that have no counterpart in the other naming scheme."""
    unknown = []
    for name, array in arrays.items():
        try:
            renamed({name: array})
        except ValueError:
            unknown.append(name)
    return unknown


def _normalized_name(name: str) -> str:
    """Return a name in the form that both naming schemes share: one separator, one word."""
    return name.replace(".", "_").replace("moving_", "running_")


def dense(arrays: Mapping[str, StoredArray]) -> dict[str, Array]:
    """Return the arrays; refuse sparse ones.

    Raises:
        ValueError: Some are.
    """
    sparse = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if sparse:
        raise ValueError(f"only .params files hold sparse arrays: {', '.join(sparse)}")
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}
