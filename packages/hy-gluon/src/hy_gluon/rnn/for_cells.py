"""Helpers for user-defined cells, under MXNet's names: sequences and initial states."""

from collections.abc import Iterable
from typing import Any

from hy_gluon.rnn._sequences import Sequences, beside, is_tensor, read
from hy_ndarray import NDArray, nd
from hy_symbol import sym

__all__ = [
    "cells_begin_state",
    "cells_state_info",
    "format_sequence",
    "get_begin_state",
    "mask_sequence_variable_length",
    "reverse_sequences",
]


def format_sequence(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int, Any, int]:
    """Return a cell's inputs or outputs as one tensor or as a list of steps.

    Args:
        length: Number of steps; inferred from ``inputs`` if None.
        inputs: One tensor, or a list of one tensor per step.
        layout: Axes of one tensor, such as ``"NTC"``.
        merge: Return one tensor (True), a list (False), or the given form (None).
        in_layout: Axes of ``inputs``, if they differ from ``layout``.

    Returns:
        The sequence, the time axis, ``nd`` or ``sym``, and the batch size (0 for symbols).

    Raises:
        StructureError: Length, inputs and layout do not match.

    Example:
        >>> steps, axis, _, batch_size = format_sequence(3, nd.ones((2, 3, 4)), "NTC", False)
        >>> len(steps), steps[0].shape, axis, batch_size
        (3, (2, 4), 1, 2)
    """
    axes_in = in_layout or layout
    if length is None:
        length = inputs.shape[axes_in.index("T")] if is_tensor(inputs) else len(inputs)
    sequence = read(length, inputs, axes_in)
    axis = layout.index("T")
    if not is_tensor(inputs):
        value = sequence.F.stack(*inputs, axis=axis) if merge else list(inputs)
    elif merge is False:
        value = sequence.split(inputs)
    else:
        value = (
            inputs if axis == sequence.axis else sequence.F.swapaxes(inputs, axis, sequence.axis)
        )
    return value, axis, sequence.F, sequence.batch_size


def get_begin_state(cell: Any, F: Any, begin_state: Any, inputs: Any, batch_size: int) -> Any:
    """Return ``begin_state``, or the cell's initial states on the inputs' device if None."""
    if begin_state is not None:
        return begin_state
    first = inputs if is_tensor(inputs) else inputs[0]
    # On the inputs' device, and under np_shape for empty batches.
    with beside(first):
        return cell.begin_state(func=F.zeros, batch_size=batch_size)


def mask_sequence_variable_length(
    F: Any, data: Any, length: int, valid_length: Any, time_axis: int, merge: bool
) -> Any:
    """Return data with steps from ``valid_length`` on set to zero.

    The result is one tensor if ``merge``, else a list of steps.
    """
    return Sequences(F, data, length=length, axis=time_axis, batch_size=0).masked(
        data, valid_length, merge=merge
    )


def reverse_sequences(sequences: list[Any], unroll_step: int, valid_length: Any = None) -> Any:
    """Return the steps in reverse order; only the first ``valid_length`` steps are reversed."""
    F: Any = nd if isinstance(sequences[0], NDArray) else sym
    return Sequences(F, sequences, length=unroll_step, axis=0, batch_size=0).reversed(
        sequences, valid_length
    )


def cells_state_info(cells: Iterable[Any], batch_size: int) -> list[Any]:
    """Return shapes and layouts of the states of several cells, concatenated."""
    return [info for cell in cells for info in cell.state_info(batch_size)]


def cells_begin_state(cells: Iterable[Any], **kwargs: Any) -> list[Any]:
    """Return the initial states of several cells, concatenated."""
    return [state for cell in cells for state in cell.begin_state(**kwargs)]
