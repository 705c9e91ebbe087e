"""SequentialRNNCell and HybridSequentialRNNCell: stacked cells."""

from collections.abc import Callable
from typing import Any

from hy_gluon.parameter import ParameterDict
from hy_gluon.rnn._sequences import read
from hy_gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell, StateInfo
from hy_ndarray import nd

__all__ = ["HybridSequentialRNNCell", "SequentialRNNCell"]


class _Chain(RecurrentCell):
    """Base class of stacked cells, each of which gets the outputs of the one before."""

    def add(self, cell: RecurrentCell) -> None:
        """Add a cell on top."""
        self.register_child(cell)

    @property
    def _cells(self) -> list[Any]:
        return list(self._children.values())

    def __len__(self) -> int:
        return len(self._children)

    def __getitem__(self, i: int) -> Any:
        """Return a cell by position; cell 0 gets the inputs."""
        return self._cells[i]

    def __repr__(self) -> str:
        inner = "\n".join(
            f"({key}): " + repr(cell).replace("\n", "\n  ") for key, cell in self._children.items()
        )
        return f"{type(self).__name__}(\n{inner}\n)"

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of the states of all cells."""
        return [info for cell in self._cells for info in cell.state_info(batch_size)]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the initial states of all cells."""
        self._hy_check_not_modified()
        # A cell inside of a modifier would count its states twice.
        return [
            state
            for cell in self._cells
            for state in cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        ]

    def _step(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        after: list[Any] = []
        at = 0
        for cell in self._cells:
            count = len(cell.state_info())
            inputs, new = cell(inputs, states[at : at + count])
            at += count
            after.extend(new)
        return inputs, after

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Return outputs and states over sequences, unrolling one cell after the other.

        See the arguments of :meth:`RecurrentCell.unroll`.
        """
        self.reset()
        sequences = read(length, inputs, layout)
        states = self._hy_first_states(begin_state, sequences)
        values = sequences.value
        after: list[Any] = []
        at = 0
        for i, cell in enumerate(self._cells):
            count = len(cell.state_info())
            values, new = cell.unroll(
                length,
                inputs=values,
                begin_state=states[at : at + count],
                layout=layout,
                # Only the outermost outputs have the form that was asked for.
                merge_outputs=merge_outputs if i == len(self) - 1 else None,
                valid_length=valid_length,
            )
            at += count
            after.extend(new)
        return values, after


class SequentialRNNCell(_Chain):
    """Stacked cells of any kind.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Example:
        >>> from hy_gluon.rnn import GRUCell, LSTMCell
        >>> cell = SequentialRNNCell()
        >>> with cell.name_scope():
        ...     cell.add(LSTMCell(3))
        ...     cell.add(GRUCell(2))
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((5, 4)), cell.begin_state(batch_size=5))
        >>> output.shape, len(states)
        ((5, 2), 3)
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def forward(self, inputs: Any, states: Any) -> Any:
        """Return output and states after one step of each cell."""
        self._counter += 1
        return self._step(inputs, states)


class HybridSequentialRNNCell(_Chain, HybridRecurrentCell):
    """Stacked hybrid cells; a step of all of them is one graph.

    Args:
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Raises:
        StructureError: An added cell is not a HybridBlock.

    Example:
        >>> from hy_gluon.rnn import GRUCell, LSTMCell
        >>> cell = HybridSequentialRNNCell()
        >>> with cell.name_scope():
        ...     cell.add(LSTMCell(3))
        ...     cell.add(GRUCell(2))
        >>> cell
        HybridSequentialRNNCell(
        (0): LSTMCell(None -> 12)
        (1): GRUCell(None -> 6)
        )
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:  # noqa: ARG002
        """Return output and states after one step of each cell."""
        return self._step(inputs, states)
