"""SequentialRNNCell and BidirectionalCell: cells that contain other cells."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray import ArgumentError, NDArray
from hy_symbol import Symbol, sym
from mxnet.rnn.base import Arrays, BaseRNNCell, RNNParams, Steps, normalize_sequence

__all__ = ["BidirectionalCell", "SequentialRNNCell"]


class _ComposedCell(BaseRNNCell):
    """Base class of cells that contain other cells, with the states and weights of these."""

    def __init__(self, params: RNNParams | None = None) -> None:
        super().__init__(prefix="", params=params)
        self._override_cell_params = params is not None
        self._cells: list[BaseRNNCell] = []

    def _take(self, cell: BaseRNNCell) -> None:
        """Add the variables of an inner cell.

        Raises:
            ArgumentError: Both this cell and ``cell`` got ``params``.
        """
        if self._override_cell_params:
            # Two sets of variables would contradict each other.
            if not cell._own_params:
                raise ArgumentError(
                    f"Either specify params for {type(self).__name__} or child cells, not both."
                )
            cell.params._params.update(self.params._params)
        self.params._params.update(cell.params._params)
        self._cells.append(cell)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each cell's states, in order."""
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, func: Callable[..., Symbol] = sym.zeros, **kwargs: Any) -> list[Symbol]:
        """Return the initial states of all cells."""
        self._hy_check_not_modified()
        return [state for cell in self._cells for state in cell.begin_state(func, **kwargs)]

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return weights and biases of all cells split by gate."""
        unpacked = dict(args)
        for cell in self._cells:
            unpacked = cell.unpack_weights(unpacked)
        return unpacked

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return weights and biases, with all gates concatenated; inverse of ``unpack_weights``."""
        packed = dict(args)
        for cell in self._cells:
            packed = cell.pack_weights(packed)
        return packed

    def _own_states(self, states: Sequence[Symbol]) -> list[list[Symbol]]:
        """Return the states of each inner cell."""
        own, start = [], 0
        for cell in self._cells:
            stop = start + len(cell.state_info)
            own.append(list(states[start:stop]))
            start = stop
        return own


class SequentialRNNCell(_ComposedCell):
    """Stack of cells, each with the outputs of the previous one as inputs.

    Args:
        params: Variables that all cells share.

    Example:
        >>> import mxnet as mx
        >>> cells = mx.rnn.SequentialRNNCell()
        >>> cells.add(mx.rnn.LSTMCell(4, prefix="l0_"))
        >>> cells.add(mx.rnn.GRUCell(3, prefix="l1_"))
        >>> cells.state_shape
        [(0, 4), (0, 4), (0, 3)]
    """

    def add(self, cell: BaseRNNCell) -> None:
        """Append a cell to the stack.

        Raises:
            ArgumentError: Both this cell and ``cell`` got ``params``.
        """
        self._take(cell)

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step of all cells."""
        self._counter += 1
        after: list[Symbol] = []
        for cell, own in zip(self._cells, self._own_states(states), strict=True):
            inputs, own = cell(inputs, own)  # noqa: PLW2901
            after += own
        return inputs, after

    def unroll(
        self,
        length: int,
        inputs: Steps,
        begin_state: list[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Return outputs and states over a sequence, unrolled cell by cell."""
        self.reset()
        states = self.begin_state() if begin_state is None else begin_state
        after: list[Any] = []
        last = len(self._cells) - 1
        for i, (cell, own) in enumerate(zip(self._cells, self._own_states(states), strict=True)):
            # Only the last cell's outputs leave: the others need no form.
            merge = merge_outputs if i == last else None
            inputs, changed = cell.unroll(length, inputs, own, layout, merge)
            after += changed
        return inputs, after


class BidirectionalCell(_ComposedCell):
    """Pair of cells, the second of which reads the sequence backwards; outputs are concatenated.

    Args:
        l_cell: Cell that reads the sequence forwards.
        r_cell: Cell that reads the sequence backwards.
        params: Variables that both cells share.
        output_prefix: Prefix of the outputs' names.
    """

    def __init__(
        self,
        l_cell: BaseRNNCell,
        r_cell: BaseRNNCell,
        params: RNNParams | None = None,
        output_prefix: str = "bi_",
    ) -> None:
        super().__init__(params)
        self._output_prefix = output_prefix
        self._take(l_cell)
        self._take(r_cell)

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Raise an error: there are no single steps, since the second cell begins at the end."""
        raise NotImplementedError("Bidirectional cannot be stepped. Please use unroll")

    def unroll(
        self,
        length: int,
        inputs: Steps,
        begin_state: list[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Return both cells' outputs, concatenated along features, and the states of each cell."""
        self.reset()
        # As a list, which can be reversed.
        steps, axis = normalize_sequence(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        ahead, back = self._own_states(states)
        l_cell, r_cell = self._cells
        left, l_states = l_cell.unroll(length, steps, ahead, layout, merge_outputs)
        right, r_states = r_cell.unroll(length, steps[::-1], back, layout, merge_outputs)
        after = [l_states, r_states]
        if merge_outputs is None:
            merge_outputs = isinstance(left, Symbol) and isinstance(right, Symbol)
            left, _ = normalize_sequence(None, left, layout, merge_outputs)
            right, _ = normalize_sequence(None, right, layout, merge_outputs)
        if merge_outputs:
            # The second cell's outputs come in the order in which it read.
            right = sym.reverse(right, axis=axis)
            return sym.Concat(left, right, dim=2, name=f"{self._output_prefix}out"), after
        pairs = zip(left, reversed(list(right)), strict=True)
        outputs: list[Symbol] = [
            sym.Concat(a, b, dim=1, name=f"{self._output_prefix}t{i}")
            for i, (a, b) in enumerate(pairs)
        ]
        return outputs, after
