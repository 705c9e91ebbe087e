"""Serves a classifier over HTTP, by any engine, and answers with the names of the best classes.

Run from the root of the repository, with ``pip install litserve``::

    python -m examples.serve net-symbol.json net-0000.params labels.txt --shape 3,224,224
    curl -d '{"data": ...}' -H 'Content-Type: application/json' localhost:8000/predict

``hy-io serve`` serves the outputs of any model as they are; this is a server of one's own above it.
``--backend onnxruntime`` predicts by that engine. What is no input of the model is answered with
status 422 and what is wrong; each answer says how many milliseconds its batch took.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hy_gluon.serving import Served, serve

__all__ = ["Classes", "main"]


class Classes(Served):
    """A model whose output has a number for each class.

    Args:
        symbol: ``net-symbol.json``.
        params: ``net-0000.params``.
        labels: A name for each class.
        options: As of :class:`hy_gluon.serving.Served`.
    """

    def __init__(self, symbol: str, params: str, labels: Sequence[str], **options: Any) -> None:
        super().__init__(symbol, params, **options)
        self.labels = labels

    def unbatch(self, output: Any) -> list[dict[str, Any]]:
        """Return for each request the best classes and their probabilities."""
        answers = super().unbatch(output)
        for answer in answers:
            scores = np.asarray(answer.pop("output"))
            parts = np.exp(scores - scores.max())
            best = np.argsort(-scores)[:3]
            answer["classes"] = {self.labels[i]: float(parts[i] / parts.sum()) for i in best}
        return answers


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("symbol", help="net-symbol.json")
    parser.add_argument("params", help="net-0000.params, or a .safetensors file")
    parser.add_argument("labels", type=Path, help="a text with a line for each class")
    parser.add_argument("--input", default="data", help="name of the input (data)")
    parser.add_argument("--shape", required=True, help="of one input, without the batch")
    parser.add_argument("--backend", help="an engine, such as onnxruntime; none: hy's own kernels")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    served = Classes(
        options.symbol,
        options.params,
        options.labels.read_text("utf-8").splitlines(),
        name=options.input,
        batch=16,
        wait=0.005,
        shape=tuple(map(int, options.shape.split(","))),
        backend=options.backend,
    )
    serve(served, port=options.port)


if __name__ == "__main__":
    main()
