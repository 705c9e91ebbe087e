"""Replay: NumPy calls of a layer, recorded once and repeated on the same arrays.

A program with preallocated memory calls a layer with the same arrays each time. To create their
views again takes some 20 µs per layer and thread, under the global interpreter lock. So a layer's
second call with the same arrays records its NumPy calls with their operands, and later calls
replay them. The contents of the arrays are read anew each time.
"""

import threading
import weakref
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._workspace import Scratch, scratch
from hy_kernels.numpy.runtime._pool import is_inside, is_pool_profitable, num_threads, together

Call: TypeAlias = Callable[[], Any]


class Work:
    """Runs calls immediately; its subclass :class:`_Recorder` records them instead.

    Args:
        memory: Scratch memory; by default that of the running thread.
    """

    def __init__(self, memory: Scratch | None = None) -> None:
        self._memory = memory

    def do(self, function: Callable[..., Any], *operands: Any, **options: Any) -> None:
        """Call ``function``, which writes its result to one of its operands."""
        function(*operands, **options)

    def workspace(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return scratch memory that the next use of ``name`` overwrites."""
        return (self._memory or scratch()).array(name, shape, dtype)


NOW = Work()
Task: TypeAlias = Callable[[Work], None]
"""A chunk of a layer, which makes its calls through a :class:`Work`."""


class _Recorder(Work):
    """Records calls, which :meth:`run` makes later."""

    def __init__(self, memory: Scratch) -> None:
        super().__init__(memory)
        self.calls: list[Call] = []
        self.is_short = True

    def do(self, function: Callable[..., Any], *operands: Any, **options: Any) -> None:
        """Record a call of ``function``."""
        self.calls.append(partial(function, *operands, **options))
        self.is_short = self.is_short and len(self.calls) <= COSTS.blocks.replay

    def workspace(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return scratch memory for the recorded calls."""
        array = super().workspace(name, shape, dtype)
        self.is_short = self.is_short and array.nbytes <= COSTS.memory.workspace
        return array

    def run(self) -> None:
        """Make all recorded calls."""
        for call in self.calls:
            call()


class _Recording:
    """The recorded calls of a layer on certain arrays: by chunk settings, a function per chunk."""

    def __init__(self, inputs: Sequence[Array | None]) -> None:
        # Until they come a second time, arrays are known by their ids, which keeps none alive.
        self.inputs: Sequence[Array | None] | None = None
        self.generation = 0
        self.chunks: dict[Hashable, list[Call] | None] = {}
        self.watch: weakref.ref[Array] | None = None
        self._ids = [id(x) for x in inputs]

    def matches(self, inputs: Sequence[Array | None]) -> bool:
        """Return whether ``inputs`` are the arrays that the recording was made for."""
        if self.inputs is None:
            return self._ids == [id(x) for x in inputs]
        return all(x is y for x, y in zip(self.inputs, inputs, strict=True))


class _Local(threading.local):
    def __init__(self) -> None:
        self.recordings: dict[int, _Recording] = {}
        self.more: list[Scratch] = []

    def scratches(self, count: int) -> list[Scratch]:
        """Return ``count`` scratch memories, one for each chunk of a layer."""
        while len(self.more) < count - 1:
            self.more.append(Scratch())
        return [scratch(), *self.more][:count]

    def generation(self) -> int:
        """Return a number that changes whenever scratch memory is replaced by larger memory."""
        return scratch().generation + sum(each.generation for each in self.more)


_local = _Local()


class Replay:
    """One call of a layer, which may record its NumPy calls or replay recorded ones.

    Operands of recorded calls must be views of the arrays: a copy would keep old contents. So there
    is no recording for non-contiguous inputs, which reshape would copy, or for 16-bit inputs, which
    are converted to a wider dtype.

    Args:
        result: The out buffer, or None.
        inputs: The arrays that the layer reads.
        prepared: Prepared weights that it also reads; their contents never change.
    """

    def __init__(
        self, result: Array | None, inputs: Sequence[Array | None], prepared: Sequence[Array] = ()
    ) -> None:
        self._inputs = (*inputs, *prepared)
        self._recording: _Recording | None = None
        # A result that is not a view is not in a program's arena, so the next call has another.
        if result is None or result.base is None or result.dtype.kind != "f":
            return
        recording = _local.recordings.get(id(result))
        if recording is not None and recording.matches(self._inputs):
            self._recording = recording
        elif result.itemsize >= 4 and all(x is None or x.flags.c_contiguous for x in inputs):
            recording = _local.recordings[id(result)] = _Recording(self._inputs)
            # Another array may get this id later, so the recording is removed with the array.
            recording.watch = weakref.ref(result, partial(_forget, _local.recordings, id(result)))

    def again(self) -> bool:
        """Replay the recorded calls; return False if there are none."""
        recording = self._recording
        # If scratch memory was replaced, recorded views would keep the old one alive: record anew.
        if recording is None or recording.generation != _local.generation():
            return False
        chunks = recording.chunks.get(_chunk_settings())
        if chunks is None:
            return False
        together(chunks)
        return True

    def compute(self, tasks: Sequence[Task]) -> None:
        """Run ``tasks``, one per chunk; also record them on the second call with these arrays."""
        recording, way = self._recording, _chunk_settings()
        memory = _local.scratches(len(tasks))
        if recording is None or recording.chunks.get(way, ()) is None:
            together([partial(f, Work(m)) for f, m in zip(tasks, memory, strict=True)])
            return
        recorders = [_Recorder(each) for each in memory]
        for task, recorder in zip(tasks, recorders, strict=True):
            task(recorder)
        if recording.generation != _local.generation():
            recording.generation = _local.generation()
            recording.chunks.clear()
        recording.inputs = self._inputs
        chunks = [recorder.run for recorder in recorders]
        # Recording saves little for long chunks; None prevents recording these arrays again.
        is_short = all(recorder.is_short for recorder in recorders)
        recording.chunks[way] = chunks if is_short else None
        together(chunks)


def _chunk_settings() -> Hashable:
    """Return the settings that determine how a layer is cut into chunks, as a dictionary key."""
    return num_threads(), is_inside(), is_pool_profitable()


def _forget(recordings: dict[int, _Recording], key: int, _: object) -> None:
    """Remove the recording of a freed result; a callback of a weak reference."""
    recordings.pop(key, None)
