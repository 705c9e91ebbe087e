"""Runs one client's program in that client's environment: what is computed goes into a file.

``python -m tests.clients.program CLIENT SIDE OUTPUT [PATTERN]``, the pattern choosing checks by
name. A check that fails is written down with its error, and the next one runs.
"""

import gc
import importlib
import json
import re
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.clients.fingerprints import arrays, fingerprint

__all__ = ["Checks"]

Checks = dict[str, Callable[[], object]]
"""By name: a function that gives what it computes, nested as it likes; its attribute `tolerance`,
if it has one, says how far results may lie apart, relative to an array's largest magnitude."""


def outcome(check: Callable[[], object]) -> dict[str, Any]:
    """The fingerprints of what a check computes, or its error; and the seconds it took."""
    start = time.perf_counter()
    try:
        result: dict[str, Any] = {"values": [fingerprint(array) for array in arrays(check())]}
    except Exception:  # any failure of a client's is a finding
        result = {"error": traceback.format_exc()}
    if hasattr(check, "tolerance"):
        result["tolerance"] = check.tolerance
    return result | {"seconds": round(time.perf_counter() - start, 2)}


def main() -> None:
    """Run the checks that were asked for."""
    client, side, output, *patterns = sys.argv[1:]
    results = {}
    for name, check in checks_of(client, side).items():
        if all(re.search(pattern, name) for pattern in patterns):
            results[name] = outcome(check)
            gc.collect()  # blocks refer to their parents, and large ones would wait long
            Path(output).write_text(json.dumps(results), encoding="utf-8")


def checks_of(client: str, side: str) -> Checks:
    """All checks of a client's program, which are in the files of its folder."""
    found: Checks = {}
    for file in sorted((Path(__file__).parent / "programs" / client).glob("*.py")):
        module = importlib.import_module(f"tests.clients.programs.{client}.{file.stem}")
        own = (
            module.checks(side) if hasattr(module, "checks") else {}
        )  # the others are shared parts
        found |= {f"{file.stem}/{name}": check for name, check in own.items()}
    return found


if __name__ == "__main__":
    main()
