"""Serves an exported model over HTTP: requests that come together are predicted as one batch.

Run from the root of the repository, with ``pip install litserve``::

    python -m examples.serve net-symbol.json net-0000.params
    curl -d '{"data": [0.5, 1.0, 2.0]}' -H 'Content-Type: application/json' localhost:8000/predict

LitServe gathers requests into batches and starts ``--workers`` processes. Each maps the file of
parameters, so that together they keep it in memory once.
"""

import argparse
from typing import Any

import litserve
import numpy as np

from hy_gluon import SymbolBlock
from hy_ndarray import nd


class Served(litserve.LitAPI):
    """A model with one input and one output, as LitServe calls it.

    Args:
        symbol: ``net-symbol.json``.
        params: ``net-0000.params``, or a ``.safetensors`` file.
        name: Its input, which is also what requests call it.
        batch: How many requests are predicted together at most.
        wait: For how many seconds the first of them waits for the others.
    """

    def __init__(self, symbol: str, params: str, name: str, batch: int, wait: float) -> None:
        super().__init__(max_batch_size=batch, batch_timeout=wait)
        self.files = symbol, params
        self.name = name

    def setup(self, device: str) -> None:  # noqa: ARG002  # hy's current context decides
        """In each process: open the model, which reads nothing of the parameters yet."""
        symbol, params = self.files
        self.block = SymbolBlock.imports(symbol, self.name, params)

    def decode_request(self, request: dict[str, Any]) -> Any:
        """The input of one request."""
        return np.asarray(request[self.name], np.float32)

    def batch(self, inputs: list[Any]) -> Any:
        """The inputs of several requests as one."""
        return np.stack(inputs)

    def predict(self, x: Any) -> Any:
        """One call of the block for all of them."""
        return self.block(nd.array(x)).asnumpy()

    def unbatch(self, output: Any) -> list[dict[str, Any]]:
        """For each of them its part of the result, and how many they were."""
        return [{"output": row.tolist(), "batch": len(output)} for row in output]


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("symbol", help="net-symbol.json")
    parser.add_argument("params", help="net-0000.params, or a .safetensors file")
    parser.add_argument("--input", default="data", help="name of the input (data)")
    parser.add_argument("--batch", type=int, default=16, help="most requests in a batch (16)")
    parser.add_argument(
        "--wait", type=float, default=0.005, help="seconds for which the first waits (0.005)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (1)")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    served = Served(options.symbol, options.params, options.input, options.batch, options.wait)
    server = litserve.LitServer(served, accelerator="cpu", workers_per_device=options.workers)
    server.run(port=options.port, generate_client_file=False)


if __name__ == "__main__":
    main()
