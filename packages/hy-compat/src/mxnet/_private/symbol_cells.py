"""Private functions of ``mxnet.rnn.rnn_cell`` for stacks of cells."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray import NDArray
from hy_symbol import Symbol
from mxnet._private.errors import CheckError
from mxnet.rnn.base import normalize_sequence

_Cells = Sequence[Any]


def _cells_state_shape(cells: _Cells) -> list[tuple[int, ...]]:
    """Return the shapes of the states of all cells."""
    return [shape for cell in cells for shape in cell.state_shape]


def _cells_state_info(cells: _Cells) -> list[dict[str, Any]]:
    """Return shapes and layouts of the states of all cells."""
    return [info for cell in cells for info in cell.state_info]


def _cells_begin_state(cells: _Cells, **kwargs: Any) -> list[Symbol]:
    """Return the initial states of all cells."""
    return [state for cell in cells for state in cell.begin_state(**kwargs)]


def _cells_unpack_weights(cells: _Cells, args: dict[str, NDArray]) -> dict[str, NDArray]:
    """Return the parameters with each cell's weights split by gate."""
    for cell in cells:
        args = cell.unpack_weights(args)
    return args


def _cells_pack_weights(cells: _Cells, args: dict[str, NDArray]) -> dict[str, NDArray]:
    """Return the parameters with each cell's weights concatenated over gates."""
    for cell in cells:
        args = cell.pack_weights(args)
    return args


def _normalize_sequence(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int]:
    """Return a sequence as one symbol, as a list, or unchanged; and its time axis.

    Raises:
        CheckError: The sequence is a group, or a list of another length.
    """
    try:
        return normalize_sequence(length, inputs, layout, merge, in_layout)
    except ValueError as error:
        raise CheckError(str(error)) from error
