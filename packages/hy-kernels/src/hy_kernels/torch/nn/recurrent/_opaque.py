"""Recurrent layers as opaque operators of ``torch.compile``.

Traced step by step, twenty steps take a minute to compile, and the loop loses what torch cannot
trace: packed weights, and oneDNN's whole layers.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from hy_kernels.record import Function
from hy_kernels.torch._tensor import Tensor

_LAYER_SCHEMA = (
    "*, int state_size, int num_layers, bool bidirectional, str mode, float p, bool state_outputs, "
    "int? projection_size, float? lstm_state_clip_min, float? lstm_state_clip_max, "
    "bool lstm_state_clip_nan, bool use_sequence_length"
)


def opaque(
    inputs: str, like: Callable[..., list[Tensor]], *, draws: bool = False
) -> Callable[[Function], Function]:
    """Return a decorator that makes a kernel one operator of ``torch.compile``.

    Exported programs consist of PyTorch's operators instead, so that they run without hy.

    Args:
        inputs: Tensor arguments, in torch's schema language.
        like: Returns empty tensors of the shapes and dtypes of the results.
        draws: Whether the kernel takes ``is_train`` and ``rng``; compiled, it draws from torch's
            generator.
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
