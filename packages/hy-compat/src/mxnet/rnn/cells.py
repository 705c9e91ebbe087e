"""Basic symbolic cells: RNN, LSTM, GRU."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.initializer import LSTMBias
from hy_symbol import Symbol, sym
from mxnet.rnn.base import BaseRNNCell, RNNParams

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "gated_gru", "gated_lstm"]


class _DenseCell(BaseRNNCell):
    """Base class of cells with a dense layer for the input and one for the state."""

    _bias_initializer: Any = None

    def __init__(self, num_hidden: int, prefix: str, params: RNNParams | None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._num_hidden = num_hidden
        bias = self._bias_initializer
        self._iW = self.params.get("i2h_weight")
        self._hW = self.params.get("h2h_weight")
        self._iB = self.params.get("i2h_bias", **({} if bias is None else {"init": bias}))
        self._hB = self.params.get("h2h_bias")

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the state, ``(N, num_hidden)``."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"}]

    def _next_name(self) -> str:
        self._counter += 1
        return f"{self._prefix}t{self._counter}_"

    def _dense(self, inputs: Symbol, state: Symbol, name: str) -> tuple[Symbol, Symbol]:
        """Return the dense layers of input and state for all gates, ``(N, gates * num_hidden)``."""
        width = self._num_hidden * len(self._gate_names)
        i2h = sym.FullyConnected(inputs, self._iW, self._iB, num_hidden=width, name=f"{name}i2h")
        h2h = sym.FullyConnected(state, self._hW, self._hB, num_hidden=width, name=f"{name}h2h")
        return i2h, h2h


class RNNCell(_DenseCell):
    """Elman RNN cell ``act(W_i x + b_i + W_h h + b_h)``.

    Args:
        num_hidden: Size of the state.
        activation: Name of an activation, or a function of a symbol and ``name``.
        prefix: Prefix of the names of weights and nodes.
        params: Variables shared with another cell.
    """

    _gate_names: Sequence[str] = ("",)

    def __init__(
        self,
        num_hidden: int,
        activation: Any = "tanh",
        prefix: str = "rnn_",
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        name = self._next_name()
        i2h, h2h = self._dense(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LSTMCell(_DenseCell):
    """LSTM cell (Hochreiter and Schmidhuber) with forget gate; order of gates i, f, c, o.

    Args:
        num_hidden: Size of the state and of the cell's memory.
        prefix: Prefix of the names of weights and nodes.
        params: Variables shared with another cell.
        forget_bias: Initial bias of the forget gate.
    """

    _gate_names: Sequence[str] = ("_i", "_f", "_c", "_o")

    def __init__(
        self,
        num_hidden: int,
        prefix: str = "lstm_",
        params: RNNParams | None = None,
        forget_bias: float = 1.0,
    ) -> None:
        self._bias_initializer = LSTMBias(forget_bias=forget_bias)
        super().__init__(num_hidden, prefix, params)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shapes of the output and the memory, ``(N, num_hidden)`` each."""
        return super().state_info * 2

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        name = self._next_name()
        i2h, h2h = self._dense(inputs, states[0], name)
        return gated_lstm(self, i2h + h2h, states[1], name, "tanh")


class GRUCell(_DenseCell):
    """GRU cell in cuDNN's form, with the reset gate after the product; order of gates r, z, o.

    Args:
        num_hidden: Size of the state.
        prefix: Prefix of the names of weights and nodes.
        params: Variables shared with another cell.
    """

    _gate_names: Sequence[str] = ("_r", "_z", "_o")

    def __init__(
        self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        name = self._next_name()
        i2h, h2h = self._dense(inputs, states[0], f"{name}_")  # MXNet's names have two underscores
        return gated_gru(self, i2h, h2h, states[0], name, "tanh")


def gated_lstm(
    cell: BaseRNNCell, gates: Symbol, memory: Symbol, name: str, activation: Any
) -> tuple[Symbol, list[Symbol]]:
    """Return output and states of an LSTM step, from the four gates along axis 1."""
    # cuDNN's order of gates, which RNN has as well: input, forget, candidate, output.
    parts = sym.SliceChannel(gates, num_outputs=4, name=f"{name}slice")
    into = sym.Activation(parts[0], act_type="sigmoid", name=f"{name}i")
    forget = sym.Activation(parts[1], act_type="sigmoid", name=f"{name}f")
    change = cell._get_activation(parts[2], activation, name=f"{name}c")
    out = sym.Activation(parts[3], act_type="sigmoid", name=f"{name}o")
    after = sym.elemwise_add(forget * memory, into * change, name=f"{name}state")
    output = sym.elemwise_mul(out, cell._get_activation(after, activation), name=f"{name}out")
    return output, [output, after]


def gated_gru(
    cell: BaseRNNCell, i2h: Symbol, h2h: Symbol, state: Symbol, name: str, activation: Any
) -> tuple[Symbol, list[Symbol]]:
    """Return output and states of a GRU step, from three gates each of input and state."""
    of_input = sym.SliceChannel(i2h, num_outputs=3, name=f"{name}_i2h_slice")
    of_state = sym.SliceChannel(h2h, num_outputs=3, name=f"{name}_h2h_slice")
    sums = [of_input[i] + of_state[i] for i in range(2)]
    reset = sym.Activation(sums[0], act_type="sigmoid", name=f"{name}_r_act")
    update = sym.Activation(sums[1], act_type="sigmoid", name=f"{name}_z_act")
    # cuDNN's variant: the reset gate scales the product, not the state before it (Cho et al. 2014).
    proposed = of_input[2] + reset * of_state[2]
    proposed = cell._get_activation(proposed, activation, name=f"{name}_h_act")
    output = sym.elemwise_add((1.0 - update) * proposed, update * state, name=f"{name}out")
    return output, [output]
