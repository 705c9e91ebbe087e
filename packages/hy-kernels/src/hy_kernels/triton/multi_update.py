"""Steps of SGD, Adam and LAMB on many weights in one launch for each rate and decay.

Where the arrays lie is told by tables on the device, which are kept for the next step: weights and
states stay where they are, and gradients mostly. Float16 and bfloat16 are computed in float32, so
that a step has one rounding; LAMB, whose lengths would suffer, is of float32 alone. Bytes moved by
SGD: three times those of the weights, with a velocity five times; by Adam seven times; by LAMB,
which needs lengths before it can step, ten times.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import torch
import triton.language as tl

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._launch import launch, runs_on
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.device import update as device

__all__ = ["multi_adam_update", "multi_lamb_update", "multi_sgd_mom_update", "multi_sgd_update"]

Results: TypeAlias = Tensor | tuple[Tensor, ...]
Targets: TypeAlias = tuple[Tensor, ...] | None
Row: TypeAlias = tuple[Tensor, ...]
"""Weight, gradient and states."""
_TYPES = {torch.float32: tl.float32, torch.float16: tl.float16, torch.bfloat16: tl.bfloat16}
_BLOCK = 1024
_PARTS = 1024
_ALIGNED = 16


class _Table(NamedTuple):
    """What a launch tells the device of the arrays of several weights."""

    entries: Tensor
    owners: Tensor
    aligned: bool

    def how(self, dtype: torch.dtype) -> dict[str, Any]:
        """Constants of a launch."""
        entry = self.entries.shape[1]
        return {"TYPE": _TYPES[dtype], "ALIGNED": self.aligned, "ENTRY": entry, "BLOCK": _BLOCK}


@lru_cache(maxsize=256)
def _table(
    addresses: tuple[tuple[int, ...], ...], sizes: tuple[int, ...], where: torch.device
) -> _Table:
    entries, owners = [], list[int]()
    for k, (row, size) in enumerate(zip(addresses, sizes, strict=True)):
        entries.append([size, len(owners), *row])
        owners += [k] * -(-size // _BLOCK)
    aligned = all(x % _ALIGNED == 0 for row in addresses for x in row)
    return _Table(
        torch.tensor(entries, dtype=torch.int64, device=where),
        torch.tensor(owners, dtype=torch.int32, device=where),
        aligned,
    )


def _table_of(rows: Sequence[Row]) -> _Table:
    addresses = tuple([tuple([x.data_ptr() for x in row]) for row in rows])
    return _table(addresses, tuple([row[0].numel() for row in rows]), rows[0][0].device)


def _rows(data: Sequence[Tensor], count: int) -> list[Row]:
    size = len(data) // count
    return [tuple(data[i : i + size]) for i in range(0, len(data), size)]


def _own(data: Sequence[Tensor], count: int, out: Targets) -> tuple[list[Row], Results]:
    """Rows whose weights and states are the results, filled with the operands."""
    rows = _rows(data, count)
    states = len(rows[0]) - 2
    if out is None:
        changed = [
            x.clone(memory_format=torch.contiguous_format)
            for x in chain((row[0] for row in rows), *(row[2:] for row in rows))
        ]
        out = tuple(changed)
    else:
        for k, row in enumerate(rows):
            own = (out[k], *out[count + k * states : count + (k + 1) * states])
            for target, given in zip(own, (row[0], *row[2:]), strict=True):
                if target is not given:
                    target.copy_(given)
    made = [
        (out[k], row[1].contiguous(), *out[count + k * states : count + (k + 1) * states])
        for k, row in enumerate(rows)
    ]
    return made, out[0] if len(out) == 1 else out


def _alike(rows: Sequence[Row], *numbers: Sequence[Any]) -> dict[tuple[Any, ...], list[Row]]:
    """The rows of each set of numbers."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row, *own in zip(rows, *numbers, strict=True):
        found.setdefault(tuple(own), []).append(row)
    return found


def _suits(arrays: int, dtypes: Sequence[torch.dtype], rates: str, count: str) -> Any:
    """Says whether operands are that many arrays for each weight, of one of the dtypes."""

    def suits(*data: Tensor, wds: Sequence[Any], **params: Any) -> bool:
        number, lrs = params[count], params[rates]
        if number < 1 or len(data) != arrays * number or not len(lrs) == len(wds) == number:
            return False
        dtype = data[0].dtype
        usual = dtype in dtypes and all(x.dtype is dtype for x in data) and runs_on(*data)
        same = all(x.shape == row[0].shape for row in _rows(data, number) for x in row)
        return usual and same and not any(map(torch.is_tensor, (*lrs, *wds)))

    return suits


def _sgd(
    data: Sequence[Tensor],
    lrs: Sequence[float],
    wds: Sequence[float],
    momentum: float | None,
    factor: float,
    bound: float,
    count: int,
    out: Targets,
) -> Results:
    rows, results = _own(data, count, out)
    for (lr, wd), own in _alike(rows, lrs, wds).items():
        table = _table_of(own)
        launch(
            device.sgd_steps,
            table.owners.shape,
            table.entries,
            table.owners,
            *map(float, (lr, wd, momentum or 0.0, factor, bound)),
            HAS_BOUND=bound >= 0,
            HAS_MOMENTUM=momentum is not None,
            **table.how(data[0].dtype),
        )
    return results


@overlay(suits=_suits(2, list(_TYPES), "lrs", "num_weights"))
def multi_sgd_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent."""
    return _sgd(data, lrs, wds, None, rescale_grad, clip_gradient, num_weights, out)


@overlay(suits=_suits(3, list(_TYPES), "lrs", "num_weights"))
def multi_sgd_mom_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent with momentum."""
    return _sgd(data, lrs, wds, momentum, rescale_grad, clip_gradient, num_weights, out)


@overlay(suits=_suits(4, list(_TYPES), "lrs", "num_weights"))
def multi_adam_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Adam (Kingma and Ba, 2015) without its bias correction, which the caller puts into rates."""
    rows, results = _own(data, num_weights, out)
    for (lr, wd), own in _alike(rows, lrs, wds).items():
        table = _table_of(own)
        launch(
            device.adam_steps,
            table.owners.shape,
            table.entries,
            table.owners,
            *map(float, (lr, wd, rescale_grad, clip_gradient)),
            BETA1=beta1,
            BETA2=beta2,
            EPSILON=epsilon,
            HAS_BOUND=clip_gradient >= 0,
            **table.how(data[0].dtype),
        )
    return results


@overlay(suits=_suits(4, [torch.float32], "learning_rates", "num_tensors"))
def multi_lamb_update(
    *data: Tensor,
    learning_rates: Sequence[float],
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Sequence[float],
    rescale_grad: float,
    lower_bound: float,
    upper_bound: float,
    clip_gradient: float,
    bias_correction: bool,
    step_count: Sequence[int],
    num_tensors: int,
    out: Targets = None,
) -> Results:
    """LAMB (You et al., 2020); three launches, as a step needs the lengths of weights and steps."""
    rows, results = _own(data, num_tensors, out)
    counts = step_count if bias_correction else [0] * num_tensors
    for (lr, wd, t), own in _alike(rows, learning_rates, wds, counts).items():
        table, left = _table_of(own), (1.0, 1.0)
        if bias_correction:
            left = 1 - beta1**t, 1 - beta2**t
        grid, how = table.owners.shape, table.how(data[0].dtype)
        parts = data[0].new_empty((*grid, 2))
        ratios = data[0].new_empty(len(own))
        numbers = map(float, (wd, rescale_grad, clip_gradient, *left))
        launch(
            device.lamb_moments,
            grid,
            *(table.entries, table.owners, parts, *numbers),
            BETA1=beta1,
            BETA2=beta2,
            EPSILON=epsilon,
            HAS_BOUND=clip_gradient >= 0,
            **how,
        )
        launch(
            device.lamb_ratios,
            ratios.shape,
            *(table.entries, parts, ratios, float(lower_bound), float(upper_bound)),
            ENTRY=how["ENTRY"],
            BLOCK=_BLOCK,
            PARTS=_PARTS,
        )
        launch(
            device.lamb_steps,
            grid,
            *(table.entries, table.owners, ratios, *map(float, (lr, wd, *left))),
            EPSILON=epsilon,
            **how,
        )
    return results
