"""Heads of detectors, with suppression, out of ONNX models."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from hy_gluon.onnx import import_to_gluon
from hy_ndarray import nd
from hy_onnx import ImportModelError
from hy_symbol import Symbol, sym
from tests.onnx.runtime import agree, goes_back, outputs_of


def boxes_of(rng: np.random.Generator, *shape: int, center: bool) -> Any:
    """Boxes, some of which overlap; by corners in any order."""
    values = rng.uniform(0, 1, (*shape, 4)).astype(np.float32)
    if center:
        values[..., 2:] *= 0.6
    return values


def suppression(folder: Path, center: bool, **constants: Any) -> str:
    """The path of a model that is one node."""
    names = ("most", "overlap", "threshold")
    inputs = [
        helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [2, 12, 4]),
        helper.make_tensor_value_info("scores", TensorProto.FLOAT, [2, 3, 12]),
    ]
    given = [name if name in constants else "" for name in names]
    node = helper.make_node(
        "NonMaxSuppression", ["boxes", "scores", *given], ["y"], center_point_box=int(center)
    )
    output = helper.make_tensor_value_info("y", TensorProto.INT64, [None, 3])
    weights = [numpy_helper.from_array(np.array([v]), k) for k, v in constants.items()]
    graph = helper.make_graph([node], "g", inputs, [output], weights)
    path = str(folder / "nms.onnx")
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path
    )
    return path


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize(
    "constants",
    [
        {"most": 12, "overlap": np.float32(0.3)},
        {"most": 2, "overlap": np.float32(0.5), "threshold": np.float32(0.2)},
        {"most": 100, "overlap": np.float32(0.5), "threshold": np.float32(0.99)},
    ],
)
def test_the_same_boxes_are_kept(constants: Any, center: bool, tmp_path: Path) -> None:
    path = suppression(tmp_path, center, **constants)
    rng = np.random.default_rng(0)
    feeds = {
        "boxes": boxes_of(rng, 2, 12, center=center),
        "scores": rng.uniform(-1, 1, (2, 3, 12)).astype(np.float32),
    }
    block = import_to_gluon(path)
    wanted = outputs_of(path, feeds)
    for active in (False, True):
        block.hybridize(active)
        agree([block(*map(nd.array, feeds.values())).asnumpy()], wanted)


def returns(net: Symbol, folder: Path, feeds: dict[str, Any]) -> None:
    """Assert that a graph goes to ONNX and comes back with what it gave."""
    given = {name: feeds[name] for name in net.list_inputs()}
    found = net.eval(None, **{name: nd.array(value) for name, value in given.items()})
    goes_back(net, folder, given, [y.asnumpy() for y in found])


@pytest.mark.parametrize("classes", [{}, {"id_index": 5}, {"id_index": 5, "background_id": 1}])
def test_suppression_of_rows_comes_back(classes: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    low = rng.uniform(0, 1, (2, 15, 2))
    corners = np.concatenate([low, low + rng.uniform(0.1, 0.6, (2, 15, 2))], axis=2)
    scores, ids = rng.uniform(0, 1, (2, 15, 1)), rng.integers(0, 3, (2, 15, 1))
    rows = np.concatenate([scores, corners, ids], axis=2).astype(np.float32)
    how: dict[str, Any] = {
        "overlap_thresh": 0.4,
        "valid_thresh": 0.2,
        "coord_start": 1,
        "score_index": 0,
    }
    net = sym.contrib.box_nms(sym.var("data"), topk=9, **how, **classes)
    returns(net, tmp_path, {"data": rows})


def test_the_head_of_ssd_comes_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    anchors = nd.contrib.MultiBoxPrior(nd.zeros((1, 1, 3, 3)), sizes=(0.4, 0.6)).asnumpy()
    count = anchors.shape[1]
    scores = rng.uniform(0, 1, (2, 4, count)).astype(np.float32)
    feeds = {
        "cls": scores / scores.sum(axis=1, keepdims=True),
        "loc": rng.uniform(-1, 1, (2, count * 4)).astype(np.float32),
        "anchors": anchors,
    }
    net = sym.contrib.MultiBoxDetection(
        sym.var("cls"), sym.var("loc"), sym.var("anchors"), nms_threshold=0.4, threshold=0.1
    )
    returns(net, tmp_path, feeds)


def scattered(shape: tuple[Any, ...], folder: Path) -> str:
    """The path of a model that writes rows of three numbers into its input."""
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
        helper.make_tensor_value_info("indices", TensorProto.INT64, [4, 2]),
        helper.make_tensor_value_info("updates", TensorProto.FLOAT, [4, 3]),
    ]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
    node = helper.make_node("ScatterND", ["x", "indices", "updates"], ["y"], name="here")
    graph = helper.make_graph([node], "g", inputs, [output])
    path = str(folder / "scatter.onnx")
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def test_rows_are_written_into_any_batch(tmp_path: Path) -> None:
    path = scattered(("batch", 5, 3), tmp_path)
    block = import_to_gluon(path)
    rng = np.random.default_rng(3)
    indices = np.array([[0, 1], [1, -1], [0, -5], [1, 3]])
    for count in (2, 4):
        feeds = {
            "x": rng.normal(size=(count, 5, 3)).astype(np.float32),
            "indices": indices,
            "updates": rng.normal(size=(4, 3)).astype(np.float32),
        }
        inputs = (nd.array(value, dtype=str(value.dtype)) for value in feeds.values())
        agree([block(*inputs).asnumpy()], outputs_of(path, feeds))


def test_other_open_sizes_to_write_into_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportModelError, match=r"^ScatterND 'here': it writes into .* with fixed"):
        import_to_gluon(scattered(("batch", "rows", 3), tmp_path))


def test_numbers_up_to_what_values_say_are_refused(tmp_path: Path) -> None:
    end = helper.make_tensor_value_info("end", TensorProto.INT64, [])
    weights = [numpy_helper.from_array(np.array(n), k) for k, n in (("zero", 0), ("one", 1))]
    node = helper.make_node("Range", ["zero", "end", "one"], ["y"], name="here")
    output = helper.make_empty_tensor_value_info("y")
    path = str(tmp_path / "range.onnx")
    onnx.save(helper.make_model(helper.make_graph([node], "g", [end], [output], weights)), path)
    with pytest.raises(ImportModelError, match=r"^Range 'here': how many numbers there are"):
        import_to_gluon(path)
