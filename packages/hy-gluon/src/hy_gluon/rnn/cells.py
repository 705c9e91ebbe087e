"""RNNCell, LSTMCell, LSTMPCell and GRUCell: recurrent cells that compute one step."""

from functools import partial
from typing import Any

from hy_gluon.nn._arguments import Init
from hy_gluon.parameter import ParameterDict
from hy_gluon.rnn._activation import activate, check_activation
from hy_gluon.rnn._dense import DenseCell
from hy_gluon.rnn._gated import GatedStep
from hy_gluon.rnn._gates import Arithmetic, NamedArithmetic, gru_state, lstm_memory, operator
from hy_gluon.rnn.recurrent import StateInfo

__all__ = ["GRUCell", "LSTMCell", "LSTMPCell", "RNNCell"]


class RNNCell(DenseCell, GatedStep):
    """Elman RNN cell: ``h = f(W x + b + U h' + c)``, with the previous state ``h'``.

    Args:
        hidden_size: Size of the state.
        activation: ``f``: the name of an activation (see :class:`Activation`), or a function.
        i2h_weight_initializer: Initializer of ``W``, ``[hidden_size, input_size]``.
        h2h_weight_initializer: Initializer of ``U``, ``[hidden_size, hidden_size]``.
        i2h_bias_initializer: Initializer of ``b``, ``[hidden_size]``.
        h2h_bias_initializer: Initializer of ``c``, ``[hidden_size]``.
        input_size: Size of the input; 0 to infer it from the first input.
        prefix: Prefix of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Source:
        Elman, Finding Structure in Time, 1990.

    Example:
        >>> cell = RNNCell(3)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((2, 4)), cell.begin_state(batch_size=2))
        >>> output.shape, cell
        ((2, 3), RNNCell(4 -> 3, tanh))
    """

    def __init__(
        self,
        hidden_size: int,
        activation: Any = "tanh",
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        weights = i2h_weight_initializer, h2h_weight_initializer
        biases = i2h_bias_initializer, h2h_bias_initializer
        super().__init__(hidden_size, hidden_size, weights, biases, input_size, prefix, params)
        check_activation(activation)
        self._activation = activation

    def _alias(self) -> str:
        return "rnn"

    def _hy_step(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:  # noqa: ARG002  # others need them
        step = self._hy_prefix
        total = F.elemwise_add(i2h, h2h, name=f"{step}plus0")
        output = activate(F, total, self._activation, name=f"{step}out")
        return output, [output]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._hy_sizes()}, {self._activation})"


class LSTMCell(DenseCell, GatedStep):
    """Long short-term memory cell: ``c = f · c' + i · g`` and ``h = o · tanh(c)``.

    The gates ``i``, ``f``, ``o`` are sigmoids, and ``g`` is the tanh, of the four row blocks of ``W
    x + b + U h' + d``, in the order i, f, g, o; ``h'`` and ``c'`` are the previous states.

    Args:
        hidden_size: Size of both states.
        i2h_weight_initializer: Initializer of ``W``, ``[4 hidden_size, input_size]``.
        h2h_weight_initializer: Initializer of ``U``, ``[4 hidden_size, hidden_size]``.
        i2h_bias_initializer: Initializer of ``b``, ``[4 hidden_size]``; ``LSTMBias`` opens the
            forget gate.
        h2h_bias_initializer: Initializer of ``d``, ``[4 hidden_size]``.
        input_size: Size of the input; 0 to infer it from the first input.
        prefix: Prefix of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.
        activation: Activation that replaces tanh.
        recurrent_activation: Activation of the gates, which replaces the sigmoid.

    Source:
        Hochreiter and Schmidhuber, Long Short-Term Memory, 1997.

    Example:
        >>> cell = LSTMCell(3)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((2, 4)), cell.begin_state(batch_size=2))
        >>> output.shape, len(states), cell
        ((2, 3), 2, LSTMCell(4 -> 12))
    """

    _hy_gates = 4

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ) -> None:
        weights = i2h_weight_initializer, h2h_weight_initializer
        biases = i2h_bias_initializer, h2h_bias_initializer
        super().__init__(hidden_size, hidden_size, weights, biases, input_size, prefix, params)
        check_activation(activation)
        check_activation(recurrent_activation)
        self._activation = activation
        self._recurrent_activation = recurrent_activation

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of ``h`` and ``c``."""
        return [*super().state_info(batch_size), *super().state_info(batch_size)]

    def _alias(self) -> str:
        return "lstm"

    def _hy_step(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        step = self._hy_prefix
        # Gates in MXNet's order i, f, c, o.
        total = F.elemwise_add(i2h, h2h, name=f"{step}plus0")
        parts = F.SliceChannel(total, num_outputs=4, name=f"{step}slice")
        inner = self._activation
        c, o = lstm_memory(
            NamedArithmetic(F, step),
            parts,
            states[1],
            partial(activate, F, activation=self._recurrent_activation),
            partial(activate, F, activation=inner),
        )
        name = f"{step}activation0"
        # MXNet makes an Activation node for names and calls blocks.
        if isinstance(inner, str):
            shown = F.Activation(c, act_type=inner, name=name)
        else:
            shown = activate(F, c, inner, name=name)
        h = F.elemwise_mul(o, shown, name=f"{step}out")
        return h, [h, c]


class LSTMPCell(DenseCell):
    """Long short-term memory cell with a projected output, which is also the first state.

    ``h`` and ``c`` are computed as by :class:`LSTMCell`; the output is ``R h``, which is ``h'`` in
    the next step.

    Args:
        hidden_size: Size of the memory ``c``.
        projection_size: Size of the output.
        i2h_weight_initializer: Initializer of the weight of the input.
        h2h_weight_initializer: Initializer of the weight of the state,
            ``[4 hidden_size, projection_size]``.
        h2r_weight_initializer: Initializer of ``R``, ``[projection_size, hidden_size]``.
        i2h_bias_initializer: Initializer of the bias of the input.
        h2h_bias_initializer: Initializer of the bias of the state.
        input_size: Size of the input; 0 to infer it from the first input.
        prefix: Prefix of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Source:
        Sak, Senior and Beaufays, Long Short-Term Memory Based Recurrent Neural Network
        Architectures for Large Vocabulary Speech Recognition, arXiv:1402.1128.

    Example:
        >>> cell = LSTMPCell(4, 2)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((3, 5)), cell.begin_state(batch_size=3))
        >>> output.shape, [state.shape for state in states], cell
        ((3, 2), [(3, 2), (3, 4)], LSTMPCell(5 -> 16 -> 2))
    """

    _hy_gates = 4

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        h2r_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        weights = i2h_weight_initializer, h2h_weight_initializer
        biases = i2h_bias_initializer, h2h_bias_initializer
        super().__init__(
            hidden_size,
            projection_size,
            weights,
            biases,
            input_size,
            prefix,
            params,
            projection=(projection_size, h2r_weight_initializer),
        )
        self._projection_size = projection_size

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of the projected output and of the memory."""
        return [
            {"shape": (batch_size, size), "__layout__": "NC"}
            for size in (self._projection_size, self._hidden_size)
        ]

    def _alias(self) -> str:
        return "lstmp"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._hy_sizes()} -> {self._projection_size})"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        h2r_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Return output and states after one step."""
        step, weights, biases = self._hy_prefix, (i2h_weight, h2h_weight), (i2h_bias, h2h_bias)
        i2h, h2h = self._hy_products(F, inputs, states[0], weights, biases)
        parts = F.SliceChannel(i2h + h2h, num_outputs=4, name=f"{step}slice")
        gate, inner = operator(F, "sigmoid"), operator(F, "tanh")
        c, o = lstm_memory(Arithmetic(F, step), parts, states[1], gate, inner)
        shown = F.Activation(c, act_type="tanh")
        h = F.elemwise_mul(o, shown, name=f"{step}hidden")
        result = F.FullyConnected(
            h, h2r_weight, num_hidden=self._projection_size, no_bias=True, name=f"{step}out"
        )
        return result, [result, c]


class GRUCell(DenseCell, GatedStep):
    """Gated recurrent unit cell: ``h = (1 - z) · n + z · h'``, with the previous state ``h'``.

    The gates ``r`` and ``z`` are sigmoids of the first two row blocks of ``W x + b + U h' + c``;
    ``n = tanh(W x + b + r · (U h' + c))`` uses the third. (As in cuDNN, the reset gate is applied
    after the product with ``h'``.)

    Args:
        hidden_size: Size of the state.
        i2h_weight_initializer: Initializer of ``W``, ``[3 hidden_size, input_size]``.
        h2h_weight_initializer: Initializer of ``U``, ``[3 hidden_size, hidden_size]``.
        i2h_bias_initializer: Initializer of ``b``, ``[3 hidden_size]``.
        h2h_bias_initializer: Initializer of ``c``, ``[3 hidden_size]``.
        input_size: Size of the input; 0 to infer it from the first input.
        prefix: Prefix of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Source:
        Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for Statistical
        Machine Translation, 2014.

    Example:
        >>> cell = GRUCell(3)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((2, 4)), cell.begin_state(batch_size=2))
        >>> output.shape, cell
        ((2, 3), GRUCell(4 -> 9))
    """

    _hy_gates = 3

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        weights = i2h_weight_initializer, h2h_weight_initializer
        biases = i2h_bias_initializer, h2h_bias_initializer
        super().__init__(hidden_size, hidden_size, weights, biases, input_size, prefix, params)

    def _alias(self) -> str:
        return "gru"

    def _hy_step(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        step = self._hy_prefix
        x = F.SliceChannel(i2h, num_outputs=3, name=f"{step}i2h_slice")
        u = F.SliceChannel(h2h, num_outputs=3, name=f"{step}h2h_slice")
        gate, inner = operator(F, "sigmoid"), operator(F, "tanh")
        h = gru_state(NamedArithmetic(F, step), x, u, states[0], gate, inner)
        return h, [h]
