"""Sequences as one tensor or as a list of steps: split, merged, masked, reversed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from hy_gluon._errors import StructureError
from hy_ndarray import NDArray, is_np_shape, nd, npx
from hy_symbol import Symbol, sym


def is_tensor(value: object) -> bool:
    """Return whether a value is one array or symbol rather than a list."""
    return isinstance(value, NDArray | Symbol)


def unknown_size() -> int:
    """Return the value that denotes an unknown size: 0, or -1 after ``set_np``."""
    return -1 if is_np_shape() else 0


class Sequences(NamedTuple):
    """Inputs of an unrolled cell, as one tensor or a list of steps, with their layout."""

    F: Any
    """``nd`` or ``sym``."""
    value: Any
    """One tensor, or a list with one for each step."""
    length: int
    axis: int
    """Position of the time axis in a tensor."""
    batch_size: int
    """Size of the batch; :func:`unknown_size` for symbols."""

    @property
    def first(self) -> Any:
        """Return the tensor, or the first step, which determines device and array class."""
        return self.value if is_tensor(self.value) else self.value[0]

    def arranged(self, value: Any, merge: bool | None) -> Any:
        """Return ``value`` as one tensor (True), a list of steps (False), or unchanged (None)."""
        if merge is None or merge == is_tensor(value):
            return value
        return self.merged(value) if merge else self.split(value)

    def merged(self, value: Any) -> Any:
        """Return a list of steps stacked along the time axis; a tensor unchanged."""
        return value if is_tensor(value) else self.F.stack(*value, axis=self.axis)

    def split(self, value: Any) -> list[Any]:
        """Return a tensor split into a list of steps; a list unchanged."""
        if not is_tensor(value):
            return list(value)
        # ``squeeze_axis`` drops the axis of time.
        parts = self.F.split(value, axis=self.axis, num_outputs=self.length, squeeze_axis=1)
        return _as_list(parts)

    def masked(self, value: Any, valid_length: Any, *, merge: bool) -> Any:
        """Return ``value`` with steps from ``valid_length`` on set to zero, as a tensor or list."""
        result = self.F.SequenceMask(
            self.merged(value),
            sequence_length=valid_length,
            use_sequence_length=True,
            axis=self.axis,
        )
        if merge:
            return result
        parts = self.F.split(result, num_outputs=self.length, axis=self.axis, squeeze_axis=True)
        return _as_list(parts)

    def reversed(self, steps: list[Any], valid_length: Any) -> list[Any]:
        """Return the steps in reverse order; only the first ``valid_length`` steps are reversed."""
        # SequenceReverse reverses the valid part and leaves the rest; a list cannot be reversed by
        # slicing.
        if valid_length is None:
            return steps[::-1]
        backwards = self.F.SequenceReverse(
            self.F.stack(*steps, axis=0), sequence_length=valid_length, use_sequence_length=True
        )
        return _as_list(self.F.split(backwards, axis=0, num_outputs=self.length, squeeze_axis=True))

    def last(self, steps: Sequence[Any], valid_length: Any) -> Any:
        """Return each sequence's step number ``valid_length - 1``."""
        return self.F.SequenceLast(
            self.F.stack(*steps, axis=0),
            sequence_length=valid_length,
            use_sequence_length=True,
            axis=0,
        )


def _as_list(parts: Any) -> list[Any]:
    single = isinstance(parts, NDArray) or (isinstance(parts, Symbol) and parts.num_outputs == 1)
    return [parts] if single else list(parts)


@contextmanager
def beside(inputs: Any) -> Iterator[None]:
    """Scope in which new states are created on the device of the inputs."""
    if not isinstance(inputs, NDArray):
        yield
        return
    # Empty batches have a size of 0, which means "unknown" outside of np_shape.
    with inputs.context, npx.np_shape(is_np_shape() or not inputs.size):
        yield


def read(length: int, inputs: Any, layout: str) -> Sequences:
    """Return the inputs of a cell as :class:`Sequences`, after checking them.

    Args:
        length: Number of steps.
        inputs: One tensor, or a list of one tensor per step.
        layout: Axes of a tensor, such as ``"NTC"``; ``T`` is time, ``N`` the batch.

    Raises:
        StructureError: Length, inputs and layout do not match.
    """
    if "T" not in layout or "N" not in layout:
        raise StructureError(f"layout {layout!r} must name the axes T (time) and N (batch)")
    if length < 1:
        raise StructureError(f"a cell cannot be unrolled for {length} steps")
    axis = layout.index("T")
    if isinstance(inputs, NDArray):
        if inputs.shape[axis] != length:
            raise StructureError(
                f"inputs {inputs.shape} have {inputs.shape[axis]} steps along axis {axis} "
                f"({layout}), not length={length}"
            )
        return Sequences(
            nd, inputs, length=length, axis=axis, batch_size=inputs.shape[layout.index("N")]
        )
    if isinstance(inputs, Symbol):
        if inputs.num_outputs != 1:
            raise StructureError(
                f"inputs are a symbol of {inputs.num_outputs} outputs; give a list of them, or one "
                "symbol that holds all steps"
            )
        return Sequences(sym, inputs, length=length, axis=axis, batch_size=unknown_size())
    if not isinstance(inputs, list | tuple) or not all(is_tensor(step) for step in inputs):
        raise StructureError(
            f"inputs must be an array or symbol, or a list of them, not {type(inputs).__name__}"
        )
    if len(inputs) != length:
        raise StructureError(f"inputs are {len(inputs)} steps, not length={length}")
    steps = list(inputs)
    if isinstance(steps[0], Symbol):
        return Sequences(sym, steps, length=length, axis=axis, batch_size=unknown_size())
    batch_axis = layout.replace("T", "").index("N")
    # The layout of a single step has no T.
    return Sequences(nd, steps, length=length, axis=axis, batch_size=steps[0].shape[batch_axis])
