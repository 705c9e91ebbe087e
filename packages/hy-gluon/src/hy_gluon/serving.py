"""HTTP server for an exported model, with dynamic batching of requests.

Run by ``hy-io serve``. LitServe collects requests into batches and starts worker processes, which
share the memory-mapped file of parameters. An invalid input is answered with status 422 before it
enters a batch. Each response reports the prediction time of its batch, and its header
``Server-Timing`` the total time.
"""

import os
import signal
from collections.abc import Awaitable, Callable, MutableMapping
from multiprocessing import parent_process
from time import perf_counter
from types import FrameType
from typing import Any, ClassVar, TypeAlias

import litserve
import numpy as np
from fastapi import HTTPException
from pydantic import RootModel, model_validator

from hy_gluon.block import SymbolBlock
from hy_ndarray import HyError, nd

__all__ = ["Request", "Served", "Timing", "serve"]

Message: TypeAlias = MutableMapping[str, Any]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


class Request(RootModel[dict[str, Any]]):
    """JSON body of a request: the model's input by name, validated on arrival.

    Requests are validated before batching, so that an invalid one does not fail a whole batch. Name
    and shape are class attributes, because FastAPI gets the class; a process serves one model.
    """

    name: ClassVar[str] = "data"
    shape: ClassVar[tuple[int, ...] | None] = None
    """Shape of one input without the batch axis; None for any."""

    @model_validator(mode="after")
    def is_input(self) -> "Request":
        """Validate that the body is exactly one array of numbers; raise status 422 otherwise."""
        name, document = self.name, self.root
        if name not in document:
            raise wrong(f"{name!r} is missing; the request has {', '.join(map(repr, document))}")
        if unknown := [key for key in document if key != name]:
            raise wrong(f"{unknown[0]!r} is no input of the model, which takes {name!r}")
        try:
            x = np.asarray(document[name])
        except ValueError:  # lists of different lengths
            raise wrong(f"{name!r} is no array: its rows have different lengths") from None
        if x.dtype.kind not in "fiub":
            raise wrong(f"{name!r} must hold numbers alone")
        if self.shape is not None and x.shape != self.shape:
            raise wrong(f"{name!r} has the shape {x.shape}, and the model takes {self.shape}")
        return self


def wrong(detail: str) -> HTTPException:
    """Return the exception for an invalid request, with status 422."""
    return HTTPException(422, detail)


class Served(litserve.LitAPI):
    """A model with one input and one output, in LitServe's interface.

    Args:
        symbol: Path of the graph, such as ``net-symbol.json``.
        params: Path of the parameters, such as ``net-0000.params``, or a ``.safetensors`` file.
        name: Name of the input in the graph and in requests.
        shape: Shape of one input without the batch axis, to validate requests; None for any.
        batch: Maximum batch size.
        wait: Maximum time in seconds that a request waits for others to form a batch.
        backend: Name of a backend; None for hy's own kernels.
    """

    def __init__(
        self,
        symbol: str,
        params: str,
        name: str,
        batch: int,
        wait: float,
        *,
        shape: tuple[int, ...] | None = None,
        backend: str | None = None,
    ) -> None:
        super().__init__(max_batch_size=batch, batch_timeout=wait)
        self.files = symbol, params
        self.name, self.backend = name, backend
        Request.name, Request.shape = name, shape

    def setup(self, device: str) -> None:  # noqa: ARG002  # hy's current context decides
        """Load the model in a worker process; the parameters' file is memory-mapped."""
        if parent_process() is not None:  # Ctrl+C reaches a worker, too; the server ends it
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        symbol, params = self.files
        self.block = SymbolBlock.imports(symbol, self.name, params, backend=self.backend)
        self.block.hybridize(backend=self.backend)

    def decode_request(self, request: Request) -> Any:
        """Return the input array of a request, in float32."""
        return np.asarray(request.root[self.name], np.float32)

    def batch(self, inputs: list[Any]) -> Any:
        """Stack the inputs of several requests along a new batch axis."""
        if len({x.shape for x in inputs}) > 1:
            raise wrong(f"{self.name!r} has other shapes in other requests; start with --shape")
        return np.stack(inputs)

    def predict(self, x: Any) -> Any:
        """Return the model's output for a batch, and the prediction time in milliseconds."""
        begin = perf_counter()
        try:
            y = self.block(nd.array(x)).asnumpy()
        except HyError as error:
            raise wrong(f"{self.name!r} does not fit the model: {error}") from error
        return y, 1e3 * (perf_counter() - begin)

    def unbatch(self, output: Any) -> list[dict[str, Any]]:
        """Return a response for each request: output, batch size, and milliseconds."""
        rows, milliseconds = output
        facts = {"batch": len(rows), "milliseconds": round(milliseconds, 3)}
        return [{"output": row.tolist(), **facts} for row in rows]


class Timing:
    """ASGI middleware that reports a request's duration in the header ``Server-Timing``."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        """Handle a request, as an ASGI application."""
        begin = perf_counter()

        async def timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                value = f"total;dur={1e3 * (perf_counter() - begin):.2f}"
                message["headers"] = [*message["headers"], (b"server-timing", value.encode())]
            await send(message)

        await self.app(scope, receive, timed)


def serve(
    served: Served,
    *,
    workers: int = 1,
    host: str = "0.0.0.0",  # noqa: S104  # other machines, too, as the page on serving says
    port: int = 8000,
) -> None:
    """Serve ``POST /predict`` until the process is interrupted or terminated.

    Args:
        served: The model.
        workers: Number of worker processes.
        host: Address to listen on: ``"127.0.0.1"`` for this machine only, ``"0.0.0.0"`` or ``"::"``
            for all.
        port: TCP port to listen on.
    """
    server = litserve.LitServer(
        served, accelerator="cpu", workers_per_device=workers, middlewares=[(Timing, {})]
    )
    process = os.getpid()

    def stop(_number: int, _frame: FrameType | None) -> None:
        # LitServe ends its processes when it is interrupted, and leaves them running when
        # terminated. They inherit this handler: SystemExit ends them without a traceback.
        raise KeyboardInterrupt if os.getpid() == process else SystemExit(0)

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        server.run(host=host, port=port, generate_client_file=False)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
