"""Initializer of the ``RNN`` operator's parameter vector."""

from typing import Any, ClassVar

import numpy as np

from hy_gluon.initializer.base import InitDesc, Initializer, InitializerError, create, register
from hy_ndarray import NDArray, ShapeError, nd

__all__ = ["FusedRNN"]


@register
class FusedRNN(Initializer):
    """Fills the parameter vector of the ``RNN`` operator.

    Args:
        init: Initializer of the weights; the network's if None.
        num_hidden: Size of the state.
        num_layers: Number of layers.
        mode: ``"rnn_relu"``, ``"rnn_tanh"``, ``"lstm"`` or ``"gru"``.
        bidirectional: Whether each layer runs in both directions.
        forget_bias: Bias of the forget gate of an LSTM.
    """

    _GATES: ClassVar[dict[str, int]] = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        if mode not in self._GATES:
            raise InitializerError(
                f"FusedRNN: mode {mode!r} is not one of {', '.join(self._GATES)}"
            )
        init = None if init is None else create(init)
        if init is not None and not isinstance(init, Initializer):
            raise InitializerError(
                f"FusedRNN: init must be an Initializer, whose arguments a graph can hold, not "
                f"{type(init).__name__}"
            )
        super().__init__(
            init=None if init is None else init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        self._init = init
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._directions = 2 if bidirectional else 1
        self._forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        hidden, layers = self._num_hidden, self._num_layers
        rows = self._GATES[self._mode] * hidden
        # The vector has no shapes inside: the number of inputs is what is left when all else is
        # taken off.
        biases = layers * self._directions * 2 * rows
        hidden_inputs = (layers - 1) * self._directions * rows * (self._directions + 1) * hidden
        first = arr.shape[0] - biases - hidden_inputs - self._directions * rows * hidden
        inputs = first // (self._directions * rows)
        if arr.ndim != 1 or inputs < 1 or first != inputs * self._directions * rows:
            raise ShapeError(
                f"FusedRNN: parameter {name!r} {arr.shape} is no vector of {layers} layers of "
                f"{hidden} {self._mode} units"
            )
        parts: list[NDArray] = []
        for layer in range(layers):
            columns = inputs if layer == 0 else self._directions * hidden
            # cuDNN's canonical order, which MXNet has too: all weights, layer by layer and
            # direction by direction, then all biases.
            for _ in range(self._directions):
                parts += [self._weight(name, rows, n) for n in (columns, hidden)]
        bias = np.zeros((biases // rows, rows), np.float32)
        if self._mode == "lstm":
            bias[:, hidden : 2 * hidden] = self._forget_bias
        values = [part.asnumpy().ravel() for part in parts]
        arr[:] = nd.array(np.concatenate([*values, bias.ravel()]), dtype=arr.dtype)

    def _weight(self, name: str, rows: int, columns: int) -> NDArray:
        weight: NDArray = nd.zeros((rows, columns))
        source = self._init
        if source is None:
            source = getattr(name, "global_init", None)
        if source is None or source is self:
            raise InitializerError(f"FusedRNN: parameter {name!r}: no initializer for the weights")
        source(InitDesc(f"{name}_weight"), weight)
        return weight
