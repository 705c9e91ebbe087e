"""Functions of PyTorch refuse what they have no kernel for; of nothing they give nothing."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from hy_kernels.triton import _arguments, functional as hy
from hy_kernels.triton.linalg import matmul
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import DEVICE
from tests.kernels.triton.test_triton_alone import (
    CASES,
    INDEX,
    Function,
    causal,
    drawn,
    layer,
    with_gradients,
)


def made(dtype: str, *shape: int) -> torch.Tensor:
    return torch.ones(shape, dtype=getattr(torch, dtype), device=DEVICE)


X, WEIGHT, BIAS = made("float32", 2, 3), made("float32", 4, 3), made("float32", 4)
HEADS = made("float32", 1, 2, 5, 4)
OF_DOUBLES = [x.double() for x in (X, WEIGHT, BIAS)]
WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "an activation that there is not": (
        lambda: hy.linear(X, WEIGHT, None, "swish"),
        ValueError,
        "linear: activation 'swish'",
    ),
    "a layer of float64": (
        lambda: hy.linear(*OF_DOUBLES),
        TypeError,
        r"linear: takes one dtype of float16, bfloat16, float32; given x float64\(2, 3\)",
    ),
    "a layer of integers": (
        lambda: hy.linear(X.int(), WEIGHT.int()),
        TypeError,
        r"x int32\(2, 3\), weight int32\(4, 3\); cast them",
    ),
    "a layer of several dtypes": (
        lambda: hy.linear(X, WEIGHT.half()),
        TypeError,
        r"x float32\(2, 3\), weight float16\(4, 3\)",
    ),
    "a bias of another dtype": (
        lambda: hy.linear(X, WEIGHT, BIAS.half()),
        TypeError,
        r"bias float16\(4,\)",
    ),
    "a bias that is too short": (
        lambda: hy.linear(X, WEIGHT, BIAS[:3]),
        ValueError,
        r"linear: bias needs an element for each row of weight; .*bias float32\(3,\)",
    ),
    "a weight of other columns": (
        lambda: hy.linear(X, WEIGHT[:, :2]),
        ValueError,
        r"linear: weight needs a column .*weight float32\(4, 2\)",
    ),
    "attention of float64": (
        lambda: hy.attention(HEADS.double(), HEADS.double(), HEADS.double()),
        TypeError,
        "attention: takes one dtype of float16, bfloat16, float32; given query float64",
    ),
    "attention of several dtypes": (
        lambda: hy.attention(HEADS, HEADS.half(), HEADS),
        TypeError,
        "key float16",
    ),
    "attention of integers": (
        lambda: hy.attention(HEADS.int(), HEADS.int(), HEADS.int()),
        TypeError,
        "query int32",
    ),
    "attention of matrices": (
        lambda: hy.attention(X, X, X),
        ValueError,
        "attention: takes tensors of four axes",
    ),
    "values of other keys": (
        lambda: hy.attention(HEADS, HEADS, HEADS[:, :, :4]),
        ValueError,
        r"attention: batch and size have to agree.*value float32\(1, 2, 4, 4\)",
    ),
    "a factor for too few columns": (
        lambda: hy.rms_norm(X, BIAS),
        ValueError,
        r"rms_norm: weight needs an element .*weight float32\(4,\)",
    ),
    "a shift for too few columns": (
        lambda: hy.layer_norm(X, BIAS[:3], BIAS[:2]),
        ValueError,
        r"layer_norm: weight and bias need an element .*bias float32\(2,\)",
    ),
    "a norm of integers": (
        lambda: hy.layer_norm(X.int(), BIAS[:3].int(), BIAS[:3].int()),
        TypeError,
        "layer_norm: takes one dtype of",
    ),
    "a norm of several dtypes": (
        lambda: hy.rms_norm(X, BIAS[:3].double()),
        TypeError,
        r"rms_norm: .*weight float64\(3,\)",
    ),
    "more targets than rows": (
        lambda: hy.cross_entropy(X, made("int64", 3)),
        ValueError,
        r"cross_entropy: target needs .*x float32\(2, 3\), target int64\(3,\)",
    ),
    "fewer targets than rows": (
        lambda: hy.cross_entropy(X, made("int64", 1)),
        ValueError,
        "cross_entropy: target needs",
    ),
    "targets that are no numbers": (
        lambda: hy.cross_entropy(X, BIAS[:2] > 0),
        TypeError,
        "cross_entropy: target: takes uint8, int8, .*given target bool",
    ),
    "weights of too few classes": (
        lambda: hy.cross_entropy(X, BIAS[:2]),
        ValueError,
        "cross_entropy: target needs a number for each class of x, .*target float32",
    ),
    "no class": (
        lambda: hy.cross_entropy(X[:, :0], made("int64", 2)),
        ValueError,
        r"and x a class; given x float32\(2, 0\)",
    ),
    "no row to take": (
        lambda: hy.embedding(made("int64", 2), WEIGHT[:0]),
        ValueError,
        r"embedding: weight needs two axes, and a row; .*weight float32\(0, 3\)",
    ),
    "a weight of one axis": (
        lambda: hy.embedding(made("int64", 2), BIAS),
        ValueError,
        "embedding: weight needs two axes",
    ),
    "an index that is no integer": (
        lambda: hy.embedding(X, WEIGHT),
        TypeError,
        "embedding: index: takes uint8",
    ),
    "no such axis": (lambda: hy.softmax(X, 2), ValueError, "softmax: has no axis 2"),
    "softmax of integers": (lambda: hy.softmax(X.int(), 1), TypeError, "softmax: takes float16"),
    "a rate of all": (lambda: hy.dropout(X, 1.0, 0), ValueError, r"rate is 1\.0"),
    "dropout of integers": (lambda: hy.dropout(X.int(), 0.5, 0), TypeError, "dropout: takes"),
    "another device": (
        lambda: _arguments.runs_here("dropout", torch.empty(1, device="meta")),
        ValueError,
        "dropout: a tensor is on meta",
    ),
    "a product of float64": (
        lambda: matmul.product(X.double(), WEIGHT.t().double()),
        TypeError,
        "no product of torch.float64",
    ),
    "a bias of a product that is too short": (
        lambda: matmul.product(X, WEIGHT.t(), BIAS[:2]),
        ValueError,
        r"bias of shape \(2,\) for 4 columns",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments_are_told(what: str) -> None:
    call, kind, message = WRONG[what]
    with watched() as launches, pytest.raises(kind, match=message):
        call()
    assert not launches


def _picked(x: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(x.flatten(0, -2), INDEX[:0, 0], reduction="none").view(0, 1)


EMPTY: dict[str, tuple[Function, Function, list[torch.Tensor]]] = {
    "no query": (CASES["attention"][0], causal, [HEADS[:, :, :0], HEADS, HEADS]),
    "no key": (
        hy.attention,
        functional.scaled_dot_product_attention,
        [HEADS, *[HEADS[:, :, :0]] * 2],
    ),
    "no row of cross_entropy": (
        lambda x: hy.cross_entropy(x, INDEX[:0, :1]),
        _picked,
        [made("float32", 0, 1, 3)],
    ),
    "no index": (
        lambda w: hy.embedding(INDEX[:0], w),
        lambda w: functional.embedding(INDEX[:0], w),
        [WEIGHT],
    ),
    "no index and no row": (
        lambda w: hy.embedding(INDEX[:0], w),
        lambda w: functional.embedding(INDEX[:0], w),
        [WEIGHT[:0]],
    ),
    "no row of layer_norm": (hy.layer_norm, layer, [X[:0], X[0], X[1]]),
    "no column of rms_norm": (hy.rms_norm, lambda x, w: x * w, [X[:, :0], BIAS[:0]]),
    "no row of linear": (hy.linear, functional.linear, [X[:0], WEIGHT, BIAS]),
    "no input of linear": (hy.linear, functional.linear, [X[:, :0], WEIGHT[:, :0], BIAS]),
    "no output of linear": (hy.linear, functional.linear, [X, WEIGHT[:0], BIAS[:0]]),
    "no row of softmax": (hy.softmax, lambda x: x.softmax(-1), [X[:0]]),
    "nothing to drop": (lambda x: hy.dropout(x, 0.5, 1), lambda x: 2 * x, [X[:0]]),
}


@pytest.mark.parametrize("what", EMPTY)
def test_of_nothing_there_is_what_torch_gives(what: str) -> None:
    ours, theirs, arrays = EMPTY[what]
    found, wanted = (with_gradients(each, arrays) for each in (ours, theirs))
    for mine, right in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, right)


def test_a_row_alone_has_a_loss_without_axes() -> None:
    x = drawn(7)
    found = with_gradients(lambda x: hy.cross_entropy(x, INDEX[0, 0]), [x])
    wanted = with_gradients(lambda x: functional.cross_entropy(x, INDEX[0, 0]), [x])
    for mine, right in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, right)
