"""Operators on arrays without elements: results of the right shape, and gradients."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, autograd, nd, ops

# An operator, shapes of its inputs, parameters, and the shape of its (first) result.
ROWS: list[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any], tuple[int, ...]]] = [
    ("FullyConnected", ((0, 2, 3), (4, 6), (4,)), {"num_hidden": 4}, (0, 4)),
    ("FullyConnected", ((0, 2, 3, 1), (4, 6), (4,)), {"num_hidden": 4}, (0, 4)),
    ("FullyConnected", ((2, 0, 3), (4, 0), (4,)), {"num_hidden": 4}, (2, 4)),
    ("FullyConnected", ((2, 0, 3), (4, 3), (4,)), {"num_hidden": 4, "flatten": False}, (2, 0, 4)),
    ("SoftmaxOutput", ((0, 4), (0,)), {}, (0, 4)),
    ("SoftmaxOutput", ((2, 0, 3), (2, 3)), {"multi_output": True}, (2, 0, 3)),
    ("SoftmaxOutput", ((0, 3, 2), (0, 3)), {"preserve_shape": True}, (0, 3, 2)),
    ("BatchNorm", ((0, 3, 4), *[(3,)] * 4), {}, (0, 3, 4)),
    ("BatchNorm", ((2, 3, 0), *[(3,)] * 4), {"fix_gamma": False}, (2, 3, 0)),
    ("LayerNorm", ((2, 3, 0), (3,), (3,)), {"axis": 1}, (2, 3, 0)),
    ("GroupNorm", ((2, 4, 0), (2,), (2,)), {"num_groups": 2}, (2, 4, 0)),
    ("InstanceNorm", ((2, 3, 0), (3,), (3,)), {}, (2, 3, 0)),
    ("_contrib_interleaved_matmul_selfatt_qk", ((4, 0, 18),), {"heads": 2}, (0, 4, 4)),
    ("_contrib_interleaved_matmul_selfatt_qk", ((0, 2, 18),), {"heads": 2}, (4, 0, 0)),
    (
        "_contrib_interleaved_matmul_selfatt_valatt",
        ((4, 0, 18), (0, 4, 4)),
        {"heads": 2},
        (4, 0, 6),
    ),
    ("_contrib_interleaved_matmul_encdec_qk", ((3, 0, 6), (5, 0, 12)), {"heads": 3}, (0, 3, 5)),
    ("_contrib_div_sqrt_dim", ((2, 0),), {}, (2, 0)),
    (
        "GridGenerator",
        ((0, 6),),
        {"transform_type": "affine", "target_shape": (3, 4)},
        (0, 2, 3, 4),
    ),
    ("BilinearSampler", ((0, 3, 4, 5), (0, 2, 3, 2)), {}, (0, 3, 3, 2)),
    ("BilinearSampler", ((2, 0, 4, 5), (2, 2, 3, 2)), {}, (2, 0, 3, 2)),
    ("khatri_rao", ((2, 0), (4, 0), (1, 0)), {}, (8, 0)),
    ("_sample_multinomial", ((0, 3),), {"shape": (4,), "get_prob": True}, (0, 4)),
    ("IdentityAttachKLSparseReg", ((0, 3), (3,)), {}, (0, 3)),
]


@pytest.mark.parametrize(("name", "shapes", "params", "wanted"), ROWS)
def test_results_and_gradients_of_empty_arrays(
    name: str, shapes: Any, params: Any, wanted: tuple[int, ...]
) -> None:
    op = ops.find(name)
    inputs: list[NDArray | None] = [nd.full(shape, 1) for shape in shapes]
    for x in inputs:
        assert x is not None
        x.attach_grad()
    with autograd.record():
        found = NDArray.apply_operator(op, inputs, op.parse(params), True)
    results = found if isinstance(found, list) else [found]
    assert results[0].shape == wanted
    heads = [y for y in results if y.in_graph and np.dtype(y.dtype).kind == "f"]
    if op.grad is not None:
        autograd.backward(heads)
    for x in inputs:
        assert x is not None
        assert x.grad is not None
        assert x.grad.shape == x.shape
        assert np.isfinite(x.grad.asnumpy()).all()


@pytest.mark.parametrize("name", ["BatchNorm", "BatchNorm_v1", "_contrib_BatchNormWithReLU"])
def test_an_empty_batch_leaves_moving_statistics_alone(name: str) -> None:
    scale, shift, mean, variance = (nd.array([k, k + 0.5]) for k in (1.0, 2.0, 3.0, 4.0))
    op = ops.find(name)
    inputs: list[NDArray | None] = [nd.empty((0, 2, 3)), scale, shift, mean, variance]
    with autograd.record():
        NDArray.apply_operator(op, inputs, op.parse({}), True)
    assert mean.asnumpy().tolist() == [3.0, 3.5]
    assert variance.asnumpy().tolist() == [4.0, 4.5]
