"""The operator ``scaled_dot_product_attention`` by Triton's kernels, beside the torch table's."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from hy_gluon import nn
from hy_kernels.torch import table as torch_table
from hy_kernels.triton import table
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd
from tests.kernels.triton.parity import DEVICE, computed, on_table

NAME = "scaled_dot_product_attention"
FORWARD = ["attention_forward"]
BACKWARD = ["attention_along", "attention_backward_keys", "attention_backward_queries"]
NEAR = {  # of the largest number that there is
    "float32": 1e-5,  # sums in another order
    "float16": 2**-8,  # weights and results rounded to 11 bits
    "bfloat16": 2**-5,  # and to 8 bits
}


class Shape(NamedTuple):
    """Sizes of a call."""

    batch: int
    heads: int
    queries: int
    keys: int
    size: int
    repeat: int = 1
    layout: str = "BHLD"
    bias: tuple[int, ...] | None = None

    def operands(self, dtype: torch.dtype) -> list[torch.Tensor]:
        """Queries, keys, values and perhaps a bias; of a gradient the first one again."""
        generator = torch.Generator().manual_seed(2)
        groups = self.heads // self.repeat
        own = {"B": self.batch, "D": self.size}
        queries, keys = ({**own, "H": h, "L": n} for h, n in
                         ((self.heads, self.queries), (groups, self.keys)))  # fmt: skip
        shapes = [tuple(sizes[axis] for axis in self.layout) for sizes in (queries, keys, keys)]
        arrays = [torch.randn(each, generator=generator) for each in shapes]
        if self.bias is not None:
            bias = torch.randn(self.bias, generator=generator)
            # A query that sees no key, too, if each has a row of its own.
            bias[..., -2:] = -torch.inf
            if len(self.bias) > 1 and self.bias[-2] > 1:
                bias[..., 1, :] = -torch.inf
            arrays.append(bias)
        return [x.to(DEVICE, dtype) for x in arrays]


SHAPES = [
    Shape(1, 4, 19, 19, 40, repeat=2, layout="BLHD"),
    Shape(2, 2, 5, 70, 16, bias=(2, 1, 1, 70)),
    Shape(2, 3, 33, 21, 8, repeat=3, bias=(3, 33, 21)),
    Shape(1, 2, 18, 35, 200, layout="LBHD", bias=(18, 1)),
    Shape(2, 4, 40, 9, 33, repeat=4, layout="HBLD", bias=(2, 4, 40, 9)),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("dtype", NEAR)
def test_results_and_gradients_are_those_of_the_torch_table(
    dtype: str, causal: bool, shape: Shape
) -> None:
    arrays = shape.operands(getattr(torch, dtype))
    params: dict[str, Any] = {"causal": causal, "scale": 0.3, "kv_repeat": shape.repeat}
    params["layout"] = shape.layout
    forward, backward = (torch_table().find(f"{NAME}{end}") for end in ("", "_backward"))
    assert forward is not None
    assert backward is not None
    exact = [x.double() for x in arrays]
    wanted = forward.function(*exact, **params)
    with watched() as launches:
        found = computed(NAME, arrays, params)
    assert [each.name for each in launches] == FORWARD
    dy = torch.cos(torch.arange(float(arrays[0].numel()))).view(arrays[0].shape)
    dy = dy.to(DEVICE, arrays[0].dtype)
    given = (dy, *arrays[:3], *found, *arrays[3:])
    with watched() as launches:
        slopes = computed(f"{NAME}_backward", given, params)
    split = ["attention_backward_keys"] * (shape.size * dy.itemsize > 256)
    assert sorted(each.name for each in launches) == sorted(BACKWARD + split)
    given = (dy.double(), *exact[:3], *wanted, *exact[3:])
    right = (*wanted, *backward.function(*given, **params))
    for mine, each in zip((*found, *slopes), right, strict=True):
        assert mine.shape == each.shape
        limit = NEAR[dtype] * max(float(each.abs().max()), 1) * 4
        torch.testing.assert_close(mine.double(), each.double(), rtol=0, atol=limit)
        assert mine.dtype is (torch.float32 if mine is found[1] else arrays[0].dtype)


def test_results_are_written_to_the_memory_that_is_given() -> None:
    shape = SHAPES[0]
    arrays = shape.operands(torch.float32)
    params: dict[str, Any] = {"causal": True, "scale": None, "kv_repeat": shape.repeat}
    params["layout"] = shape.layout
    forward, backward = (table().find(f"{NAME}{end}") for end in ("", "_backward"))
    assert forward is not None
    assert backward is not None
    results = forward.function(*arrays, **params)
    out = tuple(torch.full_like(x, 7) for x in results)
    again = forward.function(*arrays, **params, out=out)
    given = (results[0], *arrays, *results)
    slopes = backward.function(*given, **params)
    more = tuple(torch.full_like(x, 7) for x in slopes)
    once_more = backward.function(*given, **params, out=more)
    for memory, mine, each in zip(
        (*out, *more), (*again, *once_more), (*results, *slopes), strict=True
    ):
        assert mine is memory
        torch.testing.assert_close(mine, each, rtol=0, atol=0)


@pytest.mark.parametrize("shape", [Shape(1, 1, 3, 3, 257), Shape(1, 1, 3, 0, 4)])
def test_others_are_left_to_torch(shape: Shape) -> None:
    arrays = shape.operands(torch.float32)
    params: dict[str, Any] = {"causal": True, "scale": None, "kv_repeat": shape.repeat}
    ours, theirs = (found.find(NAME) for found in (table(), torch_table()))
    assert ours is not None
    assert theirs is not None
    with watched() as launches:
        y, sums = ours.function(*arrays, **params, layout=shape.layout)
    assert not launches
    for mine, each in zip(
        (y, sums), theirs.function(*arrays, **params, layout=shape.layout), strict=True
    ):
        torch.testing.assert_close(mine, each, rtol=0, atol=0)


FEW = [
    Shape(2, 8, 1, 700, 24, repeat=4),
    Shape(1, 2, 3, 600, 40, layout="BLHD", bias=(2, 3, 600)),
    Shape(3, 1, 1, 17, 8, bias=(3, 1, 1, 17)),
]
"""A token or few of a decoder with its cache of keys and values; parts of 256 keys or more."""


@pytest.mark.parametrize("shape", FEW)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("dtype", NEAR)
def test_programs_share_the_keys_of_few_queries_out(dtype: str, causal: bool, shape: Shape) -> None:
    arrays = shape.operands(getattr(torch, dtype))
    params: dict[str, Any] = {"causal": causal, "scale": 0.3, "kv_repeat": shape.repeat}
    params["layout"] = shape.layout
    forward = torch_table().find(NAME)
    assert forward is not None
    wanted = forward.function(*[x.double() for x in arrays], **params)
    with watched() as launches:
        found = computed(NAME, arrays, params)
    merged = ["attention_merged"] * (shape.keys > 512)
    assert [each.name for each in launches] == ["attention_parts", *merged]
    for mine, each in zip(found, wanted, strict=True):
        assert mine.shape == each.shape
        limit = NEAR[dtype] * max(float(each.abs().max()), 1) * 4
        torch.testing.assert_close(mine.double(), each.double(), rtol=0, atol=limit)


def test_the_gradient_of_a_single_query_is_left_to_torch() -> None:
    shape = FEW[0]
    arrays = shape.operands(torch.float32)
    params: dict[str, Any] = {"causal": True, "scale": None, "kv_repeat": shape.repeat}
    params["layout"] = shape.layout
    found = computed(NAME, arrays, params)
    ours, theirs = (each.find(f"{NAME}_backward") for each in (table(), torch_table()))
    assert ours is not None
    assert theirs is not None
    given = (found[0].cos(), *arrays, *found)
    with watched() as launches:
        slopes = ours.function(*given, **params)
    assert not launches
    for mine, right in zip(slopes, theirs.function(*given, **params), strict=True):
        torch.testing.assert_close(mine, right, rtol=0, atol=0)


def test_a_decoder_s_attention_trains_by_these_kernels() -> None:
    def trained(name: str) -> tuple[list[Any], list[str]]:
        with on_table(name):
            net = nn.MultiHeadAttention(16, 4, num_kv_heads=2, causal=True, in_units=16)
            net.initialize()
            for k, each in enumerate(net.collect_params().values()):
                each.set_data(nd.sin(nd.arange(each.data().size) + k).reshape(each.shape) * 0.3)
            x = nd.cos(nd.arange(2 * 7 * 16)).reshape((2, 7, 16))
            x.attach_grad()
            with watched() as launches, autograd.record():
                y = net(x)
                y.backward()
            assert x.grad is not None
            return [y.asnumpy(), x.grad.asnumpy()], [each.name for each in launches]

    found, launches = trained("triton")
    own = [each for each in launches if each.startswith("attention")]
    assert own == [*FORWARD, *BACKWARD]
    for mine, right in zip(found, trained("numpy")[0], strict=True):
        np.testing.assert_allclose(mine, right, rtol=0, atol=1e-5)
