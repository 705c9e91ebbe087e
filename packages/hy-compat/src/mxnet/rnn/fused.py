"""FusedRNNCell: stacked recurrent layers as one ``RNN`` operator."""

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from hy_gluon.initializer import FusedRNN
from hy_ndarray import ArgumentError, NDArray, nd
from hy_ndarray.warning import warn
from hy_symbol import Symbol, sym
from mxnet.rnn.base import Arrays, BaseRNNCell, RNNParams, Steps, normalize_sequence
from mxnet.rnn.cells import GRUCell, LSTMCell, RNNCell
from mxnet.rnn.composed import BidirectionalCell, SequentialRNNCell
from mxnet.rnn.modifiers import DropoutCell

__all__ = ["FusedRNNCell"]


class _Part(NamedTuple):
    """Slice of the parameter vector that is a gate's weight or bias."""

    name: str
    start: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return self.shape[0] * (self.shape[1] if len(self.shape) > 1 else 1)


class FusedRNNCell(BaseRNNCell):
    """Stacked recurrent layers as one ``RNN`` operator, with one parameter vector.

    Args:
        num_hidden: Size of the states.
        num_layers: Number of layers.
        mode: ``"rnn_relu"``, ``"rnn_tanh"``, ``"lstm"`` or ``"gru"``.
        bidirectional: Whether each layer runs in both directions.
        dropout: Dropout rate between layers.
        get_next_state: Whether :meth:`unroll` also returns the states.
        forget_bias: Initial bias of an LSTM's forget gate.
        prefix: Prefix of names; ``mode`` and an underscore if None.
        params: Variables shared with another cell.

    Raises:
        ArgumentError: ``mode`` is another string.

    Example:
        >>> import mxnet as mx
        >>> cell = mx.rnn.FusedRNNCell(4, num_layers=2, mode="gru")
        >>> outputs, _ = cell.unroll(3, mx.sym.var("data"), layout="TNC", merge_outputs=True)
        >>> outputs.infer_shape(data=(3, 2, 5))[1]
        [(3, 2, 4)]
    """

    _GATES: ClassVar[dict[str, tuple[str, ...]]] = {
        "rnn_relu": ("",),
        "rnn_tanh": ("",),
        "lstm": ("_i", "_f", "_c", "_o"),
        "gru": ("_r", "_z", "_o"),
    }

    def __init__(
        self,
        num_hidden: int,
        num_layers: int = 1,
        mode: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        get_next_state: bool = False,
        forget_bias: float = 1.0,
        prefix: str | None = None,
        params: RNNParams | None = None,
    ) -> None:
        if mode not in self._GATES:
            raise ArgumentError(f"FusedRNNCell: mode={mode!r} is not one of {list(self._GATES)}")
        super().__init__(prefix=f"{mode}_" if prefix is None else prefix, params=params)
        self._gate_names = self._GATES[mode]
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._bidirectional = bidirectional
        self._dropout = dropout
        self._get_next_state = get_next_state
        self._directions = ["l", "r"] if bidirectional else ["l"]
        # The graph carries the initializer, so that parts of the vector are filled by their kind.
        init = FusedRNN(
            None,
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        self._parameter = self.params.get("parameters", init=init)
        self._hy_vector = self._parameter.list_arguments()[0]

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape ``(layers * directions, N, num_hidden)`` of the state (two of them for an LSTM)."""
        shape = len(self._directions) * self._num_layers, 0, self._num_hidden
        return [{"shape": shape, "__layout__": "LNC"}] * (2 if self._mode == "lstm" else 1)

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Raise an error: the operator only runs whole sequences."""
        raise NotImplementedError("FusedRNNCell cannot be stepped. Please use unroll")

    # --- weights ----------------------------------------------------------------------------

    def _parts(self, input_size: int) -> Iterator[_Part]:
        """Yield the parts of the parameter vector in order: weights of all layers, then biases."""
        start, hidden = 0, self._num_hidden
        # cuDNN's canonical order: all weights, layer by layer and direction by direction, then all
        # biases.
        for layer in range(self._num_layers):
            below = input_size if layer == 0 else len(self._directions) * hidden
            for direction in self._directions:
                for group, columns in (("i2h", below), ("h2h", hidden)):
                    for gate in self._gate_names:
                        name = f"{self._prefix}{direction}{layer}_{group}{gate}_weight"
                        yield _Part(name, start, (hidden, columns))
                        start += hidden * columns
        for layer in range(self._num_layers):
            for direction in self._directions:
                for group in ("i2h", "h2h"):
                    for gate in self._gate_names:
                        name = f"{self._prefix}{direction}{layer}_{group}{gate}_bias"
                        yield _Part(name, start, (hidden,))
                        start += hidden

    def _input_size(self, size: int) -> int:
        """Return the number of input features of a parameter vector with ``size`` elements."""
        *_, last = self._parts(0)
        rows = self._num_gates * self._num_hidden * len(self._directions)
        # Only the first layer's input weights depend on the input; all else has a known size.
        columns, rest = divmod(size - last.start - last.size, rows)
        if rest or columns < 1:
            raise ArgumentError(
                f"FusedRNNCell: '{self._hy_vector}' of {size} values fits no input of "
                f"{self._num_layers} layers of {self._num_hidden} {self._mode} units"
            )
        return columns

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return weights and biases by layer, direction and gate: ``lstm_l0_i2h_f_weight``.

        Args:
            args: Arrays by name; those of other layers are returned unchanged.

        Raises:
            KeyError: The parameter vector is missing.
            ArgumentError: The parameter vector has an impossible size.
        """
        unpacked = dict(args)
        vector = unpacked.pop(self._hy_vector)
        for part in self._parts(self._input_size(vector.size)):
            values = vector[part.start : part.start + part.size]
            unpacked[part.name] = values.reshape(part.shape).copy()
        return unpacked

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return arrays with the parameter vector; inverse of :meth:`unpack_weights`.

        Raises:
            KeyError: A gate's array is missing.
        """
        packed = dict(args)
        first = f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"
        input_size = packed[first].shape[1]
        values = [packed.pop(part.name).reshape((-1,)) for part in self._parts(input_size)]
        packed[self._hy_vector] = nd.concat(*values, dim=0)
        return packed

    # --- graphs -----------------------------------------------------------------------------

    def unroll(
        self,
        length: int,
        inputs: Steps,
        begin_state: list[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Return outputs over a sequence and, with ``get_next_state``, the states."""
        self.reset()
        data, axis = normalize_sequence(length, inputs, layout, True)
        # The operator takes time first, as cuDNN does.
        if axis == 1:
            warn("NTC layout detected. Consider using TNC for FusedRNNCell for faster speed")
            data = sym.swapaxes(data, dim1=0, dim2=1)
        elif axis != 0:
            raise ArgumentError(f"FusedRNNCell: layout={layout!r}; it must be 'NTC' or 'TNC'")
        states = self.begin_state() if begin_state is None else begin_state
        names = ("state", "state_cell")[: len(self.state_info)]
        options: dict[str, Any] = dict(zip(names, states, strict=True))
        options["mode"] = self._mode
        if self._get_next_state:
            options["__layout__"] = "LNC"  # of the states
        rnn = sym.RNN(
            data,
            self._parameter,
            state_size=self._num_hidden,
            num_layers=self._num_layers,
            bidirectional=self._bidirectional,
            p=self._dropout,
            state_outputs=self._get_next_state,
            name=f"{self._prefix}rnn",
            **options,
        )
        outputs, after = rnn, []
        if self._get_next_state:
            outputs, after = rnn[0], [rnn[1 + i] for i in range(len(names))]
        if axis == 1:
            outputs = sym.swapaxes(outputs, dim1=0, dim2=1)
        return normalize_sequence(length, outputs, layout, merge_outputs)[0], after

    def unfuse(self) -> SequentialRNNCell:
        """Return a stack of single cells that have the weights of :meth:`unpack_weights`.

        Example:
            >>> import mxnet as mx
            >>> cells = mx.rnn.FusedRNNCell(4, num_layers=2, mode="lstm").unfuse()
            >>> len(cells.state_info)
            4
        """
        stack = SequentialRNNCell()
        for layer in range(self._num_layers):
            cells = [self._cell(f"{self._prefix}{d}{layer}_") for d in self._directions]
            if self._bidirectional:
                stack.add(
                    BidirectionalCell(
                        cells[0], cells[1], output_prefix=f"{self._prefix}bi_l{layer}_"
                    )
                )
            else:
                stack.add(cells[0])
            # As in cuDNN, dropout lies between layers, and not after the last one.
            if self._dropout > 0 and layer != self._num_layers - 1:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{layer}_"))
        return stack

    def _cell(self, prefix: str) -> BaseRNNCell:
        if self._mode == "lstm":
            return LSTMCell(self._num_hidden, prefix=prefix)
        if self._mode == "gru":
            return GRUCell(self._num_hidden, prefix=prefix)
        return RNNCell(self._num_hidden, activation=self._mode.removeprefix("rnn_"), prefix=prefix)
