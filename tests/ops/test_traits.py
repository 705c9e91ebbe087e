"""Every trait of every operator is what its kernel does, on every case row of the operator.

``data/outputs_in_files.json`` was read off the files that MXNet 1.9.1 writes: how many outputs it
counts, by operator, or by row where that depends on parameters.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import custom, nd, ops, random
from hy_ndarray.ops import Operator
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from tests.ops.trait_checks import (
    SEED,
    agree,
    along,
    behaves_pointwise,
    calls,
    memory_of,
    values_of,
)

OUTPUTS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "outputs_in_files.json").read_text(encoding="utf-8")
)
ROWS: dict[str, list[OpCase]] = defaultdict(list)
for _case in CASES:
    ROWS[ops.find(_case.op).name].append(_case)
every_operator = pytest.mark.parametrize("name", sorted(ROWS))


def record(case: OpCase) -> Operator:
    return ops.find(case.op)


def params_of(case: OpCase) -> dict[str, Any]:
    return record(case).parse(case.params)


def draws(case: OpCase, *, is_train: bool | None = None) -> bool:
    training = case.is_train if is_train is None else is_train
    return record(case).draws(params_of(case), training)


def is_pointwise(case: OpCase) -> bool:
    return record(case).is_pointwise(params_of(case))


def rows(about: Callable[[OpCase], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [case for case in CASES if about(case)], ids=str)


# --- pointwise -------------------------------------------------------------------------------


@every_operator
def test_pointwise_operators_compute_each_element_from_its_place(name: str) -> None:
    claims = [case for case in ROWS[name] if is_pointwise(case) and not draws(case)]
    shown = {behaves_pointwise(case): case for case in claims}
    assert False not in shown
    assert True in shown or not claims, "no row has inputs of several elements"


@every_operator
def test_what_is_not_pointwise_has_a_row_that_shows_it(name: str) -> None:
    others = [case for case in ROWS[name] if not is_pointwise(case) and not draws(case)]
    shown = {behaves_pointwise(case) for case in others}
    assert True not in shown or False in shown, "it looks pointwise: say so, or add a row"


def test_kernels_for_blocks_are_those_of_pointwise_operators() -> None:
    kernels = nd.zeros((1,)).device.kernels
    blocked = {op.name for op in ops.operators() if kernels.record(op.kernel).pointwise}
    assert len(blocked) > 100
    assert blocked <= {op.name for op in ops.operators() if op.traits.pointwise}


# --- rows ------------------------------------------------------------------------------------


def cuts(case: OpCase) -> list[tuple[int, tuple[int, ...], int]]:
    """Axes along which a row says there are rows, with the inputs that have them, and how many."""
    rule = record(case).traits.rows
    assert rule is not None
    given = [v for v in values_of(case) if v is not None]
    ranks = [v.ndim for v in given]
    found = ((axis, tuple(rule(params_of(case), axis, ranks))) for axis in range(ranks[0]))
    return [(axis, where, given[where[0]].shape[axis]) for axis, where in found if where]


@rows(lambda case: record(case).traits.rows is not None)
def test_rows_alone_give_the_rows_of_the_whole(case: OpCase) -> None:
    values = values_of(case)
    whole = calls(case, values, is_train=False)[1][0].asnumpy()
    for axis, where, count in cuts(case):
        for part in (*(slice(i, i + 1) for i in range(count)), slice(count // 2, count)):
            if part.start == part.stop:
                continue
            results = calls(case, along(values, where, axis, part), is_train=False)[1]
            key = (*(slice(None),) * axis, part)
            assert agree(results[0].asnumpy(), whole[key]), (axis, part)


def test_each_operator_with_rows_has_a_case_of_several() -> None:
    named = {op.name for op in ops.operators() if op.traits.rows is not None}
    shown = {
        record(case).name
        for case in CASES
        if record(case).name in named and any(count > 1 for _, _, count in cuts(case))
    }
    assert shown == named


# --- views -----------------------------------------------------------------------------------


def first_and_result(case: OpCase) -> tuple[Any, Any]:
    values = values_of(case)
    (result,) = calls(case, values)[1]
    return values[0], result.asnumpy()


def has_its_type(case: OpCase) -> bool:
    first, result = first_and_result(case)
    return bool(first.shape == result.shape and first.dtype == result.dtype)


@rows(lambda case: record(case).traits.view)
def test_views_hold_the_elements_of_the_first_input_in_their_order(case: OpCase) -> None:
    first, result = first_and_result(case)
    assert result.dtype == first.dtype
    np.testing.assert_array_equal(result, first.reshape(result.shape))


def has_its_size(case: OpCase) -> bool:
    first, result = first_and_result(case)
    return bool(first.size == result.size and first.dtype == result.dtype)


@rows(lambda case: record(case).traits.resized and has_its_size(case))
def test_reductions_of_axes_of_size_one_hold_the_elements_of_the_first_input(case: OpCase) -> None:
    first, result = first_and_result(case)
    np.testing.assert_array_equal(result, first.reshape(result.shape))


def test_each_such_reduction_has_a_row_that_keeps_the_size_and_another_shape() -> None:
    resized = [case for case in CASES if record(case).traits.resized and has_its_size(case)]
    shown = {
        record(c).name for c in resized if np.ndim(values_of(c)[0]) != first_and_result(c)[1].ndim
    }
    assert shown == {op.name for op in ops.operators() if op.traits.resized}


@rows(lambda case: record(case).traits.identity and not draws(case) and has_its_type(case))
def test_identities_are_the_first_input_where_types_agree(case: OpCase) -> None:
    np.testing.assert_array_equal(*first_and_result(case))


def test_each_identity_has_a_row_where_types_agree() -> None:
    same = {record(c).name for c in CASES if record(c).traits.identity and has_its_type(c)}
    assert same == {op.name for op in ops.operators() if op.traits.identity}


@rows(lambda case: record(case).traits.by_types)
def test_results_by_types_are_the_same_for_other_elements(case: OpCase) -> None:
    values = values_of(case)
    for wanted, found in zip(
        calls(case, values)[1], calls(case, [np.ones_like(v) for v in values])[1], strict=True
    ):
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


@every_operator
def test_only_operators_that_say_so_return_memory_of_an_input(name: str) -> None:
    shares = False
    for case in ROWS[name]:
        inputs, results = calls(case, values_of(case))
        given = [memory_of(x) for x in inputs if x is not None]
        shares |= any(np.shares_memory(x, memory_of(y)) for x in given for y in results)
    assert shares == ops.find(name).traits.shares


# --- what a call does besides ----------------------------------------------------------------


def stream_before() -> Any:
    """The state in which each call finds the stream of random numbers."""
    random.seed(SEED)
    return stream()


def stream() -> Any:
    generator = random.generator(nd.zeros((1,)).device)
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.get_state().tolist()  # PyTorch's


@every_operator
def test_a_call_draws_numbers_where_the_record_says_so_and_else_repeats_itself(name: str) -> None:
    drawn, named = set(), set()
    for case, is_train in product(ROWS[name], (False, True)):
        before = stream_before()
        _, first = calls(case, values_of(case), is_train=is_train)
        drew, says = stream() != before, draws(case, is_train=is_train)
        assert says or not drew, case
        if record(case).traits.draws is not None and first[0].size:
            assert drew == says, case
        drawn |= {is_train} if drew else set()
        named |= {is_train} if says else set()
        _, second = calls(case, values_of(case), is_train=is_train)
        for x, y in zip(first, second, strict=True):
            if not says:
                np.testing.assert_array_equal(x.asnumpy(), y.asnumpy(), err_msg=str(case))
    assert drawn == named


@every_operator
def test_a_call_changes_the_inputs_that_the_record_names_and_no_others(name: str) -> None:
    changed, named = set(), set()
    for case, is_train in product(ROWS[name], (False, True)):
        values = values_of(case)
        inputs, _ = calls(case, values, is_train=is_train)
        named |= {(is_train, i) for i in record(case).updated(params_of(case), is_train)}
        for i, (x, v) in enumerate(zip(inputs, values, strict=True)):
            same = x is None or np.array_equal(x.asnumpy(), v, equal_nan=v.dtype.kind == "f")
            changed |= set() if same else {(is_train, i)}
        assert changed <= named, case
    assert changed == named


def test_custom_operators_are_foreign() -> None:
    assert not any(op.traits.foreign for op in ops.operators())

    @custom.register("traits_of_custom")
    class _Prop(custom.CustomOpProp):
        pass

    assert custom.custom_operator({"op_type": "traits_of_custom"}).traits.foreign


# --- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OUTPUTS)
def test_files_count_the_outputs_that_mxnet_counts(name: str) -> None:
    counts = OUTPUTS[name]
    for case in ROWS[name]:
        wanted = counts.get(str(case)) if isinstance(counts, dict) else counts
        assert wanted in (record(case).outputs_in_files(params_of(case)), None), case


def test_scratch_outputs_are_behind_those_that_are_seen() -> None:
    for case in CASES:
        op, params = record(case), params_of(case)
        assert op.num_visible(params) <= op.outputs_in_files(params), case
