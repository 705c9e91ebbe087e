"""dynamic_unroll: runs a cell as a loop body, so that graphs do not grow with the length."""

from collections.abc import Callable
from typing import Any

from hy_gluon._errors import StructureError
from hy_gluon.rnn.recurrent import RecurrentCell
from hy_ndarray import NDArray, nd
from hy_symbol import Symbol, sym

__all__ = ["dynamic_unroll"]


def dynamic_unroll(
    # The graph has one copy of the step, whatever the length.
    cell: RecurrentCell,
    inputs: Any,
    begin_state: list[Any],
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, list[Any]]:
    """Unroll a cell over sequences by the operator ``foreach``; return outputs and states.

    Args:
        cell: The cell.
        inputs: One tensor with axes ``layout``.
        begin_state: Initial states.
        drop_inputs: Dropout probability of the inputs in training, with one mask for all steps.
        drop_outputs: Dropout probability of the outputs in training, with one mask for all steps.
        layout: Axes of a tensor, such as ``"TNC"``; ``T`` is time, ``N`` the batch.
        valid_length: Lengths ``[N]`` of the sequences; later outputs are zeros, and states keep
            their values.

    Returns:
        The outputs as one tensor of the same layout, and the list of final states.

    Raises:
        StructureError: ``inputs`` is not one tensor, or the layout lacks an axis.

    Example:
        >>> from hy_gluon.rnn import GRUCell
        >>> cell = GRUCell(3)
        >>> cell.initialize()
        >>> outputs, states = dynamic_unroll(cell, nd.ones((5, 2, 4)), cell.begin_state(2))
        >>> outputs.shape, states[0].shape
        ((5, 2, 3), (2, 3))
    """
    if not isinstance(inputs, NDArray | Symbol):
        raise StructureError(
            f"dynamic_unroll takes one array or symbol of all steps, not {type(inputs).__name__}"
        )
    if "T" not in layout or "N" not in layout:
        raise StructureError(f"layout {layout!r} must name the axes T (time) and N (batch)")
    F: Any = nd if isinstance(inputs, NDArray) else sym
    axis = layout.index("T")
    order = [axis, *(i for i in range(len(layout)) if i != axis)]
    # foreach runs over the first axis.
    if axis:
        inputs = F.transpose(inputs, axes=order)
    if drop_inputs:
        # axes=(0,): one mask for all steps (Gal and Ghahramani 2016).
        inputs = F.Dropout(inputs, p=drop_inputs, axes=(0,))
    if valid_length is None:
        outputs, states = F.contrib.foreach(cell, inputs, begin_state)
    else:
        # The step number is a state of the loop, since the body cannot see the iteration.
        states = [*begin_state, _first_index(F, valid_length)]
        outputs, (*states, _) = F.contrib.foreach(
            _masked_step(F, cell, valid_length), inputs, states
        )
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(0,))
    if axis:
        outputs = F.transpose(outputs, axes=[order.index(i) for i in range(len(order))])
    if valid_length is not None:
        outputs = F.SequenceMask(
            outputs, sequence_length=valid_length, use_sequence_length=True, axis=axis
        )
    return outputs, states


def _first_index(F: Any, valid_length: Any) -> Any:
    if isinstance(valid_length, NDArray):
        return nd.zeros(1, ctx=valid_length.context, dtype=valid_length.dtype)
    return F.zeros(1)


def _masked_step(F: Any, cell: RecurrentCell, valid_length: Any) -> Callable[[Any, Any], Any]:
    """Return a cell's step that leaves states unchanged after a sequence's end.

    The last state counts the steps.
    """

    def step(x: Any, states: Any) -> tuple[Any, list[Any]]:
        *before, index = states
        output, after = cell(x, before)
        masked = [
            # States stay as they were at the sequence's last valid step.
            F.where(F.broadcast_greater(valid_length, index), new, old)
            for new, old in zip(after, before, strict=True)
        ]
        return output, [*masked, index + 1]

    return step
