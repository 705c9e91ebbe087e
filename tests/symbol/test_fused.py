"""MXNet's fused operators of oneDNN are read as what they are made of, and give its numbers."""

import json
from typing import Any

import numpy as np
import pytest

from hy_ndarray import nd
from hy_symbol import GraphFormatError, load_json
from tests.symbol.fused_graphs import CASES, FILE, document, outputs

RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_integers_are_mxnets(case: str) -> None:
    np.testing.assert_allclose(outputs(case), RECORDED[case], rtol=0, atol=2e-5)


def test_states_stay_states_and_the_graph_can_be_written() -> None:
    net = load_json(json.dumps(document(norm=True, ends=(-1.0, 1.0))))
    assert net.list_auxiliary_states() == ["mean", "var"]
    assert load_json(net.tojson()).list_inputs() == net.list_inputs()


def fused(**changes: Any) -> str:
    """A graph whose fused node is changed."""
    found = document(relu=True, ends=(0.0, 1.0))
    (node,) = (node for node in found["nodes"] if node["op"].startswith("_sg"))
    node["attrs"] = {k: v for k, v in (node["attrs"] | changes.pop("attrs", {})).items() if v}
    node.update(changes)
    return json.dumps(found)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attrs": {"max_calib_range": ""}}, "node 3 'fused': is quantized without .* calibration"),
        ({"subgraphs": []}, "node 3 'fused': has to have one subgraph of one output"),
        ({"inputs": [[1, 0, 0]]}, "node 3 'fused': 1 inputs do not fit its subgraph"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphFormatError, match=message):
        load_json(fused(**changes))


def test_a_filter_of_zeros_stays_one() -> None:
    net = load_json(json.dumps(document(ends=(-1.0, 1.0))))
    (found,) = net.eval(data=nd.ones((1, 4, 5, 5)), weight=nd.zeros((6, 4, 3, 3)))
    assert not found.asnumpy().any()
