"""Wraps programs and their kernels for an observer such as the profiler."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray import Device, KernelFunction
from hy_ndarray.custom import NAMES
from hy_ndarray.devices.instrumentation import Observer
from hy_symbol.graph.node import Node

__all__ = ["observed_run", "observed_steps"]

_SHOW_THEMSELVES = NAMES | {"_backward_Custom"}
"""Operators whose kernels report to the observer themselves."""


def observed_steps(
    observer: Observer | None, nodes: Sequence[Node], kernel: KernelFunction, device: Device
) -> KernelFunction:
    """Return the kernel of one or several fused steps, wrapped to report to ``observer``."""
    names = [node.op.name for node in nodes if node.op is not None]
    if observer is None or names[0] in _SHOW_THEMSELVES:
        return kernel
    last = nodes[-1]
    block, forward = last.scope_path
    # A gradient's node was made by the gradient pass, so its line says nothing about the user's
    # program.
    line = "" if forward else last.where
    known = {"node": last.name, "block": block, "gradient_of": forward, "line": line}
    details = {name: value for name, value in known.items() if value}
    return observer.step(kernel, "+".join(names), device, details)


def observed_run(
    observer: Observer | None, steps: Sequence[Node], run: Callable[..., Any]
) -> Callable[..., Any]:
    """Return ``run`` wrapped to report each run of the whole program to ``observer``."""
    if observer is None:
        return run
    name = _common_block([node.scope_path.block for node in steps]) or "graph"
    if any(node.scope_path.forward for node in steps):
        name = f"{name} backward"
    return observer.spanned(run, name, "program", {"steps": len(steps)})


def _common_block(paths: Sequence[str]) -> str:
    """Return the path of the innermost block that contains all these paths."""
    common: list[str] = []
    for parts in zip(*[path.split(".") for path in paths if path], strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return ".".join(common)
