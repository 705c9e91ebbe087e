"""Initializer of the ``RNN`` operator's parameter vector."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from hy_gluon.initializer.base import InitDesc, Initializer, InitializerError, create, register
from hy_ndarray import NDArray, ShapeError, nd

__all__ = ["FusedRNN"]


@register
class FusedRNN(Initializer):
    """Fills the parameter vector of the ``RNN`` operator.

    Args:
        init: Initializer of each gate's weights and biases; the network's if None.
        num_hidden: Size of the state.
        num_layers: Number of layers.
        mode: ``"rnn_relu"``, ``"rnn_tanh"``, ``"lstm"`` or ``"gru"``.
        bidirectional: Whether each layer runs in both directions.
        forget_bias: Bias of the forget gate of an LSTM.
    """

    _GATES: ClassVar[dict[str, tuple[str, ...]]] = {
        "rnn_relu": ("",),
        "rnn_tanh": ("",),
        "lstm": ("_i", "_f", "_c", "_o"),
        "gru": ("_r", "_z", "_o"),
    }

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
        init = getattr(name, "global_init", None) if self._init is None else self._init
        if init is None or init is self:
            raise InitializerError(f"FusedRNN: parameter {name!r}: no initializer for the weights")
        values = []
        for part, shape in self._parts(self._num_inputs(name, arr)):
            value: NDArray = nd.zeros(shape)
            if part.endswith("_f_bias"):
                value[:] = self._forget_bias
            else:
                init(InitDesc(part), value)
            values.append(value.asnumpy().ravel())
        arr[:] = nd.array(np.concatenate(values), dtype=arr.dtype)

    def _num_inputs(self, name: str, arr: NDArray) -> int:
        """Return the number of inputs of the first layer, from the length of the vector."""
        hidden, layers = self._num_hidden, self._num_layers
        rows = len(self._GATES[self._mode]) * hidden
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
        return inputs

    def _parts(self, inputs: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield name and shape of each gate's weights, then of each gate's biases.

        The names are those of the cells of one layer and direction, such as ``l0_i2h_f_weight``.
        Each gate is a matrix of its own: initializers such as ``Xavier`` look at its shape.
        """
        # cuDNN's canonical order, which MXNet has too: all weights, layer by layer and direction
        # by direction, then all biases.
        hidden, gates = self._num_hidden, self._GATES[self._mode]
        stacked = [(n, way) for n in range(self._num_layers) for way in "lr"[: self._directions]]
        for layer, way in stacked:
            columns = inputs if layer == 0 else self._directions * hidden
            for kind, size in (("i2h", columns), ("h2h", hidden)):
                for gate in gates:
                    yield f"{way}{layer}_{kind}{gate}_weight", (hidden, size)
        for layer, way in stacked:
            for kind in ("i2h", "h2h"):
                for gate in gates:
                    yield f"{way}{layer}_{kind}{gate}_bias", (hidden,)
