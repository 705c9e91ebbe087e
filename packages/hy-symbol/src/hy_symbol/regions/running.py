"""Runs nodes on arrays and buffers, and regions by their backends."""

import os
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hy_ndarray import (
    Buffer,
    Context,
    Device,
    KernelFunction,
    NDArray,
    all_outputs,
    autograd,
    buffers_of,
)
from hy_symbol.graph.interpreter import interpret
from hy_symbol.graph.node import Graph, Node
from hy_symbol.regions.compiled import CompiledRegion
from hy_symbol.regions.following import Following
from hy_symbol.regions.registry import find_runner

__all__ = ["RunningRegion", "kernel_of", "node_outputs"]

_RUNNING = "running"


class RunningRegion:
    """Callable that runs a region on a device: by its backend, or else by the device's kernels.

    The backend compiles parameters as constants; the compiled function is dropped when a parameter
    is overwritten or replaced, or when the number of threads changes. The device's kernels run
    instead while parameters change before every call, where another library may write to them, and
    where the backend refuses. Thread-safe.

    Args:
        node: The region node.
        device: The device on which it runs.

    Raises:
        BackendError: The backend is not registered, or cannot run here.
    """

    def __init__(self, node: Node, device: Device) -> None:
        (self.graph,) = node.bodies
        self.backend: str = node.params["backend"]
        self.device = device
        self._options: Mapping[str, Any] = node.params["options"]
        self._runner = find_runner(self.backend)
        self._runner.prepare(self._options)
        self._constants: Sequence[int] = node.params["constants"]
        self._data = [k for k in range(len(node.inputs)) if k not in self._constants]
        self._following: Following[CompiledRegion] = Following()
        self._always: CompiledRegion | None = None
        self._lock = threading.RLock()
        self._forks, self._threads = _forks.count, device.limits.threads
        self._why: str | None = None

    @classmethod
    def of(cls, node: Node, device: Device) -> "RunningRegion":
        """Return the callable of a region node, shared by all programs that contain its graph."""
        shared = node.bodies[0].shared
        region = shared.get((_RUNNING, device))
        if region is None:
            for key in list(shared):
                if isinstance(key, tuple) and key[0] == _RUNNING and key[1].stale:
                    shared.pop(key, None)
            region = shared.setdefault((_RUNNING, device), cls(node, device))
        assert isinstance(region, RunningRegion)
        return region

    def __call__(self, *buffers: Buffer) -> Any:
        """Run the region on one buffer per input; return one buffer, or a tuple of several."""
        constants = [buffers[k] for k in self._constants]
        # Without the lock where it is known, as at almost every call.
        compiled = self._known(constants) or self._compiled(constants)
        if compiled is None:
            return _single_or_tuple(computed(self.graph, self.device, buffers, is_train=False))
        return _single_or_tuple(compiled.run([buffers[k] for k in self._data]))

    def left(self) -> dict[str, str]:
        """Return why the backend leaves nodes out, by operator and name; key ``""``: all nodes."""
        compiled = self._always or self._following.last(self.device)
        reasons = {} if self._why is None else {"": self._why}
        if compiled is None or reasons:
            return reasons
        reasons |= compiled.refused
        for node in compiled.regions:
            reasons |= RunningRegion.of(node, self.device).left()
        return reasons

    def _known(self, constants: Sequence[Buffer]) -> CompiledRegion | None:
        if self._forks != _forks.count or self._threads != self.device.limits.threads:
            return None
        return self._following.known(self.device, constants) if constants else self._always

    def _compiled(self, constants: Sequence[Buffer]) -> CompiledRegion | None:
        """Return the region compiled for these constants, None if that is not profitable."""
        with self._lock:
            if self._forks != _forks.count:  # the threads of an engine are not in this process
                # Freeing an engine's threads in a forked child could hang: it is kept, unused.
                _forks.orphans.append((self._following, self._always))
                self._following, self._always = Following(), None
                self._forks = _forks.count
            if self._threads != self.device.limits.threads:
                self._following, self._always = Following(), None
                self._threads = self.device.limits.threads
            known = self._known(constants)
            if known is not None:
                return known
            if not constants:
                self._always = self._new_compiled(constants)
                return self._always
            following, device = self._following, self.device
            if not following.is_profitable(device, constants):
                shared = device.is_shared(constants)
                reason = (
                    "may be written to by another library" if shared else "change before each use"
                )
                self._why = f"its parameters {reason}"
                return None
            self._why = None
            writes = following.watched(device, constants)
            compiled = self._new_compiled(constants)
            following.keep(device, constants, compiled, writes)
            return compiled

    def _new_compiled(self, constants: Sequence[Buffer]) -> CompiledRegion:
        variables, device = self.graph.variables, self.device
        arrays = {
            variables[k]: NDArray.from_buffer(buffer, device)
            for k, buffer in zip(self._constants, constants, strict=True)
        }
        compute = partial(computed, device=device, is_train=False)
        named = self.backend, self._options
        return CompiledRegion(self.graph, arrays, device, self._runner, named, compute)


class _Forks:
    """Number of forks of this process, and objects that a forked child must never free."""

    def __init__(self) -> None:
        self.count = 0
        self.orphans: list[object] = []

    def note(self) -> None:
        self.count += 1


_forks = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forks.note)


def kernel_of(node: Node, device: Device, *, is_train: bool) -> KernelFunction:
    """Return the function of buffers that computes a node: a kernel, or a running region.

    Raises:
        BackendError: The backend is not registered, or cannot run here.
        KernelError: The device's tables lack the kernel.
    """
    assert node.op is not None
    if not node.is_region:
        return node.op.kernel_on(device, is_train=is_train)
    if not is_train:
        return RunningRegion.of(node, device)
    (body,) = node.bodies

    def kernel(*buffers: Buffer) -> Any:
        return _single_or_tuple(computed(body, device, buffers, is_train=True))

    return kernel


def computed(
    graph: Graph, device: Device, buffers: Sequence[Buffer], *, is_train: bool
) -> Sequence[Buffer]:
    """Interpret a graph node by node, without autograd; ``buffers`` has one per variable."""
    arrays = [NDArray.from_buffer(buffer, device) for buffer in buffers]
    # Not recorded: backends are for prediction.
    values = {(node, 0): x for node, x in zip(graph.variables, arrays, strict=True)}
    with autograd.pause(train_mode=is_train):
        interpret(graph.nodes, values, lambda node, x: node_outputs(node, x, is_train=is_train))
    return buffers_of([values[entry] for entry in graph.outputs], device)[1]


def _single_or_tuple(values: Sequence[Buffer]) -> Any:
    """Return a single value by itself, several as a tuple."""
    return values[0] if len(values) == 1 else tuple(values)


def node_outputs(
    node: Node,
    inputs: Sequence[NDArray],
    ctx: Context | None = None,
    is_train: bool | None = None,
) -> Sequence[NDArray]:
    """Run a node on arrays; return all outputs, recorded if the operator allows it."""
    op = node.op
    assert op is not None
    if not node.is_region:
        return all_outputs(op, node.operands(inputs), node.params, ctx, is_train)
    device, buffers = buffers_of(inputs)
    kernel = kernel_of(node, device, is_train=bool(is_train))
    results = kernel(*buffers)
    values = results if isinstance(results, tuple) else (results,)
    return [NDArray.from_buffer(value, device) for value in values]
