"""Private functions of ``mxnet.gluon.model_zoo.vision``: building blocks of models."""

from typing import Any

from hy_gluon import nn
from hy_gluon.model_zoo.vision import densenet, inception, squeezenet
from hy_gluon.model_zoo.vision.mobilenet import RELU6
from mxnet._private.errors import ShapesError

_Setting = tuple[Any, ...]


_make_fire_conv, _make_fire = squeezenet.conv, squeezenet.fire


def _make_basic_conv(**kwargs: Any) -> nn.HybridSequential:
    """Return a convolution without bias, batch normalization and ReLU.

    Args:
        kwargs: Arguments of :class:`Conv2D`.
    """
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(use_bias=False, **kwargs))
    out.add(nn.BatchNorm(epsilon=0.001), nn.Activation("relu"))
    return out


def _make_branch(use_pool: str | None, *conv_settings: _Setting) -> nn.HybridSequential:
    """Return a branch of Inception: a pooling (``"avg"``, ``"max"`` or None), and convolutions.

    Args:
        use_pool: The pooling.
        conv_settings: Channels, window, strides and padding of each convolution; None for defaults.
    """
    out = nn.HybridSequential(prefix="")
    if use_pool == "avg":
        out.add(inception.average())
    elif use_pool == "max":
        out.add(nn.MaxPool2D(pool_size=3, strides=2))
    for channels, kernel, strides, padding in conv_settings:
        out.add(inception.conv(channels, kernel, padding or 0, strides or 1))
    return out


def _make_A(pool_features: int, prefix: str) -> nn.HybridConcurrent:  # noqa: N802  # MXNet's
    """Return Inception block A."""
    return inception.concurrent(prefix, lambda: inception.block_a(pool_features))


def _make_B(prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block B."""
    return inception.concurrent(prefix, inception.block_b)


def _make_C(channels_7x7: int, prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block C."""
    return inception.concurrent(prefix, lambda: inception.block_c(channels_7x7))


def _make_D(prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block D."""
    return inception.concurrent(prefix, inception.block_d)


def _make_E(prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block E."""
    return inception.concurrent(prefix, inception.block_e)


def make_aux(classes: int) -> nn.HybridSequential:
    """Return an auxiliary classifier of intermediate features."""
    out = nn.HybridSequential(prefix="")
    out.add(nn.AvgPool2D(pool_size=5, strides=3))
    out.add(inception.conv(128, 1), inception.conv(768, 5))
    out.add(nn.Flatten())
    out.add(nn.Dense(classes))
    return out


def _add_conv(
    out: Any,
    channels: int = 1,
    kernel: int = 1,
    stride: int = 1,
    pad: int = 0,
    num_group: int = 1,
    active: bool = True,
    relu6: bool = False,
) -> None:
    """Add a convolution without bias, batch normalization, and ReLU if ``active``."""
    out.add(nn.Conv2D(channels, kernel, stride, pad, groups=num_group, use_bias=False))
    out.add(nn.BatchNorm(scale=True))
    if active:
        out.add(RELU6() if relu6 else nn.Activation("relu"))


def _add_conv_dw(
    out: Any, dw_channels: int, channels: int, stride: int, relu6: bool = False
) -> None:
    """Add a depthwise and a pointwise convolution to a container."""
    groups = dw_channels
    _add_conv(out, dw_channels, 3, stride, 1, num_group=groups, relu6=relu6)
    _add_conv(out, channels, relu6=relu6)


def get_densenet(
    num_layers: int, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> Any:
    """Return DenseNet of 121, 161, 169 or 201 layers.

    Args:
        num_layers: Number of layers.
        pretrained: Whether to load its parameters from a file in ``root``.
        ctx: Contexts of the parameters.
        root: Folder of the parameter file.
        kwargs: Arguments of :class:`DenseNet`.

    Raises:
        ShapesError: There is no DenseNet with that number of layers.
    """
    net = getattr(densenet, f"densenet{num_layers}", None)
    if net is None:
        raise ShapesError(f"DenseNet: num_layers must be 121, 161, 169 or 201, not {num_layers}")
    return net(pretrained=pretrained, ctx=ctx, **_root(root), **kwargs)


def get_squeezenet(
    version: str, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> Any:
    """Return SqueezeNet ``"1.0"`` or ``"1.1"``; see the arguments of :func:`get_densenet`.

    Raises:
        CheckError: There is no such version.
    """
    net = getattr(squeezenet, f"squeezenet{version.replace('.', '_')}", None)
    if net is None:
        raise ShapesError(f"SqueezeNet: version must be '1.0' or '1.1', not {version!r}")
    return net(pretrained=pretrained, ctx=ctx, **_root(root), **kwargs)


def _root(root: Any) -> dict[str, Any]:
    return {} if root is None else {"root": root}
