"""Transposed convolutions."""

from typing import Any

from hy_gluon.nn._arguments import Init, Sizes, check_layout, sizes
from hy_gluon.nn.conv import _Conv

__all__ = ["Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"]


class Conv1DTranspose(_Conv):
    """Transposed convolution over one axis, such as time.

    It is the gradient of a convolution to its input.

    Args:
        channels: Channels of the output.
        kernel_size: Size of the window.
        strides: Step of the window in the output.
        padding: How much of the output is cut off on both sides.
        output_padding: How much is added to the output behind.
        dilation: Distance between the elements of the window.
        groups: Into how many independent groups the channels are divided.
        layout: ``"NCW"``, the only one.
        activation: Name of an activation function, or None.
        use_bias: Whether there is a bias.
        weight_initializer: Initializer of the weight, ``[C, channels / groups, *kernel_size]``.
        bias_initializer: Initializer of the bias, ``[channels]``.
        in_channels: Channels ``C`` of the input; 0 for what the first input has.

    Raises:
        LayerError: A size has the wrong length, the layout is another one, or ``groups`` does not
            divide the channels.

    Example:
        >>> layer = Conv1DTranspose(4, kernel_size=3, strides=2)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 8))).shape
        (2, 4, 17)
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        check_layout(layout, ("NCW",))
        super().__init__(
            channels,
            sizes(kernel_size, 1, "kernel_size"),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            op_name="Deconvolution",
            adj=output_padding,
            **kwargs,
        )
        self.outpad = self._kwargs["adj"]


class Conv2DTranspose(_Conv):
    """Transposed convolution over two axes, such as images.

    It is the gradient of a convolution to its input.

    Args:
        channels: Channels of the output.
        kernel_size: Size of the window.
        strides: Step of the window in the output.
        padding: How much of the output is cut off on both sides.
        output_padding: How much is added to the output behind.
        dilation: Distance between the elements of the window.
        groups: Into how many independent groups the channels are divided.
        layout: ``"NCHW"`` or ``"NHWC"``; the weight follows it.
        activation: Name of an activation function, or None.
        use_bias: Whether there is a bias.
        weight_initializer: Initializer of the weight, ``[C, channels / groups, *kernel_size]``.
        bias_initializer: Initializer of the bias, ``[channels]``.
        in_channels: Channels ``C`` of the input; 0 for what the first input has.

    Raises:
        LayerError: A size has the wrong length, the layout is another one, or ``groups`` does not
            divide the channels.

    Example:
        >>> layer = Conv2DTranspose(4, kernel_size=3, strides=2)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 8, 8))).shape
        (2, 4, 17, 17)
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = (1, 1),
        padding: Sizes = (0, 0),
        output_padding: Sizes = (0, 0),
        dilation: Sizes = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        check_layout(layout, ("NCHW", "NHWC"))
        super().__init__(
            channels,
            sizes(kernel_size, 2, "kernel_size"),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            op_name="Deconvolution",
            adj=output_padding,
            **kwargs,
        )
        self.outpad = self._kwargs["adj"]


class Conv3DTranspose(_Conv):
    """Transposed convolution over three axes, such as videos.

    It is the gradient of a convolution to its input.

    Args:
        channels: Channels of the output.
        kernel_size: Size of the window.
        strides: Step of the window in the output.
        padding: How much of the output is cut off on both sides.
        output_padding: How much is added to the output behind.
        dilation: Distance between the elements of the window.
        groups: Into how many independent groups the channels are divided.
        layout: ``"NCDHW"`` or ``"NDHWC"``; the weight follows it.
        activation: Name of an activation function, or None.
        use_bias: Whether there is a bias.
        weight_initializer: Initializer of the weight, ``[C, channels / groups, *kernel_size]``.
        bias_initializer: Initializer of the bias, ``[channels]``.
        in_channels: Channels ``C`` of the input; 0 for what the first input has.

    Raises:
        LayerError: A size has the wrong length, the layout is another one, or ``groups`` does not
            divide the channels.

    Example:
        >>> layer = Conv3DTranspose(4, kernel_size=3, strides=2)
        >>> layer.initialize()
        >>> layer(nd.ones((1, 3, 4, 4, 4))).shape
        (1, 4, 9, 9, 9)
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = (1, 1, 1),
        padding: Sizes = (0, 0, 0),
        output_padding: Sizes = (0, 0, 0),
        dilation: Sizes = (1, 1, 1),
        groups: int = 1,
        layout: str = "NCDHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        check_layout(layout, ("NCDHW", "NDHWC"))
        super().__init__(
            channels,
            sizes(kernel_size, 3, "kernel_size"),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            op_name="Deconvolution",
            adj=output_padding,
            **kwargs,
        )
        self.outpad = self._kwargs["adj"]
