"""What ``hatch run torch:eager`` times beside each other gives the same."""

from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.eager import CALLS, operands
from hy_ndarray import ShapeError, nd, use_kernels


def results(call: str, names: dict[str, Any]) -> list[Any]:
    found = eval(call, names)  # noqa: S307  # the project's own
    return list(found) if isinstance(found, list | tuple) else [found]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_and_its_bare_call_give_the_same(call: str) -> None:
    with use_kernels("torch"):
        ours, theirs = results(call, operands()), results(CALLS[call], operands())
        for mine, bare in zip(ours, theirs, strict=True):
            assert mine.shape == tuple(bare.shape)
            assert str(bare.dtype) == f"torch.{np.dtype(mine.dtype).name}"
            if "random" not in call:
                np.testing.assert_allclose(mine.asnumpy(), bare.numpy(), 1e-4, 1e-5)


ODD = (
    "nd.softmax_cross_entropy(x, nd.array([0, 9, 10, -1, 2.5, 3, 4, 5, 6, -100]))",
    "nd.one_hot(nd.array([0, 5, -1]), 3)",
    "nd.one_hot(index, 4, on_value=2, off_value=-1, dtype='int32')",
    "nd.Embedding(nd.array([[-1, 12], [0.5, 9]]), x, input_dim=10, output_dim=10)",
    "nd.arange(0, 1, 0.1)",
    "nd.arange(5, 0, -2)",
    "nd.arange(300, dtype='uint8')",
    "nd.arange(2, repeat=2)",
    "nd.clip(x, 1, -1)",
    "nd.clip(x, -1e30, 1e30)",
    "nd.arange(5.5)",
    "nd.arange(1, -2.5, -1)",
    "nd.take(x, nd.array([-1, 12]))",
    "nd.take(x, nd.array([-1, 12]), mode='wrap')",
    "nd.take(x.T, nd.array([[-1, 12]]))",
    "nd.stack(row, x[:1], axis=1)",
    "nd.LeakyReLU(nd.tile(x, (20, 20)), act_type='gelu')",
    "nd.LeakyReLU(nd.array([-30, -5, 0, 5, 30]), act_type='gelu')",
    "nd.L2Normalization(image, mode='channel')",
    "nd.topk(x, k=3, axis=0, dtype='int32')",
    "nd.topk(x, k=2, ret_typ='both', is_ascend=True)",
    "nd.swapaxes(row, 0, 1)",
    "nd.transpose(row)",
    "x ** 0.5",
    "y ** -2",
    "2 ** x",
    "x * -0.0",
    "x.astype('int32') > 0.5",
    "nd.pick(x, nd.array([-1, 12] * 5))",
    "nd.pick(x, nd.array([-1, 12] * 5), mode='wrap')",
    "nd.pick(x, nd.array([[3]] * 10), keepdims=True)",
    "nd.pick(x, label, axis=0)",
    "nd.norm(x, ord=1, axis=0, keepdims=True)",
    "nd.norm(x, axis=(0, 1), keepdims=True)",
    "nd.sum(v, axis=0, keepdims=True)",
    "nd.argmax(v, axis=0)",
    "nd.LayerNorm(x, v, v, axis=0, output_mean_var=True)",
    "nd.LayerNorm(x, v, v, output_mean_var=True)",
    "nd.split(row, num_outputs=10, axis=1, squeeze_axis=True)",
    "nd.split(image, num_outputs=3, axis=-3)",
    "nd.linalg_gemm2(x, y, transpose_a=True, transpose_b=True)",
    "nd.pad(image, mode='constant', pad_width=(0, 0, 0, 0, 1, 2, 3, 4), constant_value=0.5)",
    "nd.pad(image.astype('int8'), mode='constant', pad_width=(0, 0, 0, 0, 1, 2, 3, 4))",
    "nd.Pooling(image, kernel=(3, 3), stride=(2, 2), pooling_convention='full', pool_type='avg')",
    "nd.Pooling(image, kernel=(3, 3), pad=(1, 1), count_include_pad=False, pool_type='avg')",
    "nd.Pooling(image, kernel=(8, 8), pool_type='max')",
    "nd.Pooling(image, kernel=(2, 2), pool_type='sum')",
    "nd.BatchNorm(image, gamma, beta, mean, var, output_mean_var=True)",
    "nd.Convolution(image[0], nd.ones((4, 8, 3)), bias, kernel=(3,), num_filter=4)",
    "nd.Convolution(image, weight, bias, kernel=(3, 3), num_filter=4, dilate=(2, 2))",
    "nd.Convolution(image, weight[:3, :1], bias[:3], kernel=(3, 3), num_filter=3, num_group=3)",
    "nd.Activation(nd.array([-1, 2], dtype='int32'), act_type='relu')",
    "nd.repeat(x, 3)",
    "nd.slice(x, begin=(None, 8), end=(4, None), step=(2, -3))",
    "nd.slice(x, begin=(-3, 5), end=(None, 2))",
    "nd.slice_axis(x, axis=-1, begin=-3, end=None)",
    "x[2:2, 1]",
    "x[-1, -10]",
    "x[3:100, :]",
)


@pytest.mark.parametrize("call", ODD)
def test_fast_paths_are_left_where_they_would_not_do(call: str) -> None:
    found = []
    for table in ("numpy", "torch"):
        with use_kernels(table):
            found.append([(x.dtype, x.asnumpy()) for x in results(call, operands())])
    for (kind, theirs), (own, ours) in zip(*found, strict=True):
        assert own is kind
        np.testing.assert_allclose(ours, theirs, 1e-5, 1e-6)


def test_a_part_along_an_axis_has_memory_of_its_own_however_the_data_lies() -> None:
    with use_kernels("torch"):
        x = nd.arange(24).reshape((2, 3, 4))
        turned = x.from_buffer(x.buffer.transpose(0, 2), x.device)
        for data in (x, turned):
            before = data.asnumpy().copy()
            for _ in range(2):  # the second is bound
                part = nd.slice_axis(data, axis=1, begin=1, end=3)
                assert (part.asnumpy() == before[:, 1:3]).all()
                assert part.buffer.is_contiguous()
                part[:] = -1
            assert (data.asnumpy() == before).all()


def test_batch_norm_reads_vectors_with_gaps() -> None:
    with use_kernels("torch"):
        names = operands()
        for name in ("gamma", "beta", "mean", "var"):
            vector = names[name]
            gaps = torch.zeros(6)
            gaps[::2] = vector.buffer
            names[f"{name}2"] = vector.from_buffer(gaps[::2], vector.device)
        dense = "nd.BatchNorm(image, gamma, beta, mean, var, fix_gamma=False)"
        strided = "nd.BatchNorm(image, gamma2, beta2, mean2, var2, fix_gamma=False)"
        for _ in range(2):  # the second is bound
            (ours,), (expected,) = results(strided, names), results(dense, names)
            np.testing.assert_allclose(ours.asnumpy(), expected.asnumpy(), 1e-5, 1e-6)


WRONG = {
    "nd.BatchNorm(x, nd.ones(9), v, v, v, fix_gamma=False)": r"gamma \(9,\) must be \(10,\)",
    "nd.BatchNorm(x, v, v, v, nd.ones(9), fix_gamma=False)": r"moving_var \(9,\) must be",
    "nd.softmax_cross_entropy(v, nd.zeros(1))": r"data \(10,\) must have 2 axes",
    "nd.softmax_cross_entropy(x, nd.zeros(3))": r"label \(3,\) must be \(10,\)",
    "nd.pick(x, nd.zeros(3))": r"index \(3,\) must be \(10,\)",
    "nd.Embedding(index, x, input_dim=5, output_dim=10)": r"weight \(10, 10\) must be \(5, 10\)",
    "nd.FullyConnected(x, nd.ones((4, 9)), num_hidden=4, no_bias=True)": r"weight \(4, 9\) must be",
    "nd.concat(x, nd.ones((3, 3)), dim=1)": "Concat: ",
    "nd.stack(x, nd.ones((3, 3)))": r"stack: arg0 \(10, 10\) must be \(3, 3\)",
    "nd.transpose(x, axes=(0, 0))": r"axes=\(0, 0\) is not an order",
    "nd.sgd_update(v, nd.ones(1), lr=0.1, out=v)": "sgd_update: ",
    "nd.Convolution(image[0], weight, bias, kernel=(3, 3), num_filter=4)": "Convolution: data",
    "nd.max(x, axis=4)": "axis=4 is outside the 2 axes",
}
"""Calls with the fast paths' parameters that the rules of shapes refuse, and what they say."""


@pytest.mark.parametrize("call", WRONG)
def test_a_fast_path_refuses_what_does_not_fit(call: str) -> None:
    with use_kernels("torch"):
        names = operands()
        for _ in range(2):  # parameters of the second call are known
            with pytest.raises(ShapeError, match=WRONG[call]):
                eval(call, names)  # noqa: S307  # the project's own
