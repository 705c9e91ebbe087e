"""Recurrent layers as opaque operators of ``torch.compile``.

Followed step by step, twenty steps take a minute to compile, and the loop loses what torch does not
follow: packed weights, and oneDNN's whole layers.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from hy_kernels.record import Function
from hy_kernels.torch._tensor import Tensor

__all__ = ["opaque"]

_LAYER_SCHEMA = (
    "*, int state_size, int num_layers, bool bidirectional, str mode, float p, bool state_outputs, "
    "int? projection_size, float? lstm_state_clip_min, float? lstm_state_clip_max, "
    "bool lstm_state_clip_nan, bool use_sequence_length"
)


def opaque(
    inputs: str, like: Callable[..., list[Tensor]], *, draws: bool = False
) -> Callable[[Function], Function]:
    """Return a kernel as one operator of ``torch.compile``; exported programs need no hy.

    Args:
        inputs: Its tensors, as torch writes schemas.
        like: Gives tensors of the shapes and dtypes of its results.
        draws: Whether it takes ``is_train`` and ``rng``, which is torch's own where it is compiled.
    """

    def decorate(function: Function) -> Function:
        def compute(data: Tensor, *more: Tensor | None, **params: Any) -> list[Tensor]:
            return list(function(data, *more, **params, **({"rng": data.device} if draws else {})))

        whole = torch.library.custom_op(
            f"hy_kernels::{function.__name__}",
            compute,
            mutates_args=(),
            schema=f"({inputs}, {_LAYER_SCHEMA}{', bool is_train' if draws else ''}) -> Tensor[]",
            # Dropout between layers draws, so compilers must not merge or drop the call.
            tags=[torch.Tag.nondeterministic_seeded] if draws else [],
        )
        whole.register_fake(like)

        @wraps(function)
        def run(*tensors: Tensor | None, **params: Any) -> Any:
            if not torch.compiler.is_compiling() or torch.compiler.is_exporting():
                return function(*tensors, **params)
            return tuple(whole(*tensors, **{k: v for k, v in params.items() if k != "rng"}))

        return run

    return decorate
