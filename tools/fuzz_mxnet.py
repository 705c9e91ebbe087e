"""Reads damaged files with MXNet 1.9.1; run by `tools.fuzz_io` in an interpreter that has it.

The input is a line, ``{"form": ..., "wholes": [hex], "record": hex, "seed": ..., "count": ...}``.
Files are read in forked processes, since they may end these; the answer counts how it went.
"""

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz_inputs import damaged  # type: ignore[import-not-found, unused-ignore]  # a script

READ, REFUSED, CRASH, SLOW, BIG = range(5)
NAMES = ["read", "refused", "crash", "slow", "big"]
SECONDS, MEBIBYTES = 1, 256


def read(form: str, path: str) -> None:
    """Read a file as a user of MXNet does."""
    import mxnet  # noqa: PLC0415  # only this interpreter has it

    if form == "params":
        arrays = mxnet.nd.load(path)
        for array in arrays.values() if isinstance(arrays, dict) else arrays:
            array.wait_to_read()
    elif form == "records":
        records = mxnet.recordio.MXRecordIO(path, "r")
        while records.read() is not None:
            pass
    else:
        index = mxnet.recordio.MXIndexedRecordIO(path, str(Path(path).with_name("whole.rec")), "r")
        for key in index.keys:
            index.read_idx(key)


def outcome(form: str, path: str) -> int:
    """Read a file in this process, and tell how it went."""
    begin, before = time.perf_counter(), memory()
    try:
        read(form, path)
        result = READ
    except Exception:  # noqa: BLE001, RUF100  # whatever it raises
        result = REFUSED
    if time.perf_counter() - begin > SECONDS:
        return SLOW
    return BIG if memory() - before > MEBIBYTES else result


def memory() -> float:
    """Return the largest memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Answer one request."""
    request = json.loads(sys.stdin.readline())
    wholes = [bytes.fromhex(text) for text in request["wholes"]]
    inputs = list(damaged(wholes, request["seed"], request["count"]))
    counts = [0] * len(NAMES)
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "damaged")  # noqa: PTH118  # MXNet takes texts
        if "record" in request:
            Path(folder, "whole.rec").write_bytes(bytes.fromhex(request["record"]))
        results = Path(folder, "results")
        at = 0
        while at < len(inputs):
            results.write_bytes(b"")
            child = os.fork()
            if not child:
                work(request["form"], path, inputs[at:], results)
            os.waitpid(child, 0)
            codes = results.read_bytes()
            for code in codes:
                counts[code] += 1
            at += len(codes)
            if at < len(inputs):  # the process ended, or was ended, at this input
                counts[CRASH] += 1
                at += 1
    print(json.dumps(dict(zip(NAMES, counts))))  # noqa: B905  # as old as MXNet's Python


def work(form: str, path: str, inputs: "list[bytes]", results: Path) -> None:
    """Read inputs in a forked process, which ends with the first one that breaks it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    with results.open("ab", buffering=0) as file:
        for content in inputs:
            Path(path).write_bytes(content)
            signal.alarm(10)  # ends the process
            code = outcome(form, path)
            signal.alarm(0)
            file.write(bytes([code]))
            if code in {SLOW, BIG}:
                break
    os._exit(0)


if __name__ == "__main__":
    main()
