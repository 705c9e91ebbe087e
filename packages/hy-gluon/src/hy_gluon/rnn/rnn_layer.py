"""RNN, LSTM and GRU: stacked recurrent layers over sequences, as one operator."""

from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.nn._arguments import Init
from hy_gluon.rnn._layer import GATES, _RNNLayer
from hy_gluon.rnn.recurrent import StateInfo

__all__ = ["GRU", "LSTM", "RNN"]


class RNN(_RNNLayer):
    """Elman RNN layers: ``h = f(W x + b + U h' + c)``, with the previous state ``h'``.

    Args:
        hidden_size: Size of the state of a layer.
        num_layers: Number of stacked layers.
        activation: ``f``: ``"relu"`` or ``"tanh"``.
        layout: Axes of inputs and outputs: ``"TNC"`` (time, batch, channels) or ``"NTC"``.
        dropout: Dropout rate between layers in training.
        bidirectional: Whether to run each layer in both directions, and concatenate outputs.
        i2h_weight_initializer: Initializer of ``W``.
        h2h_weight_initializer: Initializer of ``U``.
        i2h_bias_initializer: Initializer of ``b``.
        h2h_bias_initializer: Initializer of ``c``.
        input_size: Size of the input; 0 to infer it from the first input.
        dtype: Dtype of the parameters.
        kwargs: ``use_sequence_length``, ``prefix``, ``params``.

    Raises:
        LayerError: The layout or activation is unknown.

    Source:
        Elman, Finding Structure in Time, 1990.

    Example:
        >>> layer = RNN(8, 3)
        >>> layer.initialize()
        >>> layer(nd.ones((5, 2, 4))).shape
        (5, 2, 8)
        >>> output, states = layer(nd.ones((5, 2, 4)), layer.begin_state(batch_size=2))
        >>> states[0].shape, layer
        ((3, 2, 8), RNN(4 -> 8, TNC, num_layers=3))
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: int = 0,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        if f"rnn_{activation}" not in GATES:
            raise LayerError(f"RNN: activation {activation!r} is neither 'relu' nor 'tanh'")
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            f"rnn_{activation}",
            None,
            None,
            None,
            None,
            False,
            dtype,
            **kwargs,
        )


class LSTM(_RNNLayer):
    """Long short-term memory layers; see :class:`LSTMCell` for the formula of a step.

    Args:
        hidden_size: Size of the memory of a layer.
        num_layers: Number of stacked layers.
        layout: Axes of inputs and outputs: ``"TNC"`` (time, batch, channels) or ``"NTC"``.
        dropout: Dropout rate between layers in training.
        bidirectional: Whether to run each layer in both directions, and concatenate outputs.
        input_size: Size of the input; 0 to infer it from the first input.
        i2h_weight_initializer: Initializer of the weights of the input.
        h2h_weight_initializer: Initializer of the weights of the state.
        i2h_bias_initializer: Initializer of the bias of the input; ``LSTMBias`` opens the forget
            gates.
        h2h_bias_initializer: Initializer of the bias of the state.
        projection_size: Size of the projected outputs; no projection if None.
        h2r_weight_initializer: Initializer of the projection.
        state_clip_min: Minimum to which the memory is clipped; requires ``state_clip_max``.
        state_clip_max: Maximum to which the memory is clipped.
        state_clip_nan: Whether to clip nan, too.
        dtype: Dtype of the parameters.
        kwargs: ``use_sequence_length``, ``prefix``, ``params``.

    Raises:
        LayerError: The layout is unknown.

    Source:
        Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; Sak, Senior and Beaufays, Long
        Short-Term Memory Based Recurrent Neural Network Architectures for Large Vocabulary Speech
        Recognition, arXiv:1402.1128 (projection).

    Example:
        >>> layer = LSTM(8, bidirectional=True, layout="NTC")
        >>> layer.initialize()
        >>> output, states = layer(nd.ones((2, 5, 4)), layer.begin_state(batch_size=2))
        >>> output.shape, [state.shape for state in states]
        ((2, 5, 16), [(2, 2, 8), (2, 2, 8)])
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: Init = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "lstm",
            projection_size,
            h2r_weight_initializer,
            state_clip_min,
            state_clip_max,
            state_clip_nan,
            dtype,
            **kwargs,
        )

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape, layout and dtype of ``h`` and ``c``: ``[layers · directions, N, C]``."""
        size = self._projection_size or self._hidden_size
        return [self._state(batch_size, size), self._state(batch_size, self._hidden_size)]


class GRU(_RNNLayer):
    """Gated recurrent unit layers; see :class:`GRUCell` for the formula of a step.

    Args:
        hidden_size: Size of the state of a layer.
        num_layers: Number of stacked layers.
        layout: Axes of inputs and outputs: ``"TNC"`` (time, batch, channels) or ``"NTC"``.
        dropout: Dropout rate between layers in training.
        bidirectional: Whether to run each layer in both directions, and concatenate outputs.
        input_size: Size of the input; 0 to infer it from the first input.
        i2h_weight_initializer: Initializer of the weights of the input.
        h2h_weight_initializer: Initializer of the weights of the state.
        i2h_bias_initializer: Initializer of the bias of the input.
        h2h_bias_initializer: Initializer of the bias of the state.
        dtype: Dtype of the parameters.
        kwargs: ``use_sequence_length``, ``prefix``, ``params``.

    Raises:
        LayerError: The layout is unknown.

    Source:
        Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for Statistical
        Machine Translation, 2014.

    Example:
        >>> layer = GRU(8, use_sequence_length=True)
        >>> layer.initialize()
        >>> layer(nd.ones((5, 2, 4)), sequence_length=nd.array([3, 5]))[3:, 0].asnumpy().any()
        np.False_
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "gru",
            None,
            None,
            None,
            None,
            False,
            dtype,
            **kwargs,
        )
