"""One side of the comparison, in a process of its own that measures whenever it is asked to.

``python -m benchmarks.worker SIDE NAME SECONDS`` prepares a workload and writes what it runs on as
a line of JSON; for each line that it then reads, it writes seconds per call, of about ``SECONDS``
of calls. ``SIDE`` is ``hy`` or ``mxnet``: whose ``mxnet`` the interpreter has; ``torch``, or
``compiled``, the same by ``torch.compile``; or ``onnxruntime``, for nets that hy exports.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module, metadata
from typing import Any, TypeAlias

Measure: TypeAlias = Callable[[], float]

IMPORT_MXNET = "import_mxnet"
DISTRIBUTIONS = (
    *("hy-compat", "hy-gluon", "hy-io", "hy-kernels", "hy-ndarray", "hy-onnx", "hy-symbol"),
    *("mxnet", "numpy", "onnxruntime", "torch"),
)
MODULES = {
    "torch": "benchmarks.torch_workloads",
    "compiled": "benchmarks.torch_workloads",
    "onnxruntime": "benchmarks.onnx_workloads",
}
"""Of sides without an ``mxnet``: where their workloads are."""
_STATEMENT = """
import time
begin = time.perf_counter()
import mxnet
print(time.perf_counter() - begin)
"""


def importing() -> float:
    """Seconds of ``import mxnet`` in a fresh interpreter, whose own start is not counted.

    The import of numpy is: both libraries need it, and nobody can do without.
    """
    flags = ["-E"] if sys.flags.ignore_environment else []
    command = [sys.executable, *flags, "-W", "ignore", "-c", _STATEMENT]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603  # ourselves
    return float(done.stdout)


def calling(call: Callable[[], Any], wait: Callable[[], None], seconds: float) -> Measure:
    """Measures as many calls as fit ``seconds``, all of them done when the time is taken."""

    def timed(number: int) -> float:
        begin = time.perf_counter()
        for _ in range(number):
            call()
        wait()
        return time.perf_counter() - begin

    timed(4)  # runs interpreted, plans, compiles, gets memory
    count = 1
    while timed(count) < seconds / 4:
        count *= 2

    def measure() -> float:
        nonlocal count
        timed(count // 8)  # caches and threads are awake again
        number, spent = count, timed(count)
        count = max(1, round(number * seconds / spent))  # of the next one
        return spent / number

    measure()  # the first is short
    return measure


def prepared(side: str, name: str, seconds: float) -> Measure | None:
    """The measurement of a workload; None where the side has no counterpart of it."""
    if name == IMPORT_MXNET:
        if side in MODULES:
            return None
        importing()  # compiles to bytecode, fills the page cache
        return importing
    module = import_module(MODULES.get(side, "benchmarks.workloads"))
    if name not in module.WORKLOADS:
        return None
    if side == "compiled":
        module.compile_nets()
    module.seed()
    return calling(module.WORKLOADS[name](), module.wait, seconds)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the compared distributions that are installed."""
    installed = {
        path.metadata["Name"].lower().replace("_", "-"): path.version
        for path in metadata.distributions()
    }
    versions = {name: installed[name] for name in DISTRIBUTIONS if name in installed}
    return {"python": sys.version.split()[0], **versions}


def replies(side: str, name: str, seconds: float) -> Iterator[object]:
    """Yield what is written: first about the side, then a number per line read."""
    measure = prepared(side, name, seconds)
    yield {"known": measure is not None, "versions": versions()}
    if measure is not None:
        for _ in sys.stdin:
            yield measure()


def main() -> None:
    """Answer until there is nothing more to read."""
    side, name, seconds = sys.argv[1:]
    for reply in replies(side, name, float(seconds)):
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
