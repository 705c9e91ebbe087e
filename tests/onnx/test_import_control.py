"""Loops and branches of ONNX models as those of the catalogue."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import parser

from hy_gluon.onnx import import_to_gluon
from hy_ndarray import autograd, nd
from hy_onnx import ImportModelError
from hy_symbol import sym
from tests.onnx.runtime import agree, goes_back, outputs_of


def model_of(text: str, folder: Path) -> str:
    """The path of a model that is written in ONNX's own language."""
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {text}')
    path = str(folder / "model.onnx")
    onnx.save(model, path)
    return path


def check(path: str, **feeds: Any) -> Any:
    """Assert that a model gives here what it gives in onnxruntime, as a block and hybridized."""
    arrays = {name: np.asarray(value, np.float32) for name, value in feeds.items()}
    wanted = outputs_of(path, arrays)
    block = import_to_gluon(path)
    for active in (False, True):
        block.hybridize(active)
        found: Any = block(*(nd.array(value) for value in arrays.values()))
        listed = found if isinstance(found, list) else [found]
        agree([y.asnumpy() for y in listed], wanted)
    return block


SCAN = """
g (float[N, 2] x, float[2] s) => (float[2] last, float[N, 2] sums) <float[2] w = {2, 3}> {
  last, sums = Scan <num_scan_inputs = 1, body = b (float[2] before, float[2] part)
      => (float[2] after, float[2] row) {
    scaled = Mul(part, w)
    after = Add(before, scaled)
    row = Identity(after)
  }> (s, x)
}
"""

COUNTED = """
g (float[2] x) => (float[2] last, float[3, 2] rows) {
  most = Constant <value = int64 {3}> ()
  yes = Constant <value = bool {1}> ()
  last, rows = Loop <body = b (int64 i, bool going, float[2] before)
      => (bool on, float[2] after, float[2] row) {
    on = Identity(going)
    number = Cast <to = 1> (i)
    after = Add(before, number)
    row = Mul(after, x)
  }> (most, yes, x)
}
"""

WHILE = """
g (float[1] x, float[1] limit) => (float[1] last) {
  most = Constant <value = int64 {6}> ()
  scalar = Constant <value = int64[0] {}> ()
  small = Less(x, limit)
  start = Reshape(small, scalar)
  last = Loop <body = b (int64 i, bool going, float[1] before) => (bool on, float[1] after) {
    twice = Add(before, before)
    after = Add(twice, x)
    less = Less(after, limit)
    on = Reshape(less, scalar)
  }> (most, start, x)
}
"""

IF = """
g (float[2] x, float[2] y) => (float[2] z) {
  sum = ReduceSum <keepdims = 0> (x)
  zero = Constant <value = float {0.0}> ()
  positive = Greater(sum, zero)
  z = If <then_branch = a () => (float[2] r) {
    c = Constant <value = float[2] {1.0, 2.0}> ()
    r = Add(x, c)
  }, else_branch = b () => (float[2] r) {
    c = Constant <value = float[2] {3.0, 4.0}> ()
    r = Mul(y, c)
  }> (positive)
}
"""


def test_a_scan_is_a_loop_over_slices(tmp_path: Path) -> None:
    path = model_of(SCAN, tmp_path)
    for count in (1, 4):
        check(path, x=np.arange(2.0 * count).reshape(count, 2), s=[1, -1])


def test_a_loop_that_is_counted_knows_the_number_of_its_step(tmp_path: Path) -> None:
    check(model_of(COUNTED, tmp_path), x=[1, 2])


@pytest.mark.parametrize("limit", [0, 5, 1000])
def test_a_loop_ends_by_its_condition(limit: float, tmp_path: Path) -> None:
    check(model_of(WHILE, tmp_path), x=[1], limit=[limit])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_branch_is_chosen_when_the_model_runs(sign: float, tmp_path: Path) -> None:
    check(model_of(IF, tmp_path), x=[sign, sign], y=[5, 6])


def test_a_loop_is_trained(tmp_path: Path) -> None:
    block = import_to_gluon(model_of(SCAN, tmp_path))
    with autograd.record():
        last, _ = block(nd.array([[1, 2], [3, 4]]), nd.zeros((2,)))
        total = last.sum()
    total.backward()
    np.testing.assert_allclose(block.params["w"].grad().asnumpy(), [4, 6])


def test_a_branch_that_is_known_is_taken(tmp_path: Path) -> None:
    text = IF.replace("positive = Greater(sum, zero)", "positive = Constant <value = bool {0}> ()")
    text = text.replace("r = Mul(y, c)", "r = Mul(y, x)")
    block = check(model_of(text, tmp_path), x=[1, 1], y=[5, 6])
    assert "_cond" not in str(block(sym.var("x"), sym.var("y")).tojson())


def test_loops_and_branches_come_back_from_onnx(tmp_path: Path) -> None:
    data, state, weight = sym.var("data"), sym.var("state"), sym.var("weight")

    def step(x: Any, s: Any) -> Any:
        mixed = sym.broadcast_mul(x + s, weight)
        return sym.contrib.cond(sym.sum(mixed) > 0, lambda: mixed, lambda: mixed * 3), mixed

    rows, last = sym.contrib.foreach(step, data, state)
    net = sym.Group([rows, last])
    x = np.random.default_rng(0).uniform(-1, 1, (4, 3, 2)).astype(np.float32)
    given = {"data": x, "state": x[0], "weight": x[1, :1]}
    feeds = {name: given[name] for name in net.list_inputs()}
    found = net.eval(None, **{name: nd.array(value) for name, value in feeds.items()})
    goes_back(net, tmp_path, feeds, [y.asnumpy() for y in found])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (COUNTED.replace("int64 {3}", "int64 {9223372036854775807}"), "bound of its steps"),
        (COUNTED.replace("(most, yes, x)", '("", yes, x)').replace('""', ""), "no bound"),
        (WHILE.replace("float[1] after) {", "float[1] after, float[1] r) { r = Neg(x)").replace(
            "(float[1] last) {", "(float[1] last) {").replace("last = Loop", "last, rows = Loop"),
         "stacks what its steps give"),
        (IF.replace("r = Mul(y, c)", "r = Concat <axis = 0> (y, c)"), "one branch gives"),
        (SCAN.replace("num_scan_inputs = 1", "num_scan_inputs = 1, scan_input_directions = [1]"),
         "scan_input_directions"),
    ],
)  # fmt: skip
def test_what_the_catalogue_cannot_say_is_named(text: str, error: str, tmp_path: Path) -> None:
    path = model_of(text, tmp_path)
    with pytest.raises(ImportModelError, match=error):
        import_to_gluon(path)


@pytest.mark.parametrize("circle", ["q = Identity(p) p = Identity(q)", "p = Identity(p)"])
def test_a_condition_that_is_a_circle_is_refused(circle: str, tmp_path: Path) -> None:
    text = COUNTED.replace("on = Identity(going)", circle).replace("bool on,", "bool p,")
    with pytest.raises(ImportModelError, match="a condition ends it"):
        import_to_gluon(model_of(text, tmp_path))
