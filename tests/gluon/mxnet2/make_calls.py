"""Writes ``tests/gluon/data/mxnet2/calls.json`` under MXNet 2.0.0b1: a graph and values per call.

``PYTHONPATH=. python -m tests.gluon.mxnet2.make_calls`` with mxnet 2.0.0b1 and numpy 1.23.
"""

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.gluon.mxnet2.calls import CALLS, input_of

mx: Any = import_module("mxnet")
FILE = Path(__file__).parents[1] / "data" / "mxnet2" / "calls.json"


class _Call(mx.gluon.HybridBlock):  # type: ignore[misc]  # untyped
    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def forward(self, *inputs: Any) -> Any:
        names = dict(zip("abc", inputs, strict=False))
        return eval(self.text, {"np": mx.np, "npx": mx.npx, **names})  # noqa: S307


def _described(array: Any) -> dict[str, Any]:
    values = np.asarray(array)
    listed = values.astype("float64").ravel().tolist()
    rounded = [float(f"{x:.8g}") for x in listed]
    return {"dtype": values.dtype.name, "shape": list(values.shape), "values": rounded}


def _bare(text: str) -> Any:
    """The graph without what every node repeats."""
    graph = json.loads(text)
    for node in graph["nodes"]:
        node.get("attrs", {}).pop("__profiler_scope__", None)
    return graph


def measure(text: str) -> dict[str, Any]:
    """The graph of a call, its inputs and its outputs."""
    rng = np.random.default_rng(len(text))
    inputs = [input_of(spec, rng) for spec in CALLS[text]]
    arrays = [mx.np.array(x, dtype=x.dtype) for x in inputs]
    net = _Call(text)
    net.initialize()
    net.hybridize()
    outputs = net(*arrays)
    listed = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    values = [_described(y.asnumpy()) for y in listed]
    with tempfile.TemporaryDirectory() as folder:
        symbol, _ = net.export(f"{folder}/net")
        graph = _bare(Path(symbol).read_text())
    return {"graph": graph, "inputs": [_described(x) for x in inputs], "outputs": values}


def main() -> None:
    """All rows that MXNet 2 can compute and trace; the others go to stderr."""
    rows = {}
    for text in CALLS:
        try:
            rows[text] = measure(text)
        except Exception as error:
            reason = str(error).strip().splitlines()[-1][:110]
            print(f"left out {text}: {reason}", file=sys.stderr)  # noqa: T201
    lines = [
        f"{json.dumps(key)}: {json.dumps(row, separators=(',', ':'))}" for key, row in rows.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
