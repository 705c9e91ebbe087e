"""Convolutional recurrent cells, for image inputs and states."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hy_ndarray import ArgumentError
from hy_symbol import Symbol, sym
from mxnet.rnn.base import BaseRNNCell, RNNParams
from mxnet.rnn.cells import gated_gru, gated_lstm

__all__ = ["BaseConvRNNCell", "ConvGRUCell", "ConvLSTMCell", "ConvRNNCell"]

_Pair = Sequence[int]
_LEAKY = partial(sym.LeakyReLU, act_type="leaky", slope=0.2)


class BaseConvRNNCell(BaseRNNCell):
    """Base class of convolutional recurrent cells.

    Args:
        input_shape: Shape of a step's input in ``conv_layout``; the batch size has no effect.
        num_hidden: Channels of the state.
        h2h_kernel: Kernel of the state's convolution; odd, so that the state keeps its size.
        h2h_dilate: Dilation of the state's convolution.
        i2h_kernel: Kernel of the input's convolution.
        i2h_stride: Stride of the input's convolution.
        i2h_pad: Padding of the input's convolution.
        i2h_dilate: Dilation of the input's convolution.
        i2h_weight_initializer: Initializer of the input's weight; the module's if None.
        h2h_weight_initializer: Initializer of the state's weight.
        i2h_bias_initializer: Initializer of the input's bias.
        h2h_bias_initializer: Initializer of the state's bias.
        activation: Name of an activation, or a function of a symbol and ``name``.
        prefix: Prefix of names.
        params: Variables shared with another cell.
        conv_layout: ``"NCHW"`` or ``"NHWC"``.

    Raises:
        ArgumentError: ``h2h_kernel`` is even.
    """

    _default_prefix = ""

    def __init__(
        self,
        input_shape: Sequence[int],
        num_hidden: int,
        h2h_kernel: _Pair = (3, 3),
        h2h_dilate: _Pair = (1, 1),
        i2h_kernel: _Pair = (3, 3),
        i2h_stride: _Pair = (1, 1),
        i2h_pad: _Pair = (1, 1),
        i2h_dilate: _Pair = (1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        activation: Any = _LEAKY,
        prefix: str | None = None,
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(self._default_prefix if prefix is None else prefix, params)
        if any(size % 2 == 0 for size in h2h_kernel):
            raise ArgumentError(
                f"{type(self).__name__}: Only support odd number, get h2h_kernel= {h2h_kernel}"
            )
        self._h2h_kernel = tuple(h2h_kernel)
        # Half the dilated window, so that a step keeps the state's size; windows of even size have
        # no half.
        self._h2h_pad = tuple(d * (k - 1) // 2 for k, d in zip(h2h_kernel, h2h_dilate, strict=True))
        self._h2h_dilate = tuple(h2h_dilate)
        self._i2h_kernel = tuple(i2h_kernel)
        self._i2h_stride = tuple(i2h_stride)
        self._i2h_pad = tuple(i2h_pad)
        self._i2h_dilate = tuple(i2h_dilate)
        self._num_hidden = num_hidden
        self._input_shape = tuple(input_shape)
        self._conv_layout = conv_layout
        self._activation = activation
        self._state_shape = self._inferred_state_shape()
        self._iW = self._variable("i2h_weight", i2h_weight_initializer)
        self._hW = self._variable("h2h_weight", h2h_weight_initializer)
        self._iB = self._variable("i2h_bias", i2h_bias_initializer)
        self._hB = self._variable("h2h_bias", h2h_bias_initializer)

    def _variable(self, name: str, init: Any) -> Symbol:
        return self.params.get(name, **({} if init is None else {"init": init}))

    def _inferred_state_shape(self) -> tuple[int, ...]:
        """Return the shape of the state, with unknown batch size."""
        image = sym.Convolution(sym.var("data"), num_filter=self._num_hidden, **self._i2h_options())
        _, outputs, _ = image.infer_shape(data=self._input_shape)
        assert outputs is not None
        assert outputs[0] is not None
        return 0, *outputs[0][1:]

    def _i2h_options(self) -> dict[str, Any]:
        """Return the arguments of the input's convolution."""
        return {
            "kernel": self._i2h_kernel,
            "stride": self._i2h_stride,
            "pad": self._i2h_pad,
            "dilate": self._i2h_dilate,
            "layout": self._conv_layout,
        }

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the state, an image."""
        return [{"shape": self._state_shape, "__layout__": self._conv_layout}]

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def _conv_forward(
        self, inputs: Symbol, states: Sequence[Symbol], name: str
    ) -> tuple[Symbol, Symbol]:
        """Return the convolutions of input and state, with all gates along the channels."""
        filters = self._num_hidden * self._num_gates
        i2h = sym.Convolution(
            inputs,
            self._iW,
            self._iB,
            num_filter=filters,
            name=f"{name}i2h",
            **self._i2h_options(),
        )
        # Stride 1: the state keeps its size from step to step.
        options: dict[str, Any] = {
            "kernel": self._h2h_kernel,
            "stride": (1, 1),
            "pad": self._h2h_pad,
            "dilate": self._h2h_dilate,
            "layout": self._conv_layout,
        }
        h2h = sym.Convolution(
            states[0], self._hW, self._hB, num_filter=filters, name=f"{name}h2h", **options
        )
        return i2h, h2h

    def _next_name(self) -> str:
        self._counter += 1
        return f"{self._prefix}t{self._counter}_"


class ConvRNNCell(BaseConvRNNCell):
    """Convolutional Elman RNN cell; see the arguments of :class:`BaseConvRNNCell`.

    Example:
        >>> import mxnet as mx
        >>> mx.rnn.ConvRNNCell((1, 3, 8, 8), num_hidden=4).state_shape
        [(0, 4, 8, 8)]
    """

    _default_prefix = "ConvRNN_"
    _gate_names: Sequence[str] = ("",)

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        name = self._next_name()
        i2h, h2h = self._conv_forward(inputs, states, name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class ConvLSTMCell(BaseConvRNNCell):
    """Convolutional LSTM cell (Shi et al., 2015), without peephole connections."""

    _default_prefix = "ConvLSTM_"
    _gate_names: Sequence[str] = ("_i", "_f", "_c", "_o")

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shapes of the output and the memory, both images."""
        return super().state_info * 2

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        name = self._next_name()
        i2h, h2h = self._conv_forward(inputs, states, name)
        return gated_lstm(self, i2h + h2h, states[1], name, self._activation)


class ConvGRUCell(BaseConvRNNCell):
    """Convolutional GRU cell."""

    _default_prefix = "ConvGRU_"
    _gate_names: Sequence[str] = ("_r", "_z", "_o")

    def __call__(self, inputs: Symbol, states: list[Symbol]) -> tuple[Symbol, list[Symbol]]:
        """Return output and states after one step."""
        name = self._next_name()
        i2h, h2h = self._conv_forward(inputs, states, name)
        return gated_gru(self, i2h, h2h, states[0], name, self._activation)
