"""Private functions of ``mxnet.gluon.model_zoo.vision``: building blocks of models."""

from typing import Any

from hy_gluon import nn
from hy_gluon.model_zoo.vision import densenet, squeezenet
from hy_gluon.model_zoo.vision.mobilenet import RELU6
from mxnet._private.errors import ShapesError

_Setting = tuple[Any, ...]


def _make_basic_conv(**kwargs: Any) -> nn.HybridSequential:
    """Return a convolution without bias, batch normalization and ReLU.

    Args:
        kwargs: Arguments of :class:`Conv2D`.
    """
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(use_bias=False, **kwargs))
    out.add(nn.BatchNorm(epsilon=0.001))
    out.add(nn.Activation("relu"))
    return out


def _make_branch(use_pool: str | None, *conv_settings: _Setting) -> nn.HybridSequential:
    """Return a branch of Inception: a pooling (``"avg"``, ``"max"`` or None), and convolutions.

    Args:
        use_pool: The pooling.
        conv_settings: Channels, window, strides and padding of each convolution; None for defaults.
    """
    out = nn.HybridSequential(prefix="")
    if use_pool == "avg":
        out.add(nn.AvgPool2D(pool_size=3, strides=1, padding=1))
    elif use_pool == "max":
        out.add(nn.MaxPool2D(pool_size=3, strides=2))
    names = ("channels", "kernel_size", "strides", "padding")
    for setting in conv_settings:
        options = zip(names, setting, strict=True)
        out.add(_make_basic_conv(**{name: value for name, value in options if value is not None}))
    return out


def _concurrent(prefix: str, *branches: Any) -> nn.HybridConcurrent:
    out = nn.HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        for pool, settings in branches:
            out.add(_make_branch(pool, *settings))
    return out


def _make_A(pool_features: int, prefix: str) -> nn.HybridConcurrent:  # noqa: N802  # MXNet's
    """Return Inception block A: branches with windows of 1, 5, and twice 3."""
    return _concurrent(
        prefix,
        (None, [(64, 1, None, None)]),
        (None, [(48, 1, None, None), (64, 5, None, 2)]),
        (None, [(64, 1, None, None), (96, 3, None, 1), (96, 3, None, 1)]),
        ("avg", [(pool_features, 1, None, None)]),
    )


def _make_B(prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block B, which halves height and width."""
    return _concurrent(
        prefix,
        (None, [(384, 3, 2, None)]),
        (None, [(64, 1, None, None), (96, 3, None, 1), (96, 3, 2, None)]),
        ("max", []),
    )


def _make_C(channels_7x7: int, prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block C: branches with windows of 7, factored into rows and columns."""
    c = channels_7x7
    # Szegedy et al. 2015, arXiv:1512.00567, figure 6: windows of 7 x 7 as 1 x 7 and 7 x 1.
    row, column = ((1, 7), None, (0, 3)), ((7, 1), None, (3, 0))
    return _concurrent(
        prefix,
        (None, [(192, 1, None, None)]),
        (None, [(c, 1, None, None), (c, *row), (192, *column)]),
        (None, [(c, 1, None, None), (c, *column), (c, *row), (c, *column), (192, *row)]),
        ("avg", [(192, 1, None, None)]),
    )


def _make_D(prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block D, which halves height and width."""
    row, column = ((1, 7), None, (0, 3)), ((7, 1), None, (3, 0))
    return _concurrent(
        prefix,
        (None, [(192, 1, None, None), (320, 3, 2, None)]),
        (None, [(192, 1, None, None), (192, *row), (192, *column), (192, 3, 2, None)]),
        ("max", []),
    )


def _make_E(prefix: str) -> nn.HybridConcurrent:  # noqa: N802
    """Return Inception block E: branches with row and column windows in parallel."""
    # Szegedy et al. 2015, arXiv:1512.00567, figure 7: 3 x 3 windows as two parallel halves.
    out = nn.HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(_make_branch(None, (320, 1, None, None)))
        for first in ([(384, 1, None, None)], [(448, 1, None, None), (384, 3, None, 1)]):
            branch = nn.HybridSequential(prefix="")
            branch.add(_make_branch(None, *first))
            both = nn.HybridConcurrent(axis=1, prefix="")
            both.add(_make_branch(None, (384, (1, 3), None, (0, 1))))
            both.add(_make_branch(None, (384, (3, 1), None, (1, 0))))
            branch.add(both)
            out.add(branch)
        out.add(_make_branch("avg", (192, 1, None, None)))
    return out


def make_aux(classes: int) -> nn.HybridSequential:
    """Return an auxiliary classifier of intermediate features."""
    out = nn.HybridSequential(prefix="")
    out.add(nn.AvgPool2D(pool_size=5, strides=3))
    out.add(_make_basic_conv(channels=128, kernel_size=1))
    out.add(_make_basic_conv(channels=768, kernel_size=5))
    out.add(nn.Flatten())
    out.add(nn.Dense(classes))
    return out


def _make_fire_conv(channels: int, kernel_size: int, padding: int = 0) -> nn.HybridSequential:
    """Return a convolution followed by ReLU."""
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(channels, kernel_size, padding=padding))
    out.add(nn.Activation("relu"))
    return out


def _make_fire(
    squeeze_channels: int, expand1x1_channels: int, expand3x3_channels: int
) -> nn.HybridSequential:
    """Return a fire block: reduces the channels, and expands them by two convolutions."""
    out = nn.HybridSequential(prefix="")
    out.add(_make_fire_conv(squeeze_channels, 1))
    paths = nn.HybridConcurrent(axis=1, prefix="")
    paths.add(_make_fire_conv(expand1x1_channels, 1))
    paths.add(_make_fire_conv(expand3x3_channels, 3, 1))
    out.add(paths)
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
