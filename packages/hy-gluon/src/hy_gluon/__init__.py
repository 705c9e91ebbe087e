"""Gluon: blocks, parameters, layers, losses, training and data."""

from hy_gluon import (
    amp as amp,
    block as block,
    contrib as contrib,
    data as data,
    image as image,
    initializer as initializer,
    kvstore as kvstore,
    loss as loss,
    lr_scheduler as lr_scheduler,
    metric as metric,
    model_zoo as model_zoo,
    nn as nn,
    optimizer as optimizer,
    parameter as parameter,
    quantization as quantization,
    rnn as rnn,
    trainer as trainer,
    utils as utils,
)
from hy_gluon._errors import (
    BlockError as BlockError,
    LayerError as LayerError,
    StructureError as StructureError,
    TracingError as TracingError,
)
from hy_gluon.block import (
    Block as Block,
    HookHandle as HookHandle,
    HybridBlock as HybridBlock,
    SymbolBlock as SymbolBlock,
)
from hy_gluon.execution.cached_op import CachedOp as CachedOp
from hy_gluon.files import load as load, save as save
from hy_gluon.parameter import (
    Constant as Constant,
    DeferredInitializationError as DeferredInitializationError,
    Parameter as Parameter,
    ParameterDict as ParameterDict,
    tensor_types as tensor_types,
)
from hy_gluon.pytorch import (
    TorchBlock as TorchBlock,
    from_torch as from_torch,
    to_torch as to_torch,
)
from hy_gluon.trainer import Trainer as Trainer
from hy_gluon.verification import VerificationError as VerificationError, verify as verify
