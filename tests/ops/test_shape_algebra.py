"""Shapes as hypothesis draws them: reshape codes, slices, transposes, joining and splitting."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hy_ndarray import nd, ops
from hy_ndarray.ops import TensorType

SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=5)
QUIET = settings(deadline=None, derandomize=True, max_examples=200)


@st.composite
def reshapes(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """A shape, codes of ``Reshape`` for it, and the shape they mean."""
    sizes = draw(SIZES)
    codes: list[int] = []
    result: list[int] = []
    at, inferred = 0, False
    while at < len(sizes):
        size = sizes[at]
        kind = draw(st.sampled_from(["keep", "say", "infer", "merge", "divide", "rest"]))
        if kind == "infer" and not inferred:
            inferred = True
            codes.append(-1)
            result.append(size)
        elif kind == "merge" and at + 1 < len(sizes):
            codes.append(-3)
            result.append(size * sizes[at + 1])
            at += 1
        elif kind == "divide":
            part = draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0]))
            other = size // part
            codes += draw(st.sampled_from([[-4, part, other], [-4, -1, other], [-4, part, -1]]))
            result += [part, other]
        elif kind == "rest":
            codes.append(-2)
            result += sizes[at:]
            at = len(sizes)
        else:
            codes.append(0 if kind == "keep" else size)
            result.append(size)
        at += 1
    return sizes, codes, result


def inferred(name: str, shapes: list[Any], **params: Any) -> Any:
    op = ops.find(name)
    types = [TensorType(shape, "float32") for shape in shapes]
    return [t.shape for t in op.infer(types, op.parse(params))], types


@pytest.mark.slow
@QUIET
@given(reshapes())
def test_reshape_codes(case: tuple[list[int], list[int], list[int]]) -> None:
    sizes, codes, wanted = case
    data = np.arange(np.prod(sizes)).reshape(sizes)
    actual = nd.reshape(nd.array(data), shape=codes)
    assert inferred("Reshape", [sizes], shape=codes)[0] == [tuple(wanted)]
    np.testing.assert_array_equal(actual.asnumpy(), data.reshape(wanted))


@pytest.mark.slow
@QUIET
@given(reshapes())
def test_reversed_codes_mean_the_reversed_shape(
    case: tuple[list[int], list[int], list[int]],
) -> None:
    sizes, codes, wanted = case
    groups: list[list[int]] = []
    rest = list(codes)
    while rest:
        count = 3 if rest[0] == -4 else 1
        group, rest = rest[:count], rest[count:]
        groups.insert(0, [group[2], group[1], group[0]] if count == 3 else group)
    backwards = [code for group in groups for code in group]
    actual = nd.reshape(nd.zeros(sizes[::-1]), shape=backwards, reverse=True)
    assert actual.shape == tuple(wanted[::-1])
    assert inferred("Reshape", [sizes[::-1]], shape=backwards, reverse=True)[0] == [actual.shape]


@QUIET
@given(reshapes(), st.data())
def test_one_unknown_size_follows_from_the_output(
    case: tuple[list[int], list[int], list[int]], data: st.DataObject
) -> None:
    sizes, _, wanted = case
    place = data.draw(st.integers(0, len(sizes) - 1))
    partial = tuple(None if i == place else n for i, n in enumerate(sizes))
    _, types = inferred("Reshape", [partial], shape=wanted)
    assert types[0].shape == tuple(sizes)


BOUND = st.none() | st.integers(-6, 6)
STEP = st.none() | st.integers(-3, 3).filter(bool)


@QUIET
@given(SIZES, st.lists(st.tuples(BOUND, BOUND, STEP), min_size=1, max_size=3))
def test_slices_are_those_of_python(sizes: list[int], parts: list[Any]) -> None:
    parts = parts[: len(sizes)]
    data = np.arange(np.prod(sizes)).reshape(sizes)
    begin, end, step = zip(*parts, strict=True)
    wanted = data[tuple(slice(*part) for part in parts)]
    assert inferred("slice", [sizes], begin=begin, end=end, step=step)[0] == [wanted.shape]
    actual = nd.slice(nd.array(data), begin=begin, end=end, step=step)
    np.testing.assert_array_equal(actual.asnumpy(), wanted)


@QUIET
@given(SIZES, st.randoms(use_true_random=False))
def test_transposes_are_inferred_both_ways(sizes: list[int], random: Any) -> None:
    axes = list(range(len(sizes)))
    random.shuffle(axes)
    op = ops.find("transpose")
    data = TensorType(None, "float32")
    output = TensorType([sizes[i] for i in axes])
    op.infer([data], op.parse({"axes": axes}), [output])
    assert data.shape == tuple(sizes)


@QUIET
@given(SIZES, st.integers(1, 4), st.data())
def test_splitting_undoes_joining(sizes: list[int], count: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(sizes), len(sizes) - 1))
    parts = [np.arange(np.prod(sizes)).reshape(sizes) + i for i in range(count)]
    arrays = [nd.array(part) for part in parts]
    whole = nd.concat(*arrays, dim=axis)
    again = nd.split(whole, num_outputs=count, axis=axis)
    for x, part in zip(again if count > 1 else [again], parts, strict=True):
        np.testing.assert_array_equal(x.asnumpy(), part)
    shapes, types = inferred("Concat", [sizes, *[None] * (count - 1)], dim=axis)
    assert shapes[0][axis] is None or count == 1
    assert all(t.rank == len(sizes) for t in types)
