"""Products round alike, whoever else computes; large ones are cut while parts of a program run."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.nn.conv import convolution_project
from hy_kernels.numpy.nn.normalization.norm import layer_norm
from hy_kernels.numpy.runtime._pool import together
from hy_kernels.numpy.runtime._product import product, times_vector

pytestmark = pytest.mark.usefixtures("two_threads")
DRAW = np.random.default_rng(0)


def drawn(*shape: int) -> Any:
    return DRAW.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [
        (1, 700, 900),
        (3, 5, 7),
        (70, 90, 110),
        (900, 300, 70),
        (70, 300, 900),
        (0, 4, 5),
        (700, 1, 900),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_it_is_the_product(rows: int, inner: int, columns: int, turned: bool) -> None:
    a, b = DRAW.normal(size=(rows, inner)), DRAW.normal(size=(inner, columns))
    if turned:
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-9, atol=1e-9)
    (inside,) = together([partial(product, a, b)])
    np.testing.assert_allclose(inside, a @ b, rtol=1e-9, atol=1e-9)


def test_a_product_of_two_vectors_takes_a_bias() -> None:
    a, b, bias, memory = drawn(700, 1), drawn(1, 900), drawn(900), drawn(700, 900)
    assert product(a, b, bias, memory) is memory
    np.testing.assert_allclose(memory, a * b + bias, rtol=1e-6)


CALLS: dict[str, Callable[[], Any]] = {
    "product": partial(product, drawn(20, 500), drawn(500, 200)),
    "times_vector": partial(times_vector, drawn(900, 700), drawn(700)),
    "layer_norm": lambda: layer_norm(
        np.arange(60000, dtype=np.float32).reshape(200, 300) % 7,
        np.ones(300, np.float32),
        np.zeros(300, np.float32),
        axis=-1,
        eps=1e-5,
        output_mean_var=False,
    )[0],
    "convolution": partial(
        convolution_project,
        drawn(2, 64, 16, 16),
        drawn(64, 64, 3, 3),
        stride=(1, 1),
        dilate=(1, 1),
        pad=(1, 1),
        num_group=1,
        layout=None,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_rounds_alike_inside_a_task(name: str) -> None:
    call = CALLS[name]
    (inside,) = together([call])
    np.testing.assert_array_equal(call(), inside)
