"""Cases of the Triton table: steps of one weight by optimizers whose rules are generated."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import torch

from benchmarks.gpu_case import Case, call, fit, kernel_of, tag
from hy_kernels.torch import table as torch_table

__all__ = ["of_rules"]

_SHAPE = (4096, 4096)
_RATES: dict[str, Any] = {"lr": 0.1, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": -1.0}
_BETAS: dict[str, Any] = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-4}
_PHASE: dict[str, Any] = {"wd": 0.01, "rescale_grad": 0.5, "clip_gradient": -1.0, "t": 3}
_RMS: dict[str, Any] = {**_RATES, "gamma1": 0.95, "epsilon": 1e-4, "clip_weights": -1.0}
_STEPS: Mapping[str, tuple[int, dict[str, Any]]] = {
    "nag_mom_update": (1, {**_RATES, "momentum": 0.9}),
    "signum_update": (1, {**_RATES, "momentum": 0.9, "wd_lh": 0.0}),
    "rmsprop_update": (1, _RMS),
    "rmspropalex_update": (3, {**_RMS, "gamma2": 0.9}),
    "adagrad_update": (1, {**_RATES, "epsilon": 1e-4}),
    "ftrl_update": (2, {**_RATES, "lamda1": 0.01, "beta": 1.0}),
    "ftml_update": (
        3,
        {"lr": 0.1, "wd": 0.01, "rescale_grad": 0.5, "clip_grad": -1.0, "t": 3, **_BETAS},
    ),
    "lamb_update_phase1": (2, {**_BETAS, **_PHASE, "bias_correction": True}),
}
"""Of each how many states it has, and parameters."""


def of_rules(device: str, dtype: torch.dtype) -> Iterator[Case]:
    """Weight, gradient and states are read once; weight and states are written once."""
    for name, (states, params) in _STEPS.items():
        arrays = [torch.ones(fit(*_SHAPE), device=device, dtype=dtype) for _ in range(2 + states)]
        record = kernel_of(torch_table(), name)
        size = arrays[0].numel() * arrays[0].element_size()
        yield Case(
            f"{name} {tag(dtype, *_SHAPE)}",
            call(name, *arrays, **params),
            partial(record.function, *arrays, **params),
            (3 + 2 * states) * size,
        )
    yield from _more(device, dtype)


def _more(device: str, dtype: torch.dtype) -> Iterator[Case]:
    """Steps that take numbers of rows, of a whole weight, or of many weights."""
    x = torch.ones(fit(*_SHAPE), device=device, dtype=dtype)
    one = torch.ones(1, device=device)
    size = x.numel() * x.element_size()
    bound: dict[str, Any] = {"rescale_grad": 0.5, "clip_gradient": -1.0}
    limits: dict[str, Any] = {"lower_bound": -1.0, "upper_bound": -1.0}
    calls: tuple[tuple[str, tuple[Any, ...], dict[str, Any], int], ...] = (
        ("signsgd_update", (x, x), {"lr": 0.1, "wd": 0.0, **bound}, 3),
        ("group_adagrad_update", (x, x, x[:, :1]), {"lr": 0.1, "epsilon": 1e-5, **bound}, 4),
        ("lamb_update_phase2", (x, x, one, one), {"lr": 0.1, **limits}, 3),
    )
    for name, arrays, params, times in calls:
        record = kernel_of(torch_table(), name)
        theirs = partial(record.function, *arrays, **params)
        moved = times * size
        yield Case(
            f"{name} {tag(dtype, *arrays[0].shape)}", call(name, *arrays, **params), theirs, moved
        )
