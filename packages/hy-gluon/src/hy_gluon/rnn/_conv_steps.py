"""Convolutional recurrent cells for any number of spatial axes."""

from functools import partial
from typing import Any, ClassVar

from hy_gluon._errors import LayerError
from hy_gluon.nn._arguments import Init, Sizes, check_layout, sizes
from hy_gluon.nn._axes import OverAxes
from hy_gluon.parameter import ParameterDict
from hy_gluon.rnn._activation import activate, check_activation
from hy_gluon.rnn._gated import GatedStep
from hy_gluon.rnn._gates import Arithmetic, gru_state, lstm_memory, operator
from hy_gluon.rnn.recurrent import StateInfo


class ConvCell(OverAxes, GatedStep):
    """Base class of convolutional recurrent cells."""

    _hy_per_axis: ClassVar[tuple[str, ...]] = ("i2h_pad", "i2h_dilate", "h2h_dilate")
    _hy_details = """

    Args:
        input_shape: Shape of one input without the batch, in the order of the layout.
        hidden_channels: Number of channels of a state.
        i2h_kernel: Window of the convolution of the input.
        h2h_kernel: Window of the convolution of the state; odd, since states keep their shape.
        i2h_pad: Rows of zeros around the input.
        i2h_dilate: Distance of the elements of a window of the input.
        h2h_dilate: Distance of the elements of a window of the state.
        i2h_weight_initializer: Initializer of the weight of the input.
        h2h_weight_initializer: Initializer of the weight of the state.
        i2h_bias_initializer: Initializer of the bias of the input.
        h2h_bias_initializer: Initializer of the bias of the state.
        conv_layout: {layouts}.
        activation: Name of an activation, a LeakyReLU, or a function.
        prefix: Put in front of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Raises:
        LayerError: A window is even, or an argument does not have one number per spatial axis.

    Source:
        Shi et al., Convolutional LSTM Network: A Machine Learning Approach for Precipitation
        Nowcasting, arXiv:1506.04214.

    Example:
        >>> cell = {name}((2, {each:5}), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, {each:5})), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, {each:5}), {name}(2 -> {rows}, tanh, {layout}))
    """

    _hy_gates = 1
    _states = 1

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = (0,),
        i2h_dilate: Sizes = (1,),
        h2h_dilate: Sizes = (1,),
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str = "NCW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        dims = self._hy_axes
        check_layout(conv_layout, self._hy_layouts)
        self._hidden_channels = hidden_channels
        self._input_shape = sizes(input_shape, dims + 1, "input_shape")
        self._conv_layout = conv_layout
        check_activation(activation)
        self._activation = activation
        self._stride = (1,) * dims
        self._i2h_kernel = sizes(i2h_kernel, dims, "i2h_kernel")
        self._i2h_pad = sizes(i2h_pad, dims, "i2h_pad")
        self._i2h_dilate = sizes(i2h_dilate, dims, "i2h_dilate")
        self._h2h_kernel = sizes(h2h_kernel, dims, "h2h_kernel")
        self._h2h_dilate = sizes(h2h_dilate, dims, "h2h_dilate")
        if not all(k % 2 for k in self._h2h_kernel):
            raise LayerError(f"h2h_kernel must be odd, not {h2h_kernel}: states keep their shape")
        pairs = zip(self._h2h_kernel, self._h2h_dilate, strict=True)
        # "Same" padding of an odd window: states keep their shape.
        self._h2h_pad = tuple(d * (k - 1) // 2 for k, d in pairs)
        self._channel_axis = conv_layout.index("C")
        self._in_channels = self._input_shape[self._channel_axis - 1]
        self._state_shape = self._with_channels(self._spatial_shape(), hidden_channels)
        rows = self._hy_gates * hidden_channels
        for name, window, channels, init in (
            ("i2h_weight", self._i2h_kernel, self._in_channels, i2h_weight_initializer),
            ("h2h_weight", self._h2h_kernel, hidden_channels, h2h_weight_initializer),
        ):
            shape = (rows, *self._with_channels(window, channels))
            weight = self.params.get(name, shape=shape, init=init, allow_deferred_init=True)
            setattr(self, name, weight)
        for name, init in (
            ("i2h_bias", i2h_bias_initializer),
            ("h2h_bias", h2h_bias_initializer),
        ):
            bias = self.params.get(name, shape=(rows,), init=init, allow_deferred_init=True)
            setattr(self, name, bias)

    @classmethod
    def _hy_words(cls) -> dict[str, object]:
        # Three times the hidden channels of the example.
        return {**super()._hy_words(), "rows": 3 * cls._hy_gates}

    def _with_channels(self, spatial: tuple[int, ...], channels: int) -> tuple[int, ...]:
        return (channels, *spatial) if self._channel_axis == 1 else (*spatial, channels)

    def _spatial_shape(self) -> tuple[int, ...]:
        """Return the spatial shape of the states: the input's after its convolution."""
        first = self._channel_axis == 1
        spatial = self._input_shape[1:] if first else self._input_shape[:-1]
        windows = zip(spatial, self._i2h_kernel, self._i2h_pad, self._i2h_dilate, strict=True)
        # The spatial size after the convolution of the input, which that of the state has to keep.
        return tuple(n + 2 * p - d * (k - 1) for n, k, p, d in windows)

    def __repr__(self) -> str:
        rows = self._hy_gates * self._hidden_channels
        return (
            f"{type(self).__name__}({self._in_channels} -> {rows}, "
            f"{self._activation}, {self._conv_layout})"
        )

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of each state."""
        return [
            {"shape": (batch_size, *self._state_shape), "__layout__": self._conv_layout}
            for _ in range(self._states)
        ]

    def _hy_products(
        self, F: Any, inputs: Any, state: Any, weights: tuple[Any, Any], biases: tuple[Any, Any]
    ) -> tuple[Any, Any]:
        step = self._hy_prefix
        (i2h_weight, h2h_weight), (i2h_bias, h2h_bias) = weights, biases
        shared = {
            "num_filter": self._hy_gates * self._hidden_channels,
            "stride": self._stride,
            "layout": self._conv_layout,
        }
        i2h = F.Convolution(
            inputs,
            i2h_weight,
            i2h_bias,
            kernel=self._i2h_kernel,
            pad=self._i2h_pad,
            dilate=self._i2h_dilate,
            name=f"{step}i2h",
            **shared,
        )
        h2h = F.Convolution(
            state,
            h2h_weight,
            h2h_bias,
            kernel=self._h2h_kernel,
            pad=self._h2h_pad,
            dilate=self._h2h_dilate,
            name=f"{step}h2h",
            **shared,
        )
        return i2h, h2h

    # One slice operator for all gates, as MXNet's graphs have it.
    def _split_gates(self, F: Any, x: Any, name: str) -> Any:
        """Return the gates, split along the channel axis."""
        return F.SliceChannel(x, num_outputs=self._hy_gates, axis=self._channel_axis, name=name)


class ConvRNNStep(ConvCell):
    """One step of a plain convolutional recurrent cell."""

    def _alias(self) -> str:
        return "conv_rnn"

    def _hy_step(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:  # noqa: ARG002  # others need them
        output = activate(F, i2h + h2h, self._activation, name=f"{self._hy_prefix}out")
        return output, [output]


class ConvLSTMStep(ConvCell):
    """One step of a convolutional long short-term memory (LSTM)."""

    _hy_gates = 4
    _states = 2

    def _alias(self) -> str:
        return "conv_lstm"

    def _hy_step(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        step = self._hy_prefix
        parts = self._split_gates(F, i2h + h2h, f"{step}slice")
        inner = partial(activate, F, activation=self._activation)
        gate = operator(F, "sigmoid")
        c, o = lstm_memory(Arithmetic(F, step), parts, states[1], gate, inner)
        h = F.elemwise_mul(o, activate(F, c, self._activation), name=f"{step}out")
        return h, [h, c]


class ConvGRUStep(ConvCell):
    """One step of a convolutional gated recurrent unit (GRU)."""

    _hy_gates = 3

    def _alias(self) -> str:
        return "conv_gru"

    def _hy_step(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        step = self._hy_prefix
        x = self._split_gates(F, i2h, f"{step}i2h_slice")
        u = self._split_gates(F, h2h, f"{step}h2h_slice")
        inner = partial(activate, F, activation=self._activation)
        gate = operator(F, "sigmoid")
        h = gru_state(Arithmetic(F, step), x, u, states[0], gate, inner)
        return h, [h]
