"""VariationalDropoutCell: dropout with the same mask at every step of a sequence."""

from typing import Any

from hy_gluon.rnn._sequences import read
from hy_gluon.rnn.bidirectional import steps_alone
from hy_gluon.rnn.modifiers import ModifierCell
from hy_gluon.rnn.recurrent import RecurrentCell

__all__ = ["VariationalDropoutCell"]


class VariationalDropoutCell(ModifierCell):
    """Dropout around a cell, with one mask for all steps of a sequence.

    Masks are drawn at the first step, and again after :meth:`reset`.

    Args:
        base_cell: The inner cell.
        drop_inputs: Dropout probability of the input in training.
        drop_states: Dropout probability of the first state.
        drop_outputs: Dropout probability of the output.

    Raises:
        StructureError: ``drop_states`` is not 0, and ``base_cell`` contains a BidirectionalCell.

    Source:
        Gal and Ghahramani, A Theoretically Grounded Application of Dropout in Recurrent Neural
        Networks, arXiv:1512.05287.

    Example:
        >>> from hy_gluon.rnn import RNNCell
        >>> VariationalDropoutCell(RNNCell(3), drop_outputs=0.5)
        VariationalDropoutCell(p_out = 0.5, p_state = 0.0)
    """

    def __init__(
        self,
        base_cell: RecurrentCell,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ) -> None:
        if drop_states:
            steps_alone(base_cell, type(self).__name__)
        super().__init__(base_cell)
        self.drop_inputs = drop_inputs
        self.drop_states = drop_states
        self.drop_outputs = drop_outputs

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"

    def _alias(self) -> str:
        return "vardrop"

    def _hy_is_stateful(self) -> bool:
        dropped = self.drop_inputs or self.drop_states or self.drop_outputs
        return bool(dropped) or super()._hy_is_stateful()

    def _hy_clear_state(self) -> None:
        super()._hy_clear_state()
        self.drop_inputs_mask: Any = None
        self.drop_states_mask: Any = None
        self.drop_outputs_mask: Any = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return output and states after one step."""
        if self.drop_states:
            # Only the first state is dropped, as in MXNet: h, not the memory of an LSTM.
            self.drop_states_mask = _mask_of(F, self.drop_states_mask, self.drop_states, states[0])
            states = [states[0] * self.drop_states_mask, *states[1:]]
        if self.drop_inputs:
            self.drop_inputs_mask = _mask_of(F, self.drop_inputs_mask, self.drop_inputs, inputs)
            inputs = inputs * self.drop_inputs_mask
        output, states = self.base_cell(inputs, states)
        if self.drop_outputs:
            self.drop_outputs_mask = _mask_of(F, self.drop_outputs_mask, self.drop_outputs, output)
            output = output * self.drop_outputs_mask
        return output, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Return outputs and states over sequences; arguments of :meth:`RecurrentCell.unroll`.

        If ``merge_outputs`` is None, outputs are one tensor unless ``drop_states`` is set.
        """
        # Dropped states need the cell step by step.
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        sequences = read(length, inputs, layout)
        F, axes = sequences.F, (sequences.axis,)
        values = sequences.merged(sequences.value)
        states = self._hy_first_states(begin_state, sequences)
        if self.drop_inputs:
            # The same mask at every step: dropout over the axis of time with one draw.
            values = F.Dropout(values, p=self.drop_inputs, axes=axes)
        outputs, states = self.base_cell.unroll(
            length, values, states, layout, merge_outputs=True, valid_length=valid_length
        )
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=axes)
        merge = merge_outputs is None or merge_outputs
        outputs = sequences.arranged(outputs, merge)
        if valid_length is not None:
            outputs = sequences.masked(outputs, valid_length, merge=merge)
        return outputs, states


def _mask_of(F: Any, mask: Any, rate: float, like: Any) -> Any:
    """Return ``mask`` if earlier steps drew it, else a new one, zero with probability ``rate``."""
    # A mask of the wrong kind is left from a trace.
    if type(mask) is type(like):
        return mask
    return F.Dropout(F.ones_like(like), p=rate)
