"""Gluon: blocks, parameters, layers, losses, training and data."""

import typing as _typing
from importlib import import_module as _import_module

from hy_ndarray import namespaces as _namespaces
from hy_ndarray.suggestion import unknown_attribute as _unknown_attribute

if _typing.TYPE_CHECKING:
    from hy_gluon import (
        amp as amp,
        averaging as averaging,
        block as block,
        contrib as contrib,
        data as data,
        image as image,
        initializer as initializer,
        kvstore as kvstore,
        lora as lora,
        loss as loss,
        lr_scheduler as lr_scheduler,
        metric as metric,
        model_zoo as model_zoo,
        nn as nn,
        optimizer as optimizer,
        parameter as parameter,
        pretrained as pretrained,
        quantization as quantization,
        rnn as rnn,
        trainer as trainer,
        utils as utils,
    )
    from hy_gluon._errors import (
        BlockError as BlockError,
        ChildError as ChildError,
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
    from hy_gluon.functional import functional_call as functional_call
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
    from hy_gluon.train import TrainStep as TrainStep
    from hy_gluon.trainer import Trainer as Trainer
    from hy_gluon.verification import VerificationError as VerificationError, verify as verify

_MODULES = (
    "amp",
    "averaging",
    "block",
    "contrib",
    "data",
    "image",
    "initializer",
    "kvstore",
    "lora",
    "loss",
    "lr_scheduler",
    "metric",
    "model_zoo",
    "nn",
    "optimizer",
    "parameter",
    "pretrained",
    "quantization",
    "rnn",
    "trainer",
    "utils",
)
_MEMBERS = {
    "Block": "block",
    "BlockError": "_errors",
    "CachedOp": "execution.cached_op",
    "Constant": "parameter",
    "DeferredInitializationError": "parameter",
    "HookHandle": "block",
    "HybridBlock": "block",
    "ChildError": "_errors",
    "LayerError": "_errors",
    "Parameter": "parameter",
    "ParameterDict": "parameter",
    "StructureError": "_errors",
    "SymbolBlock": "block",
    "TorchBlock": "pytorch",
    "TracingError": "_errors",
    "TrainStep": "train",
    "Trainer": "trainer",
    "VerificationError": "verification",
    "from_torch": "pytorch",
    "functional_call": "functional",
    "load": "files",
    "save": "files",
    "tensor_types": "parameter",
    "to_torch": "pytorch",
    "verify": "verification",
}

_namespaces.register_lazily("nd", "hy_gluon.files", "save", "load", "load_frombuffer", "CachedOp")
_namespaces.register_lazily("npx", "hy_gluon.files", "save", "savez", "load")
_namespaces.register_lazily("files", "hy_io.sniffing", "sniffing")


def __getattr__(name: str) -> _typing.Any:
    """Return a public name, imported on first use."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name in _MODULES:
        value: _typing.Any = _import_module(f"hy_gluon.{name}")
    elif name in _MEMBERS:
        value = getattr(_import_module(f"hy_gluon.{_MEMBERS[name]}"), name)
    else:
        raise _unknown_attribute(f"module {__name__!r}", name, __dir__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_MEMBERS})
