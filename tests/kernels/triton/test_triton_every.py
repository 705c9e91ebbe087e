"""Every kernel of the Triton table really runs, and not torch's in its place.

The rows of the operators' own suite are the calls; of each kernel those in float32 up to the first
that launches something, which has to give the results and gradients that the numpy table gives.
"""

from math import prod
from typing import Any

import pytest
import torch

from hy_kernels.triton import table
from hy_kernels.triton.elementwise.fused import Call, FusedCalls
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import ops
from hy_ndarray.testing import CHECKS, OpCase, TestedTable, Tolerance, check_operator
from hy_ndarray.testing.cases import FAMILIES
from tests.kernels.triton.parity import CONTEXT, DEVICE

TESTED = TestedTable(
    "triton",
    device=CONTEXT.device_type,
    dtypes=("float32",),
    tolerances={
        ("Convolution", "float32"): Tolerance(1e-4, 1e-4),  # numpy's is by minimal filtering
    },
)
AGREEMENT = [each for each in CHECKS if each.name in ("agreement", "types")]
"""Results and gradients are those of the numpy table; of what draws, the types."""


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(shape, device=DEVICE)


LAYER: dict[str, Any] = {"num_hidden": 2, "no_bias": True, "flatten": True, "act_type": "relu"}
WINDOWS: dict[str, Any] = {"stride": (), "dilate": (), "pad": (), "num_group": 1}
IMAGES = WINDOWS | {"activation": "relu", "scalars": (), "with_bias": False}
IMAGES |= {"with_addend": False}
TWICE = FusedCalls((Call("square", (0,), ()),), None, 1)
TIMES = FusedCalls((Call("elemwise_mul", (0, 1), ()),), None, 2)
BATCH: dict[str, Any] = {"axis": 1, "eps": 0.0, "momentum": 0.9, "fix_gamma": False}
BATCH |= {"use_global_stats": True, "is_train": True}
FROZEN: dict[str, Any] = {"axis": 1, "fix_gamma": False, "frozen": True, "kind": "batch"}
CHANNELS = [ones(2, 3), ones(3), ones(3), 0 * ones(3), ones(3)]
SEEN: dict[str, Any] = {"heads": 0, "scale": 0.5, "with_length": False}
SEEN |= {"mask": "none", "fill": 0.0, "rate": 0.0}
ARRAYS = [ones(1, 2, 4), ones(1, 3, 4), ones(1, 3, 4)]
SUMS = torch.stack([2 * ones(1, 2), 3 * ones(1, 2)], -1)
PRIVATE: dict[str, tuple[list[torch.Tensor], dict[str, Any], float]] = {
    "attention": (ARRAYS, SEEN, 1),
    "attention_backward": ([0 * ones(1, 2, 4), *ARRAYS, ones(1, 2, 4), SUMS], SEEN, 0),
    "channels_last_convolution": ([ones(1, 3, 3, 2), ones(1, 2, 2, 2)], IMAGES, 8),
    "dropout_by_seed": ([ones(3), torch.ones(1, dtype=torch.int64, device=DEVICE)], {"p": 0.0}, 1),
    "fully_connected_activation": ([ones(3, 4), ones(2, 4)], LAYER, 4),
    "fused_batch_norm": (CHANNELS, {**BATCH, "calls": TWICE}, 4),
    "fused_batch_norm_backward": ([ones(2, 3), *CHANNELS], {**FROZEN, "calls": TIMES}, 2),
    "fused_pointwise": ([ones(3)], {"calls": TWICE}, 1),
    "fused_rms_norm": ([ones(2, 4), ones(4)], {"eps": 3.0}, 0.5),
    "nhwc_convolution": ([ones(1, 2, 2, 3), ones(2, 3, 1, 1)], WINDOWS, 3),
    "nhwc_convolution_backward_data": (
        [ones(1, 2, 2, 2), ones(2, 3, 1, 1), ones(1, 2, 2, 3)],
        WINDOWS,
        2,
    ),
    "nhwc_convolution_backward_weight": (
        [ones(1, 2, 2, 2), ones(1, 2, 2, 3), ones(2, 3, 1, 1)],
        WINDOWS,
        4,
    ),
    "self_attention": ([ones(3, 2, 12)], {"heads": 2, "with_length": False}, 1),
}
"""Of operators that rules put in: a call, and the numbers of its result."""


def _rows() -> dict[str, list[OpCase]]:
    found: dict[str, list[OpCase]] = {}
    for family in FAMILIES.values():
        for case in family:
            if case.shapes:
                found.setdefault(ops.find(case.op).kernel, []).append(case)
    for cases in found.values():
        cases.sort(key=lambda case: sum(prod(shape or ()) for shape in case.shapes))
    return found


ROWS = _rows()


def test_every_kernel_has_a_row_or_a_call() -> None:
    assert set(table().names()) - set(ROWS) == set(PRIVATE)


@pytest.mark.parametrize("name", sorted(set(table().names()) - set(PRIVATE)))
def test_a_row_of_the_suite_runs_on_it(name: str) -> None:
    found = []
    for case in ROWS[name]:
        with watched() as launches:
            check_operator(TESTED, case, AGREEMENT)
        found += launches
        if found:
            break
    assert found, f"{name}: torch computed all of {len(ROWS[name])} rows"


@pytest.mark.parametrize("name", PRIVATE)
def test_an_operator_that_rules_put_in_runs_on_it(name: str) -> None:
    inputs, params, value = PRIVATE[name]
    record = table().find(name)
    assert record is not None
    with watched() as launches:
        found = record.function(*inputs, **params)
    assert launches
    y = found[0] if isinstance(found, tuple) else found
    torch.testing.assert_close(y, torch.full_like(y, value))
