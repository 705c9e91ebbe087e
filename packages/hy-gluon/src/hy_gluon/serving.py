"""Serving: an exported model over HTTP, with concurrent requests batched.

``hy-io serve`` runs it. LitServe gathers requests into batches and starts worker processes; each
maps the file of parameters, so that together they keep it in memory once. What is no input of the
model is answered with status 422, before it is in a batch; each answer says how long its batch was
predicted, and the header ``Server-Timing`` how long all took.
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
    """JSON of a request: the input by name, whose type is set when the server starts.

    The check runs where requests come in, so that a wrong one does not spoil a batch. Name and
    shape belong to the class, which FastAPI reads: a process serves one model.
    """

    name: ClassVar[str] = "data"
    shape: ClassVar[tuple[int, ...] | None] = None
    """Of one input, without the axis of the batch; None: any, as long as all of a batch agree."""

    @model_validator(mode="after")
    def is_input(self) -> "Request":
        """Return whether the JSON has the input; else answer with status 422 and the reason."""
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
    """Return the answer to an invalid request."""
    return HTTPException(422, detail)


class Served(litserve.LitAPI):
    """Model with one input and one output, in LitServe's interface.

    Args:
        symbol: ``net-symbol.json``.
        params: ``net-0000.params``, or a ``.safetensors`` file.
        name: Its input, which is also what requests call it.
        shape: The shape of one input, without the axis of the batch, if it is to be checked.
        batch: How many requests are predicted together at most.
        wait: For how many seconds the first of them waits for the others.
        backend: The engine; None: hy's own kernels.
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
        """Open the model in each process; its parameters are mapped, not read."""
        if parent_process() is not None:  # Ctrl+C reaches a worker, too; the server ends it
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        symbol, params = self.files
        self.block = SymbolBlock.imports(symbol, self.name, params, backend=self.backend)
        self.block.hybridize(backend=self.backend)

    def decode_request(self, request: Request) -> Any:
        """Return the input in a request."""
        return np.asarray(request.root[self.name], np.float32)

    def batch(self, inputs: list[Any]) -> Any:
        """Return the inputs of several requests as one batch."""
        if len({x.shape for x in inputs}) > 1:
            raise wrong(f"{self.name!r} has other shapes in other requests; start with --shape")
        return np.stack(inputs)

    def predict(self, x: Any) -> Any:
        """Return the block's output for a batch, and the milliseconds it took."""
        begin = perf_counter()
        try:
            y = self.block(nd.array(x)).asnumpy()
        except HyError as error:
            raise wrong(f"{self.name!r} does not fit the model: {error}") from error
        return y, 1e3 * (perf_counter() - begin)

    def unbatch(self, output: Any) -> list[dict[str, Any]]:
        """Return the output of each request, with the batch's size and time."""
        rows, milliseconds = output
        facts = {"batch": len(rows), "milliseconds": round(milliseconds, 3)}
        return [{"output": row.tolist(), **facts} for row in rows]


class Timing:
    """Reports the duration of each request in the header ``Server-Timing``."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        """Handle a request, as ASGI defines it."""
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
    """Answer requests ``POST /predict`` until the process is interrupted or terminated.

    Args:
        served: The model.
        workers: Processes that predict.
        host: ``"127.0.0.1"`` answers this machine alone, ``"0.0.0.0"`` and ``"::"`` others, too.
        port: Where requests come in.
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
