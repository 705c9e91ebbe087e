"""Deformable convolutions: windows that sample at learned offsets."""

from math import prod
from typing import Any, ClassVar

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Init, Sizes, check_layout, sizes, window_repr
from hy_gluon.nn.activation import activation_of
from hy_gluon.parameter import Parameter, ParameterDict

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]


class _Deformable(HybridBlock):
    """Base class of deformable convolutions; an ordinary convolution computes the offsets."""

    _PER_POINT: ClassVar[int]
    """How many numbers that convolution gives for each point of the window."""
    _OPERATOR: ClassVar[str]
    _ORDER: ClassVar[tuple[str, str]]
    """Whose parameters come first: files of optimizer states go by that."""
    offset_weight: Parameter
    offset_bias: Parameter | None
    deformable_conv_weight: Parameter
    deformable_conv_bias: Parameter | None

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes = (1, 1),
        strides: Sizes = (1, 1),
        padding: Sizes = (0, 0),
        dilation: Sizes = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        offset_weight_initializer: Init = "zeros",
        offset_bias_initializer: Init = "zeros",
        offset_use_bias: bool = True,
        op_name: str | None = None,
        adj: Sizes | None = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._check_arguments(channels, in_channels, groups, num_deformable_group, layout, adj)
        window = sizes(kernel_size, 2, "kernel_size")
        self._window: dict[str, Any] = {
            "kernel": window,
            "stride": sizes(strides, 2, "strides"),
            "dilate": sizes(dilation, 2, "dilation"),
            "pad": sizes(padding, 2, "padding"),
            "num_group": groups,
            "layout": layout,
        }
        self._op_name = op_name or self._OPERATOR
        self._points = num_deformable_group * prod(window)
        offsets = self._PER_POINT * self._points
        # MXNet's attribute, which exported graphs have; it changes nothing here.
        self._offset_kwargs = {"num_filter": offsets, "cudnn_off": True}
        self._deformable_kwargs = {
            "num_filter": channels,
            "num_deformable_group": num_deformable_group,
        }
        options = {
            "offset": (offsets, offset_weight_initializer, offset_bias_initializer),
            "deformable_conv": (channels, weight_initializer, bias_initializer),
        }
        has_bias = {"offset": offset_use_bias, "deformable_conv": use_bias}
        with self.name_scope():
            for part in self._ORDER:
                count, weight, bias = options[part]
                shape = (count, in_channels // groups, *window)
                setattr(
                    self, f"{part}_weight", self._create_parameter(f"{part}_weight", shape, weight)
                )
                own = (
                    self._create_parameter(f"{part}_bias", (count,), bias)
                    if has_bias[part]
                    else None
                )
                setattr(self, f"{part}_bias", own)
            self.act = activation_of(activation)

    def _create_parameter(self, name: str, shape: tuple[int, ...], init: Init) -> Parameter:
        return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

    def _check_arguments(
        self,
        channels: int,
        in_channels: int,
        groups: int,
        deformable: int,
        layout: str,
        adj: Sizes | None,
    ) -> None:
        name = type(self).__name__
        check_layout(layout, ("NCHW",))
        if adj is not None:
            raise LayerError(f"{name}: adj is for transposed convolutions, which these are not")
        if min(channels, groups, deformable) < 1:
            raise LayerError(
                f"{name}: channels={channels}, groups={groups}, "
                f"num_deformable_group={deformable} must be at least 1"
            )
        if channels % groups or in_channels % groups or in_channels % deformable:
            raise LayerError(
                f"{name}: groups={groups} must divide channels={channels} and "
                f"in_channels={in_channels}, and num_deformable_group={deformable} the latter"
            )

    def _offsets_and_mask(self, F: Any, x: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
        """Return the operator's offsets and, if modulated, its mask."""
        raise NotImplementedError(f"{type(self).__name__} must define _offsets_and_mask")

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        """Return the layer's output for ``x``."""
        positions = self._offsets_and_mask(F, x, offset_weight, offset_bias)
        y = getattr(F.contrib, self._op_name)(
            x,
            *positions,
            deformable_conv_weight,
            deformable_conv_bias,
            name="fwd",
            no_bias=deformable_conv_bias is None,
            **self._deformable_kwargs,
            **self._window,
        )
        return y if self.act is None else self.act(y)

    def _offsets(self, F: Any, x: Any, weight: Any, bias: Any) -> Any:
        return F.Convolution(
            x, weight, bias, no_bias=bias is None, **self._offset_kwargs, **self._window
        )

    def __repr__(self) -> str:
        shape, has_bias = self.deformable_conv_weight.shape, self.deformable_conv_bias is not None
        assert shape is not None
        return window_repr(self, shape, self._window, use_bias=has_bias, act=self.act)


class DeformableConvolution(_Deformable):
    """Deformable convolution over images.

    Args:
        channels: Channels of the output.
        kernel_size: Size of the window.
        strides: Step of the window.
        padding: Zeros on both sides.
        dilation: Distance between the elements of the window.
        groups: Number of independent groups of channels.
        num_deformable_group: Number of groups of channels with separate offsets.
        layout: ``"NCHW"``, the only one.
        use_bias: Whether there is a bias.
        in_channels: Channels ``C`` of the input; 0 to infer it from the first input.
        activation: Name of an activation function, or None.
        weight_initializer: Initializer of the weight, ``[channels, C / groups, *kernel_size]``.
        bias_initializer: Initializer of the bias, ``[channels]``.
        offset_weight_initializer: Initializer of the weight of the offset convolution.
        offset_bias_initializer: Initializer of the bias of the offset convolution.
        offset_use_bias: Whether the offset convolution has a bias.
        op_name: Name of the operator.
        adj: Must be None.
        prefix: Prefix of the names of its parameters; automatic if None.
        params: Parameters of another layer to share.

    Raises:
        LayerError: A size has the wrong length, the layout is not ``"NCHW"``, or the channels are
            not a multiple of the groups.

    Source:
        Dai et al. 2017, arXiv:1703.06211.

    Example:
        >>> from hy_ndarray import nd
        >>> layer = DeformableConvolution(4, kernel_size=3, padding=1)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 5, 5))).shape
        (2, 4, 5, 5)
    """

    _PER_POINT = 2
    _OPERATOR = "DeformableConvolution"
    _ORDER = ("offset", "deformable_conv")

    def _alias(self) -> str:
        return "deformable_conv"

    def _offsets_and_mask(self, F: Any, x: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
        return (self._offsets(F, x, weight, bias),)


class ModulatedDeformableConvolution(_Deformable):
    """Deformable convolution that also multiplies each sample by a weight from 0 to 2.

    The arguments are those of :class:`DeformableConvolution`.

    Source:
        Zhu et al. 2019, arXiv:1811.11168.

    Example:
        >>> from hy_ndarray import nd
        >>> layer = ModulatedDeformableConvolution(4, kernel_size=3, padding=1)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 5, 5))).shape, layer.offset_weight.shape
        ((2, 4, 5, 5), (27, 3, 3, 3))
    """

    _PER_POINT = 3
    _OPERATOR = "ModulatedDeformableConvolution"
    _ORDER = ("deformable_conv", "offset")

    def _alias(self) -> str:
        return "modulated_deformable_conv"

    def _offsets_and_mask(self, F: Any, x: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
        both = self._offsets(F, x, weight, bias)
        offsets = F.slice_axis(both, axis=1, begin=0, end=2 * self._points)
        # Times 2, so that initial zeros weigh each point by 1, as MXNet has it.
        strength = F.slice_axis(both, axis=1, begin=2 * self._points, end=None)
        return offsets, F.sigmoid(strength) * 2
