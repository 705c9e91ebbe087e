"""Neural-network layers."""

from hy_gluon.block import (
    Block as Block,
    HybridBlock as HybridBlock,
    SymbolBlock as SymbolBlock,
)
from hy_gluon.nn.activation import (
    ELU as ELU,
    GELU as GELU,
    SELU as SELU,
    Activation as Activation,
    LeakyReLU as LeakyReLU,
    PReLU as PReLU,
    SiLU as SiLU,
    Swish as Swish,
)
from hy_gluon.nn.attention import MultiHeadAttention as MultiHeadAttention
from hy_gluon.nn.basic import (
    Dense as Dense,
    Dropout as Dropout,
    Embedding as Embedding,
    Flatten as Flatten,
    HybridLambda as HybridLambda,
    Lambda as Lambda,
    SparseEmbedding as SparseEmbedding,
)
from hy_gluon.nn.branches import (
    Concurrent as Concurrent,
    HybridConcurrent as HybridConcurrent,
    Identity as Identity,
)
from hy_gluon.nn.containers import HybridSequential as HybridSequential, Sequential as Sequential
from hy_gluon.nn.conv import (
    Conv1D as Conv1D,
    Conv2D as Conv2D,
    Conv3D as Conv3D,
    ReflectionPad2D as ReflectionPad2D,
    _Conv as _Conv,
    _infer_weight_shape as _infer_weight_shape,
)
from hy_gluon.nn.conv_transpose import (
    Conv1DTranspose as Conv1DTranspose,
    Conv2DTranspose as Conv2DTranspose,
    Conv3DTranspose as Conv3DTranspose,
)
from hy_gluon.nn.deformable import (
    DeformableConvolution as DeformableConvolution,
    ModulatedDeformableConvolution as ModulatedDeformableConvolution,
)
from hy_gluon.nn.gated import GEGLU as GEGLU, SwiGLU as SwiGLU
from hy_gluon.nn.norm import (
    BatchNorm as BatchNorm,
    BatchNormReLU as BatchNormReLU,
    GroupNorm as GroupNorm,
    InstanceNorm as InstanceNorm,
    LayerNorm as LayerNorm,
    SyncBatchNorm as SyncBatchNorm,
)
from hy_gluon.nn.pixel_shuffle import (
    PixelShuffle1D as PixelShuffle1D,
    PixelShuffle2D as PixelShuffle2D,
    PixelShuffle3D as PixelShuffle3D,
)
from hy_gluon.nn.pool import (
    AvgPool1D as AvgPool1D,
    AvgPool2D as AvgPool2D,
    AvgPool3D as AvgPool3D,
    GlobalAvgPool1D as GlobalAvgPool1D,
    GlobalAvgPool2D as GlobalAvgPool2D,
    GlobalAvgPool3D as GlobalAvgPool3D,
    GlobalMaxPool1D as GlobalMaxPool1D,
    GlobalMaxPool2D as GlobalMaxPool2D,
    GlobalMaxPool3D as GlobalMaxPool3D,
    MaxPool1D as MaxPool1D,
    MaxPool2D as MaxPool2D,
    MaxPool3D as MaxPool3D,
    _Pooling as _Pooling,
)
from hy_gluon.nn.remat import Remat as Remat
from hy_gluon.nn.rms_norm import RMSNorm as RMSNorm
from hy_gluon.nn.rotary import RotaryEmbedding as RotaryEmbedding
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
