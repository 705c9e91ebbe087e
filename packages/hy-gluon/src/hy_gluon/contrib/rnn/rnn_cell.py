"""A memory cell with projection, dropout that is the same at every step, and loops over cells."""

from typing import Any

from hy_gluon.contrib.rnn._loop import dynamic_unroll
from hy_gluon.nn._arguments import Init
from hy_gluon.parameter import ParameterDict
from hy_gluon.rnn._dense import DenseCell
from hy_gluon.rnn._gates import Arithmetic, lstm_memory, operator
from hy_gluon.rnn._sequences import read
from hy_gluon.rnn.bidirectional import steps_alone
from hy_gluon.rnn.modifiers import ModifierCell
from hy_gluon.rnn.recurrent import RecurrentCell, StateInfo

__all__ = ["LSTMPCell", "VariationalDropoutCell", "dynamic_unroll"]


class VariationalDropoutCell(ModifierCell):
    """Dropout around a cell that drops the same elements at every step of a sequence.

    What is dropped is drawn at the first step, and again after :meth:`reset`.

    Args:
        base_cell: The cell.
        drop_inputs: Probability of each element of the input to be dropped, in training.
        drop_states: Probability of each element of the first state to be dropped.
        drop_outputs: Probability of each element of the output to be dropped.

    Raises:
        StructureError: States are to be dropped, and there is a BidirectionalCell in ``base_cell``.

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

    def _remembers(self) -> bool:
        dropped = self.drop_inputs or self.drop_states or self.drop_outputs
        return bool(dropped) or super()._remembers()

    def _forget(self) -> None:
        super()._forget()
        self.drop_inputs_mask: Any = None
        self.drop_states_mask: Any = None
        self.drop_outputs_mask: Any = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """One step."""
        if self.drop_states:
            self.drop_states_mask = _kept(F, self.drop_states_mask, self.drop_states, states[0])
            states = [states[0] * self.drop_states_mask, *states[1:]]
        if self.drop_inputs:
            self.drop_inputs_mask = _kept(F, self.drop_inputs_mask, self.drop_inputs, inputs)
            inputs = inputs * self.drop_inputs_mask
        output, states = self.base_cell(inputs, states)
        if self.drop_outputs:
            self.drop_outputs_mask = _kept(F, self.drop_outputs_mask, self.drop_outputs, output)
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
        """Run over sequences; the arguments are those of :meth:`RecurrentCell.unroll`.

        Unless states are dropped, outputs become one tensor if ``merge_outputs`` is None.
        """
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        sequences = read(length, inputs, layout)
        F, axes = sequences.F, (sequences.axis,)
        values = sequences.merged(sequences.value)
        states = self._first_states(begin_state, sequences)
        if self.drop_inputs:
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


def _kept(F: Any, mask: Any, rate: float, like: Any) -> Any:
    """The mask of the steps before, or a new one, with zeros of probability ``rate``."""
    if type(mask) is type(like):  # otherwise none, or left by a graph that was traced
        return mask
    return F.Dropout(F.ones_like(like), p=rate)


class LSTMPCell(DenseCell):
    """A step of a long short-term memory whose output, and so its first state, is projected.

    As :class:`LSTMCell` computes ``h`` and ``c``; the output is ``R h``, which is the state ``h'``
    of the next step.

    Args:
        hidden_size: Size of the memory ``c``.
        projection_size: Size of the output.
        i2h_weight_initializer: Initializer of the weight of the input.
        h2h_weight_initializer: Initializer of the weight of the state,
            ``[4 hidden_size, projection_size]``.
        h2r_weight_initializer: Initializer of ``R``, ``[projection_size, hidden_size]``.
        i2h_bias_initializer: Initializer of the bias of the input.
        h2h_bias_initializer: Initializer of the bias of the state.
        input_size: Size of the input; 0 for what the first input has.
        prefix: Put in front of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Source:
        Sak, Senior and Beaufays, Long Short-Term Memory Based Recurrent Neural Network
        Architectures for Large Vocabulary Speech Recognition, arXiv:1402.1128.

    Example:
        >>> cell = LSTMPCell(4, 2)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((3, 5)), cell.begin_state(batch_size=3))
        >>> output.shape, [state.shape for state in states], cell
        ((3, 2), [(3, 2), (3, 4)], LSTMPCell(5 -> 16 -> 2))
    """

    _gates = 4

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        h2r_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        initializers = (
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
        )
        super().__init__(
            hidden_size,
            projection_size,
            initializers,
            input_size,
            prefix,
            params,
            projection=(projection_size, h2r_weight_initializer),
        )
        self._projection_size = projection_size

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Shape and layout of the projected output and of the memory."""
        return [
            {"shape": (batch_size, size), "__layout__": "NC"}
            for size in (self._projection_size, self._hidden_size)
        ]

    def _alias(self) -> str:
        return "lstmp"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sizes()} -> {self._projection_size})"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        h2r_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """One step."""
        step = f"t{self._counter}_"
        params = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._products(F, inputs, states[0], step, params)
        parts = F.SliceChannel(i2h + h2h, num_outputs=4, name=f"{step}slice")
        gate, inner = operator(F, "sigmoid"), operator(F, "tanh")
        c, o = lstm_memory(Arithmetic(F, step), parts, states[1], gate, inner)
        shown = F.Activation(c, act_type="tanh")
        h = F.elemwise_mul(o, shown, name=f"{step}hidden")
        result = F.FullyConnected(
            h, h2r_weight, num_hidden=self._projection_size, no_bias=True, name=f"{step}out"
        )
        return result, [result, c]
