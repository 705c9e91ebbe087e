"""Recurrent cells whose products are convolutions, for sequences of images."""

from typing import Any

from hy_gluon.contrib.rnn._convolution import ConvGRUStep, ConvLSTMStep, ConvRNNStep
from hy_gluon.nn._arguments import Init, Sizes
from hy_gluon.parameter import ParameterDict

__all__ = [
    "Conv1DGRUCell",
    "Conv1DLSTMCell",
    "Conv1DRNNCell",
    "Conv2DGRUCell",
    "Conv2DLSTMCell",
    "Conv2DRNNCell",
    "Conv3DGRUCell",
    "Conv3DLSTMCell",
    "Conv3DRNNCell",
]


class Conv1DRNNCell(ConvRNNStep):
    """A plain recurrent cell over signals: :class:`RNNCell` with convolutions.

    Args:
        input_shape: Shape of one input without the batch: ``(C, W)``, or with ``C`` last.
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
        conv_layout: ``"NCW"`` or ``"NWC"``.
        activation: Name of an activation, a LeakyReLU, or a function.
        prefix: Put in front of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Raises:
        LayerError: A window is even, or an argument does not have one number per spatial axis.

    Example:
        >>> cell = Conv1DRNNCell((2, 5), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5), Conv1DRNNCell(2 -> 3, tanh, NCW))
    """

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
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            1,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv2DRNNCell(ConvRNNStep):
    """A plain recurrent cell over images: :class:`RNNCell` with convolutions.

    Args:
        input_shape: Shape of one input without the batch: ``(C, H, W)``, or with ``C`` last.
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
        conv_layout: ``"NCHW"`` or ``"NHWC"``.
        activation: Name of an activation, a LeakyReLU, or a function.
        prefix: Put in front of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Raises:
        LayerError: A window is even, or an argument does not have one number per spatial axis.

    Example:
        >>> cell = Conv2DRNNCell((2, 5, 4), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5, 4)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5, 4), Conv2DRNNCell(2 -> 3, tanh, NCHW))
    """

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = (0, 0),
        i2h_dilate: Sizes = (1, 1),
        h2h_dilate: Sizes = (1, 1),
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str = "NCHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            2,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv3DRNNCell(ConvRNNStep):
    """A plain recurrent cell over volumes: :class:`RNNCell` with convolutions.

    Args:
        input_shape: Shape of one input without the batch: ``(C, D, H, W)``, or with ``C`` last.
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
        conv_layout: ``"NCDHW"`` or ``"NDHWC"``.
        activation: Name of an activation, a LeakyReLU, or a function.
        prefix: Put in front of the names of the parameters; automatic if None.
        params: Parameters of another cell to share.

    Raises:
        LayerError: A window is even, or an argument does not have one number per spatial axis.

    Example:
        >>> cell = Conv3DRNNCell((2, 5, 4, 3), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5, 4, 3)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5, 4, 3), Conv3DRNNCell(2 -> 3, tanh, NCDHW))
    """

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = (0, 0, 0),
        i2h_dilate: Sizes = (1, 1, 1),
        h2h_dilate: Sizes = (1, 1, 1),
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str = "NCDHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            3,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv1DLSTMCell(ConvLSTMStep):
    """A long short-term memory over signals: :class:`LSTMCell` with convolutions.

    Its arguments are those of :class:`Conv1DRNNCell`.

    Source:
        Shi et al., Convolutional LSTM Network: A Machine Learning Approach for Precipitation
        Nowcasting, arXiv:1506.04214.

    Example:
        >>> cell = Conv1DLSTMCell((2, 5), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5), Conv1DLSTMCell(2 -> 12, tanh, NCW))
    """

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
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            1,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv2DLSTMCell(ConvLSTMStep):
    """A long short-term memory over images: :class:`LSTMCell` with convolutions.

    Its arguments are those of :class:`Conv2DRNNCell`.

    Source:
        Shi et al., Convolutional LSTM Network: A Machine Learning Approach for Precipitation
        Nowcasting, arXiv:1506.04214.

    Example:
        >>> cell = Conv2DLSTMCell((2, 5, 4), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5, 4)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5, 4), Conv2DLSTMCell(2 -> 12, tanh, NCHW))
    """

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = (0, 0),
        i2h_dilate: Sizes = (1, 1),
        h2h_dilate: Sizes = (1, 1),
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str = "NCHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            2,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv3DLSTMCell(ConvLSTMStep):
    """A long short-term memory over volumes: :class:`LSTMCell` with convolutions.

    Its arguments are those of :class:`Conv3DRNNCell`.

    Source:
        Shi et al., Convolutional LSTM Network: A Machine Learning Approach for Precipitation
        Nowcasting, arXiv:1506.04214.

    Example:
        >>> cell = Conv3DLSTMCell((2, 5, 4, 3), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5, 4, 3)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5, 4, 3), Conv3DLSTMCell(2 -> 12, tanh, NCDHW))
    """

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = (0, 0, 0),
        i2h_dilate: Sizes = (1, 1, 1),
        h2h_dilate: Sizes = (1, 1, 1),
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str = "NCDHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            3,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv1DGRUCell(ConvGRUStep):
    """A gated recurrent unit over signals: :class:`GRUCell` with convolutions.

    Its arguments are those of :class:`Conv1DRNNCell`.

    Example:
        >>> cell = Conv1DGRUCell((2, 5), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5), Conv1DGRUCell(2 -> 9, tanh, NCW))
    """

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
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            1,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv2DGRUCell(ConvGRUStep):
    """A gated recurrent unit over images: :class:`GRUCell` with convolutions.

    Its arguments are those of :class:`Conv2DRNNCell`.

    Example:
        >>> cell = Conv2DGRUCell((2, 5, 4), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5, 4)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5, 4), Conv2DGRUCell(2 -> 9, tanh, NCHW))
    """

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = (0, 0),
        i2h_dilate: Sizes = (1, 1),
        h2h_dilate: Sizes = (1, 1),
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str = "NCHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            2,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv3DGRUCell(ConvGRUStep):
    """A gated recurrent unit over volumes: :class:`GRUCell` with convolutions.

    Its arguments are those of :class:`Conv3DRNNCell`.

    Example:
        >>> cell = Conv3DGRUCell((2, 5, 4, 3), 3, 3, 3, i2h_pad=1)
        >>> cell.initialize()
        >>> output, states = cell(nd.ones((1, 2, 5, 4, 3)), cell.begin_state(batch_size=1))
        >>> output.shape, cell
        ((1, 3, 5, 4, 3), Conv3DGRUCell(2 -> 9, tanh, NCDHW))
    """

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = (0, 0, 0),
        i2h_dilate: Sizes = (1, 1, 1),
        h2h_dilate: Sizes = (1, 1, 1),
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str = "NCDHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            3,
            conv_layout,
            activation,
            prefix,
            params,
        )
