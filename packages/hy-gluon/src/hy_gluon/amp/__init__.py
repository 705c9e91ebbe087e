"""Automatic mixed precision: most operators compute in 16 bits, sensitive ones in float32."""

from typing import Any as _Any

from hy_gluon import loss_scaler as loss_scaler
from hy_gluon.amp import lists as lists
from hy_gluon.amp.conversion import (
    convert_hybrid_block as convert_hybrid_block,
    convert_model as convert_model,
    convert_symbol as convert_symbol,
)
from hy_gluon.amp.listing import (
    list_conditional_fp32_ops as list_conditional_fp32_ops,
    list_fp32_ops as list_fp32_ops,
    list_loss_output_functions as list_loss_output_functions,
    list_lp16_fp32_ops as list_lp16_fp32_ops,
    list_lp16_ops as list_lp16_ops,
    list_lp16_use_fp32_params as list_lp16_use_fp32_params,
    list_widest_type_cast as list_widest_type_cast,
)
from hy_gluon.amp.policy import AMPError as AMPError, Policy as Policy
from hy_gluon.amp.switch import (
    active as active,
    autocast as autocast,
    disable as disable,
    init as init,
)
from hy_gluon.amp.training import (
    init_trainer as init_trainer,
    scale_loss as scale_loss,
    unscale as unscale,
)
from hy_gluon.loss_scaler import LossScaler as LossScaler
from hy_ndarray import namespaces as _namespaces


def __getattr__(name: str) -> _Any:
    """Return ``_amp_initialized``, or a function that another installed package adds."""
    if name == "_amp_initialized":
        return active() is not None
    added = _namespaces.extension("amp", name)
    if added is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return added
