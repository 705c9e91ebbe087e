"""Rows of test_layers.py: every layer, with the arguments that change what it computes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hy_gluon import HybridBlock, nn
from hy_gluon.contrib import cnn, nn as contrib_nn
from tests.gluon.layer_case import LayerCase

__all__ = ["CASES"]


def _stack(*layers: Callable[[], HybridBlock], into: type[nn.HybridSequential]) -> HybridBlock:
    net = into()
    with net.name_scope():
        net.add(*(make() for make in layers))
    return net


def mlp() -> HybridBlock:
    """Two dense layers."""
    return _stack(
        partial(nn.Dense, 4, activation="tanh"), partial(nn.Dense, 2), into=nn.HybridSequential
    )


def convnet() -> HybridBlock:
    """Convolution, normalization, pooling, dense."""
    return _stack(
        partial(nn.Conv2D, 3, 3, padding=1),
        partial(nn.BatchNorm),
        partial(nn.Activation, "sigmoid"),
        partial(nn.AvgPool2D),
        partial(nn.Flatten),
        partial(nn.Dense, 2),
        into=nn.HybridSequential,
    )


def remat() -> HybridBlock:
    """A block whose inside is computed again; its shapes are not known before the first call."""
    block = nn.HybridSequential()
    block.add(nn.Dense(4, activation="tanh"), nn.LayerNorm(), nn.Dense(2))
    return nn.Remat(block)


def branches() -> HybridBlock:
    """A dense layer beside its input."""
    return _stack(
        partial(nn.Dense, 2), partial(contrib_nn.Identity), into=contrib_nn.HybridConcurrent
    )


def scaled() -> HybridBlock:
    """A function as a layer."""
    return nn.HybridLambda(lambda F, x: F.exp(x) * 2)


def named() -> HybridBlock:
    """An operator as a layer."""
    return nn.HybridLambda("sin")


class Turning(HybridBlock):
    """Attention whose queries and keys are turned by their positions."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.rotary = nn.RotaryEmbedding(4, 10.0)
            self.attention = nn.MultiHeadAttention(4, 2, head_units=4, causal=True, dropout=0.2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Attend."""
        places = F.contrib.arange_like(x, axis=1)
        return self.attention(x, None, None, self.rotary(places))


def turning() -> HybridBlock:
    """A block of these."""
    return Turning()


def _distinct(*shape: int) -> Any:
    """All different, far from ties, so that maxima have one gradient."""
    count = int(np.prod(shape))
    return np.random.default_rng(count).permutation(count).reshape(shape) / count


INDICES = [[0, 4, 2], [2, 2, 1]]

CASES = [
    LayerCase(nn.Dense, {"units": 4}, ((3, 5),)),
    LayerCase(nn.Dense, {"units": 4, "activation": "tanh", "use_bias": False}, ((3, 2, 2),)),
    LayerCase(nn.Dense, {"units": 1, "flatten": False, "in_units": 2}, ((3, 2, 2),)),
    LayerCase(nn.Dropout, {"rate": 0.5}, ((3, 5),)),
    LayerCase(nn.Dropout, {"rate": 0}, ((3, 5),)),
    LayerCase(nn.Flatten, {}, ((2, 3, 2),)),
    LayerCase(nn.Embedding, {"input_dim": 5, "output_dim": 3}, ((2, 3),), inputs={0: INDICES}),
    LayerCase(scaled, {}, ((2, 3),)),
    LayerCase(named, {}, ((2, 3),)),
    LayerCase(mlp, {}, ((3, 5),)),
    LayerCase(convnet, {}, ((2, 2, 5, 4),)),
    # activations
    *(
        LayerCase(nn.Activation, {"activation": name}, ((2, 3),), low=0.1)
        for name in ("relu", "sigmoid", "softrelu", "softsign", "tanh")
    ),
    LayerCase(nn.LeakyReLU, {"alpha": 0.2}, ((2, 3),)),
    LayerCase(nn.PReLU, {}, ((2, 3, 2),)),
    LayerCase(nn.PReLU, {"in_channels": 3}, ((2, 3, 2),)),
    LayerCase(nn.ELU, {"alpha": 0.7}, ((2, 3),)),
    LayerCase(nn.SELU, {}, ((2, 3),)),
    LayerCase(nn.GELU, {}, ((2, 3),)),
    LayerCase(nn.SiLU, {}, ((2, 3),)),
    LayerCase(nn.Swish, {"beta": 1.5}, ((2, 3),)),
    # convolutions
    LayerCase(nn.Conv1D, {"channels": 4, "kernel_size": 3}, ((2, 3, 7),)),
    LayerCase(
        nn.Conv1D,
        {"channels": 2, "kernel_size": 3, "strides": 2, "padding": 1, "use_bias": False},
        ((2, 1, 7),),
    ),
    LayerCase(nn.Conv2D, {"channels": 3, "kernel_size": 1}, ((2, 2, 3, 1),)),
    LayerCase(
        nn.Conv2D,
        {"channels": 4, "kernel_size": (3, 2), "groups": 2, "dilation": (2, 1)},
        ((1, 4, 6, 5),),
    ),
    LayerCase(
        nn.Conv2D,
        {"channels": 3, "kernel_size": 2, "layout": "NHWC", "activation": "softrelu"},
        ((1, 4, 3, 2),),
    ),
    LayerCase(nn.Conv3D, {"channels": 2, "kernel_size": (1, 2, 2)}, ((1, 2, 2, 3, 3),)),
    LayerCase(nn.Conv1DTranspose, {"channels": 2, "kernel_size": 3}, ((2, 3, 4),)),
    LayerCase(
        nn.Conv2DTranspose,
        {"channels": 4, "kernel_size": 3, "strides": 2, "padding": 1, "output_padding": 1}
        | {"groups": 2},
        ((1, 2, 3, 2),),
    ),
    LayerCase(nn.Conv3DTranspose, {"channels": 1, "kernel_size": 2}, ((1, 2, 2, 2, 2),)),
    LayerCase(nn.ReflectionPad2D, {"padding": 1}, ((1, 2, 3, 3),)),
    LayerCase(nn.ReflectionPad2D, {"padding": (0, 0, 0, 0, 1, 2, 0, 1)}, ((1, 1, 3, 3),)),
    # pooling
    *(
        LayerCase(layer, kwargs, (shape,), inputs={0: _distinct(*shape)})
        for layer, shape in (
            (nn.MaxPool1D, (2, 3, 7)),
            (nn.MaxPool2D, (1, 2, 5, 6)),
            (nn.MaxPool3D, (1, 1, 4, 5, 3)),
        )
        for kwargs in ({}, {"pool_size": 3, "strides": 2, "padding": 1, "ceil_mode": True})
    ),
    *(
        LayerCase(layer, kwargs, (shape,))
        for layer, shape in (
            (nn.AvgPool1D, (2, 3, 7)),
            (nn.AvgPool2D, (1, 2, 5, 6)),
            (nn.AvgPool3D, (1, 1, 4, 5, 3)),
        )
        for kwargs in ({}, {"pool_size": 3, "padding": 1, "count_include_pad": False})
    ),
    LayerCase(nn.AvgPool2D, {"layout": "NHWC"}, ((1, 4, 5, 2),)),
    LayerCase(nn.GlobalMaxPool1D, {}, ((2, 3, 7),), inputs={0: _distinct(2, 3, 7)}),
    LayerCase(nn.GlobalMaxPool2D, {}, ((1, 3, 2, 7),), inputs={0: _distinct(1, 3, 2, 7)}),
    LayerCase(nn.GlobalMaxPool3D, {}, ((1, 3, 2, 2, 1),), inputs={0: _distinct(1, 3, 2, 2, 1)}),
    LayerCase(nn.GlobalAvgPool1D, {}, ((2, 3, 7),)),
    LayerCase(nn.GlobalAvgPool2D, {}, ((2, 3, 1, 7),)),
    LayerCase(nn.GlobalAvgPool3D, {}, ((2, 3, 1, 2, 3),)),
    # normalization
    LayerCase(nn.BatchNorm, {}, ((3, 4, 2),)),
    LayerCase(nn.BatchNorm, {"axis": -1, "momentum": 0.5, "scale": False}, ((3, 2, 4),)),
    LayerCase(nn.BatchNorm, {"center": False, "use_global_stats": True}, ((3, 4),)),
    LayerCase(nn.BatchNormReLU, {}, ((3, 4, 2),)),
    LayerCase(nn.LayerNorm, {}, ((3, 4),)),
    LayerCase(nn.LayerNorm, {"axis": 1, "center": False, "scale": False}, ((2, 3, 4),)),
    LayerCase(nn.InstanceNorm, {"scale": True}, ((2, 3, 4),)),
    LayerCase(nn.InstanceNorm, {"axis": -1, "epsilon": 0.01}, ((2, 3, 4),)),
    LayerCase(nn.GroupNorm, {"num_groups": 2}, ((2, 4, 3),)),
    LayerCase(nn.RMSNorm, {}, ((2, 3, 4),)),
    LayerCase(nn.RMSNorm, {"epsilon": 0.01, "in_channels": 4}, ((3, 4),)),
    # attention
    LayerCase(nn.MultiHeadAttention, {"units": 6, "num_heads": 2}, ((2, 3, 4),)),
    LayerCase(
        nn.MultiHeadAttention,
        {"units": 4, "num_heads": 4, "num_kv_heads": 2, "head_units": 3, "causal": True}
        | {"use_bias": False, "out_bias": True, "scale": 0.4},
        ((2, 3, 5),),
    ),
    LayerCase(
        nn.MultiHeadAttention,
        {"units": 4, "num_heads": 2, "dropout": 0.5, "num_kv_heads": 1},
        ((2, 3, 4), (2, 5, 3), (2, 1, 3, 5)),
        inputs={2: np.arange(30).reshape(2, 1, 3, 5) % 4},
    ),
    LayerCase(turning, {}, ((2, 3, 4),)),
    LayerCase(nn.SwiGLU, {"units": 3, "hidden_units": 5}, ((2, 3, 4),)),
    LayerCase(nn.GEGLU, {"units": 3, "hidden_units": 2, "use_bias": True}, ((3, 4),)),
    LayerCase(remat, {}, ((3, 5),)),
    # contrib
    LayerCase(branches, {}, ((3, 5),)),
    LayerCase(contrib_nn.Identity, {}, ((2, 3),)),
    LayerCase(contrib_nn.SyncBatchNorm, {"num_devices": 1}, ((3, 4, 2),)),
    LayerCase(contrib_nn.PixelShuffle1D, {"factor": 2}, ((1, 4, 3),)),
    LayerCase(contrib_nn.PixelShuffle2D, {"factor": (2, 3)}, ((1, 12, 2, 3),)),
    LayerCase(contrib_nn.PixelShuffle3D, {"factor": (2, 1, 3)}, ((1, 12, 2, 1, 3),)),
    *(
        LayerCase(layer, kwargs, ((1, 4, 5, 4),))
        for layer in (cnn.DeformableConvolution, cnn.ModulatedDeformableConvolution)
        for kwargs in (
            {"channels": 2, "kernel_size": 3, "padding": 1},
            {"channels": 4, "kernel_size": (2, 1), "strides": 2, "groups": 2, "use_bias": False}
            | {"num_deformable_group": 2, "offset_use_bias": False, "activation": "tanh"},
        )
    ),
]
