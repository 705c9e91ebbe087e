"""Optimizers: update rules of weights by their gradients."""

import typing as _typing
from importlib import import_module as _import_module

from hy_gluon.optimizer.registry import OWN as _OWN
from hy_ndarray.suggestion import unknown_attribute as _unknown_attribute

if _typing.TYPE_CHECKING:
    from hy_gluon.optimizer import contrib as contrib
    from hy_gluon.optimizer.adafactor import Adafactor as Adafactor
    from hy_gluon.optimizer.adam import (
        FTML as FTML,
        Adam as Adam,
        Adamax as Adamax,
        AdamW as AdamW,
        Nadam as Nadam,
    )
    from hy_gluon.optimizer.adaptive import (
        AdaDelta as AdaDelta,
        AdaGrad as AdaGrad,
        Ftrl as Ftrl,
        RMSProp as RMSProp,
    )
    from hy_gluon.optimizer.large_batch import LAMB as LAMB, LARS as LARS, LBSGD as LBSGD
    from hy_gluon.optimizer.lion import Lion as Lion
    from hy_gluon.optimizer.muon import Muon as Muon
    from hy_gluon.optimizer.optimizer import (
        Optimizer as Optimizer,
        OptimizerError as OptimizerError,
        create as create,
        register as register,
    )
    from hy_gluon.optimizer.schedule_free import (
        ScheduleFreeAdamW as ScheduleFreeAdamW,
        ScheduleFreeSGD as ScheduleFreeSGD,
    )
    from hy_gluon.optimizer.settings import StatesError as StatesError
    from hy_gluon.optimizer.sgd import (
        DCASGD as DCASGD,
        NAG as NAG,
        SGD as SGD,
        SGLD as SGLD,
        Signum as Signum,
        Test as Test,
        ccSGD as ccSGD,
    )
    from hy_gluon.optimizer.since_mxnet2 import LANS as LANS, AdaBelief as AdaBelief
    from hy_gluon.optimizer.updater import Updater as Updater, get_updater as get_updater
    from hy_ndarray import nd as _nd

    NDabs = _nd.abs

_MEMBERS = {
    **_OWN,
    "NDabs": "",
    "Optimizer": "optimizer",
    "OptimizerError": "optimizer",
    "StatesError": "settings",
    "Updater": "updater",
    "contrib": "contrib",
    "create": "optimizer",
    "get_updater": "updater",
    "register": "optimizer",
}


def __getattr__(name: str) -> _typing.Any:
    """Return a member of the package, imported on first use."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name not in _MEMBERS:
        raise _unknown_attribute(f"module {__name__!r}", name, __dir__)
    if name == "NDabs":
        value = _import_module("hy_ndarray.nd").abs
    else:
        module = _import_module(f"{__name__}.{_MEMBERS[name]}")
        value = module if _MEMBERS[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MEMBERS})
