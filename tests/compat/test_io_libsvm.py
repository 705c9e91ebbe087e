"""``mx.io.LibSVMIter``: batches, labels of their own, parts and errors, as MXNet 1.9.1 has them."""

import doctest
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.io import LibSVMIter, MXDataIter

ROWS = "1.0 0:0.5 2:1.2\n-2.0\n-3.0 0:0.6 1:2.4 2:1.2\n4 2:-1.2\n5 1:7\n"
DENSE = np.array(
    [[0.5, 0, 1.2], [0, 0, 0], [0.6, 2.4, 1.2], [0, 0, -1.2], [0, 7, 0]], dtype="float32"
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.libsvm").write_text(ROWS, encoding="utf-8")
    Path("even.libsvm").write_text("1 0:1\n2 0:2\n3 0:3\n4 0:4\n", encoding="utf-8")
    labels = "1.0\n-2.0 0:0.125\n-3.0 2:1.2\n4 1:1.0 2:-1.2\n5 0:1\n"
    Path("y.libsvm").write_text(labels, encoding="utf-8")


def rows(**kwargs: Any) -> MXDataIter:
    return LibSVMIter(**({"data_libsvm": "x.libsvm", "data_shape": (3,), "batch_size": 3} | kwargs))


def test_batches_are_csr_and_the_next_epoch_leaves_out_what_filled_up_the_last() -> None:
    batches = rows()
    assert [tuple(x[:2]) for x in (*batches.provide_data, *batches.provide_label)] == [
        ("data", (3, 3)),
        ("softmax_label", (3,)),
    ]
    found = []
    for _ in range(2):
        for batch in batches:
            data: Any = batch.data[0]
            data.check_format()
            assert (data.stype, batch.label[0].stype) == ("csr", "default")
            np.testing.assert_array_equal(data.asnumpy(), DENSE[batch.index])
            found.append((batch.label[0].asnumpy().tolist(), batch.pad, batch.index.tolist()))
        batches.reset()
    assert found == [
        ([1, -2, -3], 0, [0, 1, 2]),
        ([4, 5, 1], 1, [3, 4, 0]),
        ([-2, -3, 4], 0, [1, 2, 3]),
        ([5, 1, -2], 2, [4, 0, 1]),
    ]


def test_labels_of_a_file_of_their_own_are_csr() -> None:
    batches = rows(label_libsvm="y.libsvm", label_shape=(3,), data_name="d", label_name="l")
    assert [x.name for x in (*batches.provide_data, *batches.provide_label)] == ["d", "l"]
    label = next(batches).label[0]
    assert label.stype == "csr"
    wanted = np.array([[0, 0, 0], [0.125, 0, 0], [0, 0, 1.2]])
    np.testing.assert_allclose(label.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("file", "columns", "labels"),
    [
        ("x.libsvm", 3, [[1, -2, -3], [4, 5]]),
        ("even.libsvm", 1, [[1, 2, 3], [4]]),
        ("even.libsvm", 1, [[1, 2], [3], [4]]),
    ],
)
def test_parts_have_as_many_bytes_and_whole_rows(
    file: str, columns: int, labels: list[list[float]]
) -> None:
    found = []
    for i in range(len(labels)):
        part = rows(
            data_libsvm=file,
            data_shape=(columns,),
            batch_size=1,
            num_parts=len(labels),
            part_index=i,
        )
        found.append([batch.label[0].asscalar() for batch in part])
    assert found == labels


@pytest.mark.parametrize(
    ("text", "arguments", "error", "message"),
    [
        ("1 0:1\n2 0:x\n", {}, ValueError, r"bad: byte 6: row: expected a number, then column"),
        ("x 0:1\n", {}, ValueError, "bad: byte 0: row: expected a number"),
        ("1 0\n", {}, ValueError, "bad: byte 0: row: expected a number"),
        ("1 0:1\n2 3:1\n", {}, ValueError, "bad: byte 6: row: expected columns from 0 to 2"),
        ("1 -1:1\n", {}, ValueError, "expected columns from 0 to 2"),
        ("", {}, TypeError, "there are no samples"),
        ("# nothing\n\n", {}, TypeError, "there are no samples"),
        ("1 0:1\n", {"label_libsvm": "y.libsvm"}, ValueError, "columns from 0 to 0"),
        (
            "1 0:1\n",
            {"label_libsvm": "y.libsvm", "label_shape": (3,)},
            ValueError,
            "y.libsvm has 5 rows, but bad has 1",
        ),
        ("1\n", {"label_shape": (2,)}, ValueError, r"label_shape is expected to be \(1,\)"),
        ("1\n", {"data_shape": (3, 1)}, ValueError, "dimension of data_shape is expected to be 1"),
        ("1\n", {"round_batch": False}, TypeError, "round_batch=False is not supported"),
        ("1\n", {"dtype": "float64"}, TypeError, "dtype must be float32"),
        ("1\n", {"num_parts": 2, "part_index": 2}, TypeError, "part_index must be within"),
    ],
)
def test_what_is_wrong_is_named(
    text: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    Path("bad").write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        rows(data_libsvm="bad", **arguments)


def test_a_linear_model_is_trained_on_sparse_batches() -> None:
    weight: Any = mx.nd.zeros((3, 1))
    weight.attach_grad(stype="row_sparse")
    losses = []
    batches = rows(batch_size=5)
    for _ in range(60):
        batches.reset()
        for batch in batches:
            with mx.autograd.record():
                y = mx.nd.sparse.dot(batch.data[0], weight)
                loss = ((y - batch.label[0].reshape((-1, 1))) ** 2).mean()
            loss.backward()
            mx.nd.sparse.sgd_update(weight, weight.grad, lr=0.05, out=weight)
            losses.append(loss.asscalar())
    assert losses[-1] < 0.5 * losses[0]


def test_the_example_runs() -> None:
    found = doctest.testmod(importlib.import_module("mxnet.io.libsvm_iter"))
    assert (found.attempted > 0, found.failed) == (True, 0)
