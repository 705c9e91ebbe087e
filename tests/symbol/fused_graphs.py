"""Graphs with the fused operators of MXNet's oneDNN backend, and what MXNet 1.9.1 computes.

``python -m tests.symbol.fused_graphs``, with MXNet in the place of hy, writes its outputs to
``data/fused.json``.
"""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx

__all__ = ["CASES", "FILE", "document", "outputs"]

FILE = Path(__file__).parent / "data" / "fused.json"
FILTERS, CHANNELS = 6, 4
SHAPES = {
    "data": (2, CHANNELS, 5, 5),
    "weight": (FILTERS, CHANNELS, 3, 3),
    "bias": (FILTERS,),
    "gamma": (FILTERS,),
    "beta": (FILTERS,),
    "mean": (FILTERS,),
    "var": (FILTERS,),
    "other": (2, FILTERS, 5, 5),
}

CASES: dict[str, dict[str, Any]] = {
    "a convolution": {"ends": (-2.0, 1.5)},
    "with a bias and a ReLU": {"bias": True, "relu": True, "ends": (0.0, 2.0)},
    "with batch normalisation": {"norm": True, "ends": (-1.0, 2.0)},
    "with batch normalisation and a ReLU": {"norm": True, "relu": True, "ends": (-0.0, 3.0)},
    "added to unsigned integers": {"norm": True, "relu": True, "other": 0.0, "ends": (0.0, 4.0)},
    "added to signed integers": {"norm": True, "relu": True, "other": -1.0, "ends": (0.0, 4.0)},
    "on floating numbers": {"bias": True, "relu": True, "ends": None},
}
"""``ends``: of the results, None: nothing is quantized; ``other``: the least number added."""


def document(
    bias: bool = False,
    norm: bool = False,
    relu: bool = False,
    other: float | None = None,
    ends: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """A graph of one fused convolution and what is around it."""
    outer, inner = _Nodes(), _Nodes()
    inputs = [_integers(outer, "data", 0.0) if ends else outer.variable("data")]
    body = [inner.variable("data")]
    names = ["weight", "bias"] if bias else ["weight"]
    inputs += [outer.variable(name) for name in names]
    attrs = {"kernel": "(3, 3)", "pad": "(1, 1)", "num_filter": str(FILTERS)}
    body += [inner.variable(name) for name in names]
    last = inner.add("Convolution", "c", body, no_bias=str(not bias), **attrs)
    if norm:
        names = ["gamma", "beta", "mean", "var"]
        inputs += [outer.variable(name) for name in names]
        states = [inner.variable(name) for name in names]
        last = inner.add("BatchNorm", "n", [last, *states], eps="1e-05", fix_gamma="False")
    if other is not None:
        inputs.append(_integers(outer, "other", other))
        last = inner.add("elemwise_add", "plus", [last, inner.variable("other")])
    if relu:
        last = inner.add("Activation", "r", [last], act_type="relu")
    flags = {"with_bn": norm, "with_sum": other is not None}
    flags["with_postsum_act" if other is not None else "with_act"] = relu
    said = {key: "true" for key, value in flags.items() if value}
    if ends:
        low, high = map(str, ends)
        said |= {"quantized": "true", "min_calib_range": low, "max_calib_range": high}
        quantized = [inputs[0]] if other is None else [inputs[0], inputs[-1]]
        inputs += [[node, i, 0] for node, _, _ in quantized for i in (1, 2)]
    fused = outer.add(
        "_sg_mkldnn_conv", "fused", inputs, subgraphs=[inner.document([last])], **said
    )
    outs = [[fused[0], i, 0] for i in ((0, 1, 2) if ends else (0,))]
    heads = [outer.add("_contrib_dequantize", "numbers", outs)] if ends else outs
    return outer.document(heads)


class _Nodes:
    """The nodes of a document."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def add(
        self, op: str, name: str, inputs: Any, subgraphs: Any = None, **attrs: str
    ) -> list[int]:
        record = {"op": op, "name": name, "attrs": attrs, "inputs": inputs}
        self.records.append(record | ({"subgraphs": subgraphs} if subgraphs else {}))
        return [len(self.records) - 1, 0, 0]

    def variable(self, name: str) -> list[int]:
        return self.add("null", name, [])

    def document(self, heads: Any) -> dict[str, Any]:
        count = len(self.records)
        arguments = [i for i in range(count) if self.records[i]["op"] == "null"]
        rows = list(range(count + 1))
        version = {"mxnet_version": ["int", 10901]}
        return {"nodes": self.records, "arg_nodes": arguments, "heads": heads, "attrs": version,
                "node_row_ptr": rows}  # fmt: skip


def _integers(nodes: _Nodes, name: str, low: float) -> list[int]:
    ends = {"min_calib_range": str(low), "max_calib_range": "1.0"}
    variable = nodes.variable(name)
    return nodes.add("_contrib_quantize_v2", f"{name}_q", [variable], out_type="auto", **ends)


def _values(name: str, low: float) -> np.ndarray[Any, Any]:
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    return generator.uniform(low, 1, SHAPES[name]).astype(np.float32)


def outputs(case: str) -> list[float]:
    """What a graph gives for made-up values."""
    options = CASES[case]
    symbol = mx.sym.load_json(json.dumps(document(**options)))
    lows = {"data": 0.0, "var": 0.5, "gamma": 0.5, "other": options.get("other") or 0.0}
    given = {
        name: mx.nd.array(_values(name, lows.get(name, -1.0))) for name in symbol.list_inputs()
    }
    states = {name: given.pop(name) for name in symbol.list_auxiliary_states()}
    executor = symbol.bind(mx.cpu(), given, aux_states=states, grad_req="null")
    return [round(float(x), 5) for x in executor.forward()[0].asnumpy().ravel()]


if __name__ == "__main__":
    lines = [f"{json.dumps(case)}: {json.dumps(outputs(case))}" for case in CASES]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
