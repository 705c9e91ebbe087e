"""Indices that kernels clip or leave out are errors where one asks, and nothing else is.

What is asked of each operator is generated from its record: `Traits.indices`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import numpy as np
import pytest

from hy_gluon import loss, nn
from hy_ndarray import (
    ArgumentError,
    IndexingError,
    NDArray,
    autograd,
    check_indices,
    cpu,
    device_of,
    nd,
    ops,
    use_kernels,
)
from hy_ndarray.testing import OpCase, fresh_tables
from hy_ndarray.testing.cases import CASES
from hy_ndarray.testing.op_case import values_of
from hy_symbol import Program, TypedGraph, sym

ROWS: dict[str, list[OpCase]] = defaultdict(list)
for _case in CASES:
    if ops.find(_case.op).traits.indices:
        ROWS[ops.find(_case.op).name].append(_case)
CHECKED = sorted(op.name for op in ops.operators() if op.traits.indices)
TAKES_INTEGERS = {"_contrib_hawkesll"}
IGNORED_BELOW_0 = {"CTCLoss": "last", "ROIPooling": ""}  # padding; regions of no image


@pytest.fixture
def _checked() -> Iterator[None]:
    with check_indices():
        yield


def place_of(case: OpCase) -> int:
    op = ops.find(case.op)
    return op.inputs.index(op.traits.indices[0].input)


def count_of(case: OpCase, values: list[Any]) -> int | None:
    op = ops.find(case.op)
    shapes = {n: x.shape for n, x in zip(op.inputs, values, strict=False) if x is not None}
    return op.traits.indices[0].count(shapes, op.parse(case.params))


def with_index(case: OpCase, index: float) -> list[Any]:
    """The inputs of a row, all of its indices 0 but the first one."""
    values = values_of(case)
    indices = values[place_of(case)]
    whole = case.op in TAKES_INTEGERS
    fresh = np.zeros_like(indices, dtype="int32" if whole else "float32")
    fresh.reshape(-1)[:1] = index
    values[place_of(case)] = fresh
    return values


def array_of(values: Any) -> NDArray:
    small = values.dtype in ("int8", "int32")
    return nd.array(values, dtype=values.dtype if small else "float32")


def eagerly(case: OpCase, values: list[Any]) -> Any:
    op = ops.find(case.op)
    arrays = [None if x is None else array_of(x) for x in values]
    with autograd.record(case.is_train):
        return NDArray.apply_operator(op, arrays, op.parse(case.params))


def as_program(case: OpCase, values: list[Any]) -> Any:
    op = ops.find(case.op)
    variables = [None if x is None else sym.var(f"v{i}") for i, x in enumerate(values)]
    made = type(sym.var("v")).apply_operator(op, variables, op.parse(case.params))
    graph = sym.Group(made if isinstance(made, list) else [made]).graph
    order = [int(node.name[1:]) for node in graph.variables]
    given = [array_of(values[i]) for i in order]
    typed = TypedGraph.of(graph, [(x.shape, np.dtype(x.dtype).name) for x in given])
    program = Program.of(typed, device_of(cpu()), is_train=case.is_train)
    return program(*[x.buffer for x in given])


FORMS = pytest.mark.parametrize("form", [eagerly, as_program])
EVERY_ROW = pytest.mark.parametrize(
    "case", [case for name in CHECKED for case in ROWS[name]], ids=str
)


# --- every operator ---------------------------------------------------------------------------


def test_every_operator_with_indices_has_rows() -> None:
    assert sorted(ROWS) == CHECKED


@FORMS
@EVERY_ROW
@pytest.mark.usefixtures("_checked")
def test_an_index_out_of_range_is_an_error(
    case: OpCase, form: Callable[[OpCase, list[Any]], Any]
) -> None:
    values = with_index(case, 0)
    form(case, values)
    count = count_of(case, values)
    op, place = ops.find(case.op), place_of(case)
    if count is None or not values[place].size:
        return
    wrong = [count] if case.op in TAKES_INTEGERS else [count, np.nan]
    if IGNORED_BELOW_0.get(op.name, "never") not in ("", case.params.get("blank_label")):
        wrong.append(-1)
    for index in wrong:
        with pytest.raises(IndexingError) as caught:
            form(case, with_index(case, index))
        position = (0,) * values[place].ndim
        name = op.traits.indices[0].of or op.name
        assert f"{name}: index {index:g} at position {position} of " in str(caught.value)
        assert f" is not in 0 … {count - 1}" in str(caught.value)


@FORMS
@EVERY_ROW
def test_where_nobody_asks_there_is_none(
    case: OpCase, form: Callable[[OpCase, list[Any]], Any]
) -> None:
    values = with_index(case, 0)
    count = count_of(case, values)
    if count and case.op != "_contrib_hawkesll":  # its kernels raise errors themselves
        form(case, with_index(case, count))


SELF_CHECKING = {
    "gather_nd", "_gather_nd_backward", "scatter_nd", "_scatter_set_nd", "_set_slices",
    "_contrib_index_copy",
}  # fmt: skip
COMPUTED = {
    "_box_nms_backward", "_box_nms_select", "_roi_pooling_backward", "_roi_pooling_select",
    "_sample_multinomial_backward",
}  # fmt: skip
MASKS = {"_contrib_boolean_mask", "_boolean_mask_backward"}
OF_FORWARD = {
    "_take_backward", "_pick_backward", "_log_softmax_pick_backward", "_hawkesll_backward",
    "_ctc_loss_backward", "_softmax_cross_entropy_backward",
}  # fmt: skip
NO_CLASSES = {
    "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput",
    "_regression_backward", "_log_softmax_dot", "_log_softmax_dot_backward",
    "_contrib_MultiBoxTarget",
}  # fmt: skip
IN_BACKWARD = {"SoftmaxOutput", "SVMOutput"}


def test_no_operator_with_an_index_is_forgotten() -> None:
    found = {
        op.name
        for op in ops.operators()
        if {"index", "indices", "index_vector", "label", "marks"} & {*op.inputs}
    }
    excused = SELF_CHECKING | COMPUTED | MASKS | OF_FORWARD | NO_CLASSES | IN_BACKWARD
    assert found - {*CHECKED} == excused


# --- what is passed over ----------------------------------------------------------------------


def trained(labels: Any, **params: Any) -> NDArray:
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, nd.array(labels), **params)
    y.backward()
    assert x.grad is not None
    return x.grad


@pytest.mark.usefixtures("_checked")
def test_labels_are_ignored_where_the_operator_was_told() -> None:
    assert trained([1, -1], use_ignore=True).asnumpy()[1].tolist() == [0, 0, 0]
    trained([1, 255], use_ignore=True, ignore_label=255)
    trained(np.full((2, 3), 7))  # they are probabilities
    for labels, params in (([1, -1], {}), ([1, 7], {"use_ignore": True})):
        with pytest.raises(IndexingError, match=r"SoftmaxOutput: index -?\d at position \(1,\)"):
            trained(labels, **params)


@pytest.mark.usefixtures("_checked")
def test_padding_of_sequences_is_no_label() -> None:
    scores = nd.ones((4, 1, 4))
    nd.CTCLoss(scores, nd.array([[1, 0, 9]]))
    nd.CTCLoss(scores, nd.array([[1, -1, -7]]), blank_label="last")
    nd.CTCLoss(scores, nd.array([[1, 9]]), None, nd.array([1]), use_label_lengths=True)
    with pytest.raises(IndexingError, match=r"index 9 at position \(0, 1\)"):
        nd.CTCLoss(scores, nd.array([[1, 9]]), None, nd.array([2]), use_label_lengths=True)
    loss.CTCLoss("TNC")(scores, nd.array([[1, 2, -1]]))
    with pytest.raises(IndexingError, match=r"index 4 at position \(0, 0\)"):
        loss.CTCLoss("TNC")(scores, nd.array([[4, 2, -1]]))


@pytest.mark.usefixtures("_checked")
def test_indices_that_count_around_are_right() -> None:
    x = nd.arange(3)
    assert nd.take(x, nd.array([7, -1]), mode="wrap").asnumpy().tolist() == [1, 2]
    assert x[nd.array([-1, 0])].asnumpy().tolist() == [2, 0]
    assert nd.gather_nd(x, nd.array([[-1, 0]])).asnumpy().tolist() == [2, 0]
    with pytest.raises(IndexingError, match="index 7 is out"):
        x[nd.array([7])]


# --- nets, executors, sparse arrays -----------------------------------------------------------

HYBRID = pytest.mark.parametrize(
    "flags", [None, {}, {"static_alloc": True, "static_shape": True}], ids=str
)


@HYBRID
def test_layers_and_losses_name_the_line_that_called_them(flags: Any) -> None:
    net, criterion = nn.Embedding(5, 3), loss.SoftmaxCrossEntropyLoss()
    net.initialize()
    if flags is not None:
        net.hybridize(**flags)
        criterion.hybridize(**flags)
    tokens, labels = nd.array([[1, 7]]), nd.array([[1, -1]])
    for _ in range(3):
        criterion(net(tokens), labels)
    for _ in range(3):
        with check_indices():
            criterion(net(nd.array([[1, 4]])), nd.array([[1, 2]]))
            with pytest.raises(IndexingError, match="Embedding: index 7 at position") as caught:
                net(tokens)
            assert any(__file__ in note for note in caught.value.__notes__)
            with pytest.raises(IndexingError, match=r"pick: index -1 at position \(0, 1\)"):
                criterion(net(nd.array([[1, 4]])), labels)
    criterion(net(tokens), labels)


def test_executors_name_the_node() -> None:
    net = sym.Embedding(sym.var("x"), sym.var("w"), input_dim=2, output_dim=3, name="words")
    executor = net.bind(cpu(), {"x": nd.array([1, 5]), "w": nd.ones((2, 3))})
    for _ in range(4):
        executor.forward()
        with check_indices(), pytest.raises(IndexingError, match="Embedding: index 5") as caught:
            executor.forward()
        notes = "".join(caught.value.__notes__)
        assert f"in node 'words', made at {__file__}" in notes


def test_labels_of_executors_are_checked_in_the_backward_pass() -> None:
    net = sym.SoftmaxOutput(sym.var("x"), sym.var("label"))
    args = {"x": nd.ones((2, 3)), "label": nd.array([1, 5])}
    executor = net.bind(cpu(), args, {"x": nd.zeros((2, 3))})
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward()
        with check_indices():
            executor.forward()
            executor.forward(is_train=True)
            with pytest.raises(IndexingError, match="SoftmaxOutput: index 5"):
                executor.backward()


def test_an_index_error_of_a_kernel_is_one_of_a_graph_too() -> None:
    net = sym.gather_nd(sym.var("x"), sym.var("i"), name="rows")
    executor = net.bind(cpu(), {"x": nd.ones((3,)), "i": nd.array([[7]])})
    for _ in range(4):
        with pytest.raises(IndexingError, match="gather_nd 'rows': index 7 is"):
            executor.forward()


@pytest.mark.usefixtures("_checked")
def test_sparse_arrays_are_checked_too() -> None:
    rows = nd.ones((3, 2)).tostype("row_sparse")
    assert nd.sparse.retain(rows, nd.array([0])).asnumpy().sum() == 2
    with pytest.raises(IndexingError, match="_sparse_retain: index 7 at position"):
        nd.sparse.retain(rows, nd.array([0, 7]))


# --- switched on and off ----------------------------------------------------------------------

BAD: Callable[[], NDArray] = lambda: nd.take(nd.arange(3), nd.array([7]))  # noqa: E731


def test_the_scope_is_of_the_thread() -> None:
    found: list[float] = []
    with check_indices():
        thread = Thread(target=lambda: found.append(BAD().asscalar()))
        thread.start()
        thread.join()
    assert found == [2]


def test_a_scope_may_be_left_out_inside_of_another() -> None:
    with check_indices():
        with check_indices(False):
            BAD()
        with use_kernels(device_of(cpu()).table), pytest.raises(IndexingError):
            BAD()
    BAD()


def test_a_plain_call_lasts() -> None:
    with fresh_tables():
        check_indices()
        with pytest.raises(IndexingError):
            BAD()
        check_indices(False)
        BAD()


def test_the_environment_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_CHECK", " indices ")
    with fresh_tables():
        with pytest.raises(IndexingError):
            BAD()
        with use_kernels("numpy"), pytest.raises(IndexingError):
            BAD()
        with check_indices(False):
            BAD()


def test_an_unknown_word_in_the_environment_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_CHECK", "index")
    with fresh_tables(), pytest.raises(ArgumentError, match="HY_CHECK: 'index' is not one of ind"):
        BAD()


def test_where_nobody_asks_kernels_are_the_table_s_own() -> None:
    device = device_of(cpu())
    with check_indices():
        assert device_of(cpu()) is not device
        assert device_of(cpu()).kernels.record("take") is not device.table.find("take")
        assert device_of(cpu()).kernels.record("relu") is device.table.find("relu")
    assert device_of(cpu()) is device
    assert device.kernels.record("take") is device.table.find("take")


def test_arrays_are_not_copied_for_it() -> None:
    x = nd.arange(3)
    with check_indices():
        nd.relu(x)
        x[:] = 5
    assert x.asnumpy().tolist() == [5, 5, 5]
