"""Arrays and the graph they are for: their names turned into each other, and what does not fit."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hy_cli.weights import Weights, dense
from hy_io import Array, StoredArray, from_torch_state_dict, join_arg_aux, to_torch_state_dict

if TYPE_CHECKING:
    from hy_symbol import Symbol

__all__ = ["MisfitError", "check_fit", "from_torch", "read_graph", "to_torch"]

_ENDS = (
    *("weight", "bias", "gamma", "beta", "alpha", "mean", "var", "parameters"),
    *("quantize", "quantize_min", "quantize_max"),
)
"""How the names of variables end that are no inputs."""

Shapes = Mapping[str, Sequence[int]]


class MisfitError(ValueError):
    """Arrays do not fit a graph, or have names that nothing is known of; lists all of them."""


def _plain(name: str) -> str:
    """A name without the mark that tells what it is of."""
    return name.removeprefix("arg:").removeprefix("aux:")


def _misfit(title: str, lines: Sequence[str]) -> MisfitError:
    return MisfitError("\n  ".join([title, *lines]))


def read_graph(text: str, file: str) -> "Symbol":
    """A graph from its JSON.

    Raises:
        GraphFormatError: It is no graph; the message names the file.
    """
    # slow, and few conversions have a graph
    from hy_symbol import GraphFormatError, load_json  # noqa: PLC0415

    try:
        return load_json(text)
    except GraphFormatError as error:
        raise GraphFormatError(f"{file}: {error}") from None


def check_fit(arrays: Mapping[str, StoredArray], graph: "Symbol", inputs: Shapes) -> None:
    """Refuse arrays that are not the parameters of a graph.

    Args:
        arrays: By name, with or without marks.
        graph: The graph.
        inputs: Shapes of its inputs. If none is given, inputs are the variables whose names do not
            end as those of parameters do, and only what contradicts each other has a wrong shape.

    Raises:
        MisfitError: Arrays are missing or unknown, or have other shapes.
    """
    shapes = {_plain(name): tuple(array.shape) for name, array in arrays.items()}
    known = graph.list_inputs()
    lines = [f"{name}: is not in the graph" for name in (*shapes, *inputs) if name not in known]
    for name in known:
        is_input = name in inputs if inputs else not name.endswith(_ENDS)
        if name not in shapes and not is_input:
            lines.append(f"{name}: is missing")
    given = {name: shape for name, shape in (inputs or shapes).items() if name in known}
    arguments, _, states = graph.infer_shape_partial(**given)
    expected = dict(zip(graph.list_arguments(), arguments or (), strict=False))
    expected |= dict(zip(graph.list_auxiliary_states(), states or (), strict=False))
    for name, shape in shapes.items():
        wanted = expected.get(name) or ()
        if 0 not in wanted and wanted and tuple(wanted) != shape:
            lines.append(f"{name}: is {shape}, the graph wants {tuple(wanted)}")
    if lines:
        raise _misfit("the arrays do not fit the graph", lines)


def to_torch(weights: Weights) -> dict[str, Array]:
    """The arrays with the names of a PyTorch module.

    Raises:
        MisfitError: Some are of no layer that is known there.
    """
    arrays = dense(weights.arrays)
    unknown = []
    for name, array in arrays.items():
        try:
            to_torch_state_dict({name: array})
        except ValueError:
            unknown.append(name)
    if unknown:
        raise _misfit(
            "these arrays are of no layer that PyTorch has, too; --to mxnet keeps all names",
            unknown,
        )
    return to_torch_state_dict(arrays)


def from_torch(state: Mapping[str, StoredArray], symbol: "Symbol | None") -> dict[str, Array]:
    """The arrays of a PyTorch module with the names of a graph, or of the structure of a block.

    Raises:
        MisfitError: Some are not in the graph.
    """
    arrays = from_torch_state_dict(dense(state))
    if symbol is None:
        return arrays
    states = set(symbol.list_auxiliary_states())
    places = {_key(name): name for name in symbol.list_inputs()}
    unknown = [name for name in arrays if _key(name) not in places]
    if unknown:
        raise _misfit("these arrays are not in the graph", unknown)
    named = {places[_key(name)]: array for name, array in arrays.items()}
    return join_arg_aux(
        {name: array for name, array in named.items() if name not in states},
        {name: array for name, array in named.items() if name in states},
    )


def _key(name: str) -> str:
    """What names of one array have in common, whatever joins their parts."""
    return name.replace(".", "_").replace("moving_", "running_")
