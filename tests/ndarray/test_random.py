"""Seeds: the same numbers again, for one context or for all."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, Context, autograd, cpu, nd, random


def draw(context: Context | None = None) -> Any:
    with context or cpu():
        return nd.random.uniform(shape=(4,)).asnumpy()


def same(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b))


@pytest.fixture(autouse=True)
def seeded() -> None:
    random.seed(0)


def test_a_seed_repeats_the_numbers() -> None:
    random.seed(42)
    first, second = draw(), draw()
    assert not same(first, second)
    random.seed(42)
    assert same(draw(), first)
    assert same(draw(), second)
    random.seed(43)
    assert not same(draw(), first)


def test_contexts_draw_different_numbers_from_one_seed() -> None:
    random.seed(42)
    first, second = draw(cpu(0)), draw(cpu(1))
    assert not same(first, second)
    random.seed(42)
    assert same(draw(cpu(1)), second)  # whatever was drawn elsewhere before
    assert same(draw(cpu(0)), first)


def test_one_context_can_be_seeded_alone() -> None:
    random.seed(1)
    draw(cpu(0))
    expected = draw(cpu(0))
    random.seed(1)
    draw(cpu(0))
    random.seed(7, ctx=cpu(1))
    seven = draw(cpu(1))
    assert same(draw(cpu(0)), expected)
    random.seed(7, ctx=cpu(1))
    assert same(draw(cpu(1)), seven)
    random.seed(1)
    assert not same(draw(cpu(1)), seven)


def test_operators_that_draw_follow_the_seed() -> None:
    x = nd.ones((100,))
    results = []
    for _ in range(2):
        random.seed(5)
        with autograd.train_mode():
            results.append(nd.Dropout(x, p=0.5).asnumpy())
    assert same(*results)


@pytest.mark.parametrize("seed", [0, -1, 2**40, 2**64 + 5, np.int32(3)])
def test_any_integer_is_a_seed(seed: int) -> None:
    random.seed(seed)
    first = draw()
    random.seed(seed)
    assert same(draw(), first)


@pytest.mark.parametrize("seed", [1.5, "a", None])
def test_only_an_integer_is_a_seed(seed: Any) -> None:
    with pytest.raises(ArgumentError, match="must be an integer"):
        random.seed(seed)


def test_a_seed_is_for_a_context_or_for_all() -> None:
    for ctx in ("foo", "ALL", None, 3):
        with pytest.raises(KeyError, match=str(ctx)):
            random.seed(1, ctx)  # type: ignore[arg-type]  # that is what is tested
    random.seed(1, "cpu")
    first = draw()
    random.seed(1, cpu())
    assert same(draw(), first)
