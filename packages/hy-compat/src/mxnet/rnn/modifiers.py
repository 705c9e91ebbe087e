"""Modifier cells, which change another cell, and dropout."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import ArgumentError, NDArray
from hy_symbol import Symbol, sym
from mxnet.rnn.base import Arrays, BaseRNNCell, RNNParams, Steps, normalize_sequence
from mxnet.rnn.composed import BidirectionalCell, SequentialRNNCell

__all__ = ["DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell", "check_zoneout"]


class DropoutCell(BaseRNNCell):
    """Cell without states that drops random elements of its input.

    Args:
        dropout: Dropout rate in training.
        prefix: Prefix of names.
        params: Has no effect.

    Raises:
        ArgumentError: ``dropout`` is not a number.
    """

    def __init__(
        self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None
    ) -> None:
        super().__init__(prefix, params)
        if not isinstance(dropout, int | float):
            raise ArgumentError(f"DropoutCell: dropout={dropout!r} must be a number")
        self.dropout = dropout

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Empty list: there are no states."""
        return []

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return the input with random elements dropped."""
        if self.dropout > 0:
            inputs = sym.Dropout(inputs, p=self.dropout)
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Steps,
        begin_state: list[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Return the sequence with random elements dropped, by one operator if it is one symbol."""
        self.reset()
        inputs, _ = normalize_sequence(length, inputs, layout, merge_outputs)
        if isinstance(inputs, Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)


class ModifierCell(BaseRNNCell):
    """Base class of cells that change another cell, with its weights and states.

    Args:
        base_cell: The other cell, which must only be called through the modifier.
    """

    def __init__(self, base_cell: BaseRNNCell) -> None:
        super().__init__()
        # A cell that is wrapped refuses to begin on its own: its states would miss the change.
        base_cell._modified = True
        self.base_cell = base_cell

    def reset(self) -> None:
        """Reset the step counters of this cell and of the base cell."""
        super().reset()
        if hasattr(self, "base_cell"):  # not yet in the constructor
            self.base_cell.reset()

    @property
    def params(self) -> RNNParams:
        """Return the parameters of the base cell."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Return shape and layout of the base cell's states."""
        return self.base_cell.state_info

    def begin_state(
        self,
        func: Callable[..., Symbol] = sym.zeros,
        init_sym: Callable[..., Symbol] | None = None,
        **kwargs: Any,
    ) -> list[Symbol]:
        """Return the base cell's initial states; ``init_sym`` is another name of ``func``."""
        self._hy_check_not_modified()
        # A cell inside a modifier refuses calls; this one is the modifier's own.
        self.base_cell._modified = False
        try:
            return self.base_cell.begin_state(func if init_sym is None else init_sym, **kwargs)
        finally:
            self.base_cell._modified = True

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return the base cell's weights and biases split by gate."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return the base cell's weights and biases, with all gates concatenated."""
        return self.base_cell.pack_weights(args)


class ZoneoutCell(ModifierCell):
    """Zoneout: in training, random elements of output and states keep their previous values.

    Args:
        base_cell: The cell to change.
        zoneout_outputs: Share of the output that keeps previous values.
        zoneout_states: Share of the states that keeps previous values.

    Raises:
        ArgumentError: ``base_cell`` does not have single steps.
    """

    def __init__(
        self,
        base_cell: BaseRNNCell,
        zoneout_outputs: float = 0.0,
        zoneout_states: float = 0.0,
    ) -> None:
        check_zoneout(base_cell)
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states
        self.prev_output: Symbol | None = None

    def reset(self) -> None:
        """Reset the step counters and the previous output."""
        super().reset()
        self.prev_output = None

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        output, after = self.base_cell(inputs, states)
        # Sizes of 0 are unknown, and follow from the output. There is no step before the first.
        before = sym.zeros((0, 0)) if self.prev_output is None else self.prev_output
        if self.zoneout_outputs:
            output = _either(self.zoneout_outputs, output, before)
        if self.zoneout_states:
            pairs = zip(after, states, strict=True)
            after = [_either(self.zoneout_states, new, old) for new, old in pairs]
        self.prev_output = output
        return output, after


def _either(part: float, new: Symbol, old: Symbol) -> Symbol:
    """Return ``old`` for a random share of elements in training, otherwise ``new``."""
    # Dropout of ones is a mask: zero in a random part in training, and nowhere in prediction.
    return sym.where(sym.Dropout(sym.ones_like(new), p=part), new, old)


def check_zoneout(cell: BaseRNNCell) -> None:
    """Raise an error if a cell does not have single steps.

    Raises:
        ArgumentError: ``cell``, or a cell inside it, has no single steps.
    """
    if isinstance(cell, BidirectionalCell):
        raise ArgumentError(
            "BidirectionalCell doesn't support zoneout since it doesn't support step. Please add "
            "ZoneoutCell to the cells underneath instead."
        )
    if hasattr(cell, "unfuse"):
        raise ArgumentError("FusedRNNCell doesn't support zoneout. Please unfuse first.")
    if isinstance(cell, SequentialRNNCell):
        for part in cell._cells:
            check_zoneout(part)


class ResidualCell(ModifierCell):
    """Residual connection: the base cell's output plus its input, which has the same size.

    Args:
        base_cell: The cell to change.
    """

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        output, states = self.base_cell(inputs, states)
        return _plus(output, inputs), states

    def unroll(
        self,
        length: int,
        inputs: Steps,
        begin_state: list[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Return the base cell's outputs over a sequence, plus the inputs."""
        self.reset()
        self.base_cell._modified = False
        try:
            outputs, states = self.base_cell.unroll(
                length, inputs, begin_state, layout, merge_outputs
            )
        finally:
            self.base_cell._modified = True
        merge = isinstance(outputs, Symbol) if merge_outputs is None else merge_outputs
        inputs, _ = normalize_sequence(length, inputs, layout, merge)
        if isinstance(outputs, Symbol):
            assert isinstance(inputs, Symbol)
            return _plus(outputs, inputs), states
        return [_plus(a, b) for a, b in zip(outputs, inputs, strict=True)], states


def _plus(output: Symbol, inputs: Symbol) -> Symbol:
    return sym.elemwise_add(output, inputs, name=f"{output.name}_plus_residual")
