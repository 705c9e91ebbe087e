"""Nets that go to ONNX, come back as blocks, and go there again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock
from hy_gluon.onnx import export_model, import_to_gluon
from hy_ndarray import nd
from tests.onnx.runtime import agree, goes_back, outputs_of
from tests.onnx.test_export_layers import Bert, Single, Yolo, rows, started

WORDS = np.random.default_rng(1).integers(0, 50, (2, 7)).astype(np.float32)
LENGTHS = np.array([7, 4], np.float32)


@pytest.mark.parametrize(
    ("net", "feeds"),
    [
        (Bert(2), {"data0": WORDS, "data1": LENGTHS}),
        (Single(3), {"data": rows((2, 3, 16, 16), 3)}),
        (Yolo(3), {"data": rows((2, 8, 3, 3), 3)}),
    ],
    ids=["bert", "ssd", "yolo"],
)
def test_a_net_gives_the_same_whichever_way_it_went(
    net: HybridBlock, feeds: dict[str, Any], tmp_path: Path
) -> None:
    started(net)
    found: Any = net(*map(nd.array, feeds.values()))
    wanted = found if isinstance(found, list | tuple) else [found]
    goes_back(net, tmp_path, feeds, [y.asnumpy() for y in wanted])


@pytest.mark.parametrize(("kind", "shape"), [(Single, (3, 16, 16)), (Yolo, (8, 3, 3))])
def test_a_head_of_a_detector_comes_back_for_any_batch(
    kind: Any, shape: tuple[int, ...], tmp_path: Path
) -> None:
    net = started(kind(3))
    net(nd.array(rows((2, *shape))))
    first, second = str(tmp_path / "first.onnx"), str(tmp_path / "second.onnx")
    export_model(net, None, [("batch", *shape)], onnx_file_path=first)
    block = import_to_gluon(first)
    block.hybridize()
    for count in (1, 3):
        x = rows((count, *shape), count)
        agree([block(nd.array(x)).asnumpy()], [net(nd.array(x)).asnumpy()])
    x = rows((3, *shape), 5)
    export_model(block, None, [x.shape], onnx_file_path=second)
    agree(outputs_of(second, {"data": x}), [net(nd.array(x)).asnumpy()])


def test_an_encoder_comes_back_for_any_batch_and_length(tmp_path: Path) -> None:
    net = started(Bert(2))
    net(nd.array(WORDS), nd.array(LENGTHS))
    path = str(tmp_path / "open.onnx")
    export_model(net, None, [("batch", "words"), ("batch",)], onnx_file_path=path)
    block = import_to_gluon(path)
    block.hybridize()
    for shape in ((2, 7), (3, 11), (1, 5)):
        words = np.random.default_rng(2).integers(0, 50, shape).astype(np.float32)
        inputs = nd.array(words), nd.array(np.arange(2, 2 + shape[0]))
        found: Any = block(*inputs)
        agree([y.asnumpy() for y in found], [y.asnumpy() for y in net(*inputs)])
