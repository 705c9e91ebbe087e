"""Transfer of batches between processes: arrays in shared memory, the rest pickled."""

import mmap
import os
import pickle
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray import NDArray, cpu, device_of

__all__ = ["SharedBatch", "pack"]

# Less than the pipe's socket buffers, so that sending never waits for the reader.
_INLINE = 32 * 1024
"""Batches up to this size go through the pipe, whose buffer is larger: sending never waits."""

_MARK = b"\0"
"""What a descriptor is sent with, as it cannot travel alone."""
_ALIGNMENT = 64  # bytes: a cache line


class _Pickler(pickle.Pickler):
    """Pickler that passes the memory of arrays out of band."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, NDArray):
            # The memory itself where it is numpy's, else one copy to the host.
            values = obj.buffer if type(obj.buffer) is np.ndarray else obj.asnumpy()
            return _rebuilt, (type(obj), values)
        return NotImplemented


def _rebuilt(kind: type[NDArray], values: npt.NDArray[Any]) -> NDArray:
    return kind.from_buffer(values, device_of(cpu()))


@dataclass(frozen=True, slots=True)
class SharedBatch:
    """A pickled batch: the pickle, and the buffers of its arrays."""

    parts: Sequence[Any]
    """Bytes-like objects; the pickle comes first."""

    def send(self, connection: Connection, task: int) -> None:
        """Send the batch to the parent process as the result of ``task``."""
        sizes = [memoryview(part).nbytes for part in self.parts]
        # Anonymous memory: nothing is left in /dev/shm when a process is killed.
        descriptor = None if sum(sizes) <= _INLINE else _shared_memory(_part_ends(sizes)[-1])
        if descriptor is None:
            connection.send((task, [bytes(part) for part in self.parts], None))
            return
        try:
            # The worker's map is closed at once; the descriptor keeps the memory until the parent
            # maps it.
            with mmap.mmap(descriptor, _part_ends(sizes)[-1]) as memory:
                for part, size, end in zip(self.parts, sizes, _part_ends(sizes), strict=True):
                    memory[end - size : end] = part
            connection.send((task, None, sizes))
            # By SCM_RIGHTS over the pipe's socket; the parent gets a descriptor of its own. Not by
            # multiprocessing's send_handle, which since Python 3.14 waits for an answer, and would
            # read the next task instead.
            with _socket_of(connection) as pipe:
                socket.send_fds(pipe, [_MARK], [descriptor])
        finally:
            os.close(descriptor)

    @staticmethod
    def receive(
        connection: Connection, parts: list[bytes] | None, sizes: list[int]
    ) -> "SharedBatch":
        """Return the batch of a message: its ``parts``, or shared memory that follows it."""
        if parts is not None:
            # bytearray, as arrays of a batch must be writable.
            return SharedBatch([bytearray(part) for part in parts])
        with _socket_of(connection) as pipe:
            _, descriptors, _, _ = socket.recv_fds(pipe, len(_MARK), 1)
        if not descriptors:
            raise EOFError
        (descriptor,) = descriptors
        try:
            memory = memoryview(mmap.mmap(descriptor, _part_ends(sizes)[-1]))
        finally:
            os.close(descriptor)
        return SharedBatch(
            [memory[end - size : end] for size, end in zip(sizes, _part_ends(sizes), strict=True)]
        )

    def unpack(self) -> Any:
        """Return the unpickled batch; its arrays use the received memory without a copy."""
        return pickle.loads(self.parts[0], buffers=self.parts[1:])  # noqa: S301  # from our own worker


def _socket_of(connection: Connection) -> socket.socket:
    """Return the socket of a pipe as an object of its own, to be closed."""
    pipe = socket.socket(fileno=os.dup(connection.fileno()))
    # A program's default timeout would make the connection itself non-blocking.
    pipe.settimeout(None)
    return pipe


def pack(batch: Any) -> SharedBatch:
    """Return a batch in pickled form, with array memory out of band."""
    buffers: list[pickle.PickleBuffer] = []
    stream = BytesIO()
    # Protocol 5 hands buffers out of band, so large arrays are never copied into the pickle.
    _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(batch)
    return SharedBatch([stream.getvalue(), *(buffer.raw() for buffer in buffers)])


def _part_ends(sizes: Sequence[int]) -> list[int]:
    """Return the end offsets of parts that begin at aligned offsets in shared memory."""
    ends: list[int] = []
    start = 0
    for size in sizes:
        ends.append(start + size)
        start = -(-ends[-1] // _ALIGNMENT) * _ALIGNMENT
    return ends


def _shared_memory(size: int) -> int | None:
    """Return a file descriptor of anonymous shared memory; None if not supported.

    The memory is freed when the last descriptor or mapping is closed.
    """
    if not hasattr(os, "memfd_create"):
        return None
    descriptor = os.memfd_create("hy-batch")
    os.ftruncate(descriptor, size)
    return descriptor
