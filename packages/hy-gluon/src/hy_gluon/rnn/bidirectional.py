"""BidirectionalCell: one cell forwards, another one backwards."""

from collections.abc import Callable
from typing import Any

from hy_gluon._errors import StructureError
from hy_gluon.rnn._sequences import is_tensor, read
from hy_gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell, StateInfo
from hy_ndarray import nd

__all__ = ["BidirectionalCell", "steps_alone"]


class BidirectionalCell(HybridRecurrentCell):
    """Runs one cell forwards over a sequence, and another one backwards.

    Outputs are concatenated along the last axis. The cell can only be unrolled, not called for a
    single step.

    Args:
        l_cell: Cell that runs forwards.
        r_cell: Cell that runs backwards.
        output_prefix: Prefix of the names of the concatenated outputs.

    Source:
        Schuster and Paliwal, Bidirectional Recurrent Neural Networks, 1997.

    Example:
        >>> from hy_gluon.rnn import GRUCell
        >>> cell = BidirectionalCell(GRUCell(3), GRUCell(2))
        >>> cell.initialize()
        >>> outputs, states = cell.unroll(5, nd.ones((2, 5, 4)), merge_outputs=True)
        >>> outputs.shape
        (2, 5, 5)
    """

    def __init__(
        self, l_cell: RecurrentCell, r_cell: RecurrentCell, output_prefix: str = "bi_"
    ) -> None:
        super().__init__(prefix="", params=None)
        self.l_cell = l_cell
        self.r_cell = r_cell
        self._output_prefix = output_prefix

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Raise an error: the backward cell needs the whole sequence; use :meth:`unroll`.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("a BidirectionalCell cannot take a single step; use unroll")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(forward={self.l_cell!r}, backward={self.r_cell!r})"

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of the states of both cells."""
        return [*self.l_cell.state_info(batch_size), *self.r_cell.state_info(batch_size)]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the initial states of both cells."""
        self._hy_check_not_modified()
        return [
            state
            for cell in (self.l_cell, self.r_cell)
            for state in cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        ]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Return outputs and states over sequences; arguments of :meth:`RecurrentCell.unroll`."""
        # Counters and masks restart with each sequence.
        self.reset()
        sequences = read(length, inputs, layout)
        steps = sequences.split(sequences.value)
        states = self._hy_first_states(begin_state, sequences)
        count = len(self.l_cell.state_info())
        backwards = sequences.reversed(steps, valid_length)
        ahead, ahead_states = self.l_cell.unroll(
            length, steps, states[:count], layout, merge_outputs, valid_length
        )
        back, back_states = self.r_cell.unroll(
            length, backwards, states[count:], layout, False, valid_length
        )
        # Reversed back, so that step t of both directions meets.
        back = sequences.reversed(back, valid_length)
        merge = is_tensor(ahead) if merge_outputs is None else merge_outputs
        outputs: Any
        F, name = sequences.F, self._output_prefix
        if merge:
            directions = (sequences.merged(ahead), sequences.merged(back))
            outputs = F.concat(*directions, dim=2, name=f"{name}out")
        else:
            pairs = enumerate(zip(sequences.split(ahead), back, strict=True))
            outputs = [F.concat(*pair, dim=1, name=f"{name}t{i}") for i, pair in pairs]
        if valid_length is not None:
            # Steps beyond the end hold the states of padding.
            outputs = sequences.masked(outputs, valid_length, merge=merge)
        return outputs, [*ahead_states, *back_states]


def steps_alone(cell: RecurrentCell, modifier: str) -> None:
    """Raise an error if a cell inside a modifier does not support single steps.

    Raises:
        StructureError: ``cell`` is or contains a BidirectionalCell.
    """
    if isinstance(cell, BidirectionalCell):
        raise StructureError(
            f"{modifier} needs a cell that takes single steps, a BidirectionalCell cannot; "
            f"put {modifier} around the cells in it"
        )
    # A bidirectional cell may be deep inside of a stack.
    for child in cell._children.values():
        if isinstance(child, RecurrentCell):
            steps_alone(child, modifier)
