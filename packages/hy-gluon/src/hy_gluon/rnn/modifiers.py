"""Modifier cells: dropout, zoneout and residual connections."""

from collections.abc import Callable
from typing import Any

from hy_gluon._errors import LayerError, StructureError
from hy_gluon.parameter import ParameterDict
from hy_gluon.rnn._sequences import is_tensor, read
from hy_gluon.rnn.bidirectional import steps_alone
from hy_gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell, StateInfo
from hy_ndarray import nd

__all__ = ["DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell"]


class DropoutCell(HybridRecurrentCell):
    """Dropout as a stateless cell, for use between other cells.

    Unrolling applies one dropout operator to a whole tensor, or one per step to a list.

    Args:
        rate: Probability that an element is set to zero in training.
        axes: Axes along which the mask is shared (broadcast).
        prefix: Prefix of the name; automatic if None.
        params: Has no effect: the cell has no parameters.

    Raises:
        LayerError: ``rate`` is not a number.

    Example:
        >>> DropoutCell(0.5)(nd.ones((1, 3)), [])[0].asnumpy()
        array([[1., 1., 1.]], dtype=float32)
    """

    def __init__(
        self,
        rate: float,
        axes: tuple[int, ...] = (),
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        if not isinstance(rate, int | float):
            raise LayerError(f"DropoutCell: rate must be a number, not {rate!r}")
        self._rate = rate
        self._axes = axes

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"

    def _alias(self) -> str:
        return "dropout"

    def state_info(self, batch_size: int = 0) -> StateInfo:  # noqa: ARG002  # every cell has it
        """Return an empty list: the cell has no states."""
        return []

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return ``inputs`` with random elements set to zero."""
        if self._rate > 0:
            name = f"{self._hy_prefix}fwd"
            inputs = F.Dropout(inputs, p=self._rate, axes=self._axes, name=name)
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,  # noqa: ARG002  # what is behind the end may be dropped too
    ) -> tuple[Any, list[Any]]:
        """Return the inputs with random elements set to zero; ``valid_length`` is ignored."""
        self.reset()
        sequences = read(length, inputs, layout)
        value = sequences.arranged(sequences.value, merge_outputs)
        if is_tensor(value):
            # One tensor: the masks of all steps are drawn by one operator, as in MXNet.
            outputs, states = self.hybrid_forward(sequences.F, value, begin_state or [])
            return outputs, states
        return super().unroll(length, value, begin_state, layout)


class ModifierCell(HybridRecurrentCell):
    """Base class of cells that wrap another cell, with its parameters and states.

    The inner cell's own ``begin_state`` then raises an error.

    Args:
        base_cell: The inner cell.

    Raises:
        StructureError: ``base_cell`` already is in a modifier cell.
    """

    base_cell: RecurrentCell

    def __init__(self, base_cell: RecurrentCell) -> None:
        if base_cell._modified:
            raise StructureError(f"cell {base_cell.name} is inside a modifier cell already")
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell
        # The base cell's states are asked for through this cell only.
        base_cell._modified = True

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell!r})"

    @property
    def params(self) -> ParameterDict:
        """Parameters of the inner cell."""
        return self.base_cell.params

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of each state of the inner cell."""
        return self.base_cell.state_info(batch_size)

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the initial states of the inner cell."""
        self._hy_check_not_modified()
        # Lifted while asking, as the base cell refuses otherwise.
        self.base_cell._modified = False
        try:
            return self.base_cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        finally:
            self.base_cell._modified = True


class ZoneoutCell(ModifierCell):
    """Zoneout: in training, random elements of output and states keep their previous values.

    The previous output of the first step is zero.

    Args:
        base_cell: A cell that supports single steps.
        zoneout_outputs: Probability that an element of the output keeps its previous value.
        zoneout_states: Probability that an element of a state keeps its previous value.

    Raises:
        StructureError: ``base_cell`` contains a BidirectionalCell.

    Source:
        Krueger et al., Zoneout: Regularizing RNNs by Randomly Preserving Hidden Activations,
        arXiv:1606.01305.

    Example:
        >>> from hy_gluon.rnn import RNNCell
        >>> ZoneoutCell(RNNCell(3), zoneout_states=0.2)
        ZoneoutCell(p_out=0.0, p_state=0.2, RNNCell(None -> 3, tanh))
    """

    def __init__(
        self,
        base_cell: RecurrentCell,
        zoneout_outputs: float = 0.0,
        zoneout_states: float = 0.0,
    ) -> None:
        steps_alone(base_cell, type(self).__name__)
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states

    def __repr__(self) -> str:
        return (
            # MXNet's repr.
            f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, "
            f"{self.base_cell!r})"
        )

    def _alias(self) -> str:
        return "zoneout"

    def _hy_is_stateful(self) -> bool:
        return bool(self.zoneout_outputs) or super()._hy_is_stateful()

    def _hy_clear_state(self) -> None:
        super()._hy_clear_state()
        self._prev_output: Any = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return output and states after one step."""
        new, new_states = self.base_cell(inputs, states)
        output = new
        if self.zoneout_outputs:
            changes = _mask(F, self.zoneout_outputs, new)
            before = self._prev_output
            # A symbol of an earlier trace must not enter this graph.
            if type(before) is not type(new):
                before = F.zeros_like(new)
            output = F.where(changes, new, before)
        if self.zoneout_states:
            new_states = [
                F.where(_mask(F, self.zoneout_states, after), after, before)
                for after, before in zip(new_states, states, strict=True)
            ]
        self._prev_output = output
        return output, new_states


def _mask(F: Any, rate: float, like: Any) -> Any:
    """Return a random mask that is zero with probability ``rate`` in training, else nonzero."""
    # Dropout of ones is 0 or 1 / (1 - p); `where` only asks whether it is 0. Outside of training it
    # is 1.
    return F.Dropout(F.ones_like(like), p=rate)


class ResidualCell(ModifierCell):
    """Cell that adds another cell's inputs to its outputs.

    Args:
        base_cell: A cell whose outputs have the shape of its inputs.

    Source:
        Wu et al., Google's Neural Machine Translation System: Bridging the Gap between Human and
        Machine Translation, arXiv:1609.08144.

    Example:
        >>> from hy_gluon.rnn import GRUCell
        >>> ResidualCell(GRUCell(3))
        ResidualCell(GRUCell(None -> 9))
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return output and states after one step."""
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"{self._hy_prefix}fwd"), states

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
        self.reset()
        sequences = read(length, inputs, layout)
        states = self._hy_first_states(begin_state, sequences)
        outputs, states = self.base_cell.unroll(
            length, sequences.value, states, layout, merge_outputs, valid_length
        )
        merge = is_tensor(outputs) if merge_outputs is None else merge_outputs
        added = sequences.arranged(sequences.value, merge)
        if valid_length is not None:
            # Inputs beyond the end are zeroed, too, or they would show in the sum.
            added = sequences.masked(added, valid_length, merge=merge)
        F = sequences.F
        if merge:
            return F.elemwise_add(outputs, added), states
        return [F.elemwise_add(y, x) for y, x in zip(outputs, added, strict=True)], states
