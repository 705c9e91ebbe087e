"""Workers: collective operations between the processes of a training job (``torch.distributed``).

PyTorch is imported when the first store of several workers is created. Arrays on the CPU are sent
by gloo, arrays on GPUs by NCCL.
"""

import atexit
import os
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.kvstore.errors import KVStoreError, WorkerError
from hy_gluon.kvstore.launch import Launch, launch
from hy_gluon.kvstore.rendezvous import Member, attend, await_message
from hy_gluon.kvstore.waiting import keep_alive, wait_for, without_blocking
from hy_ndarray import Buffer, DTypeError, NDArray, dtype_name, nd, numpy_type
from hy_ndarray.sparse.rows import rows_of

__all__ = ["Workers"]

# Few collectives, and a bounded flat copy. PyTorch's DDP has buckets of 25 MB for the same reasons.
_BUCKET_BYTES = 64 << 20
"""Bytes of gradients per collective operation."""
_SUMMED = ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64")
_SHOWN_CHARACTERS = 500
"""Maximum of characters of a call in an error message."""
_members: list[Member] = []
"""Connections to the rendezvous, open as long as this process lives."""


class Workers:
    """Group of all workers; each must call the same methods in the same order.

    Args:
        timeout: Seconds to wait for the other workers in each call.

    Raises:
        KVStoreError: PyTorch is not installed, or the environment describes no other workers.
        WorkerError: The other workers did not connect in time.
    """

    def __init__(self, timeout: float) -> None:
        if find_spec("torch") is None:
            raise KVStoreError(
                "stores of several workers need PyTorch; `pip install hy-gluon[distributed]`"
            )
        self._torch: Any = import_module("torch")
        self._dist: Any = import_module("torch.distributed")
        self._timeout = timeout
        self._broken: WorkerError | None = None
        self._group: Any = None
        self._of_gpus: Any = None
        if not self._dist.is_initialized():
            _begin(self._dist, launch(), timeout)
        self.rank: int = self._dist.get_rank()
        self.count: int = self._dist.get_world_size()
        # A group of its own, so that a program's other collectives do not interleave with the
        # store's.
        self._group = self._new_group("gloo")

    def _new_group(self, backend: str) -> Any:
        seconds = timedelta(seconds=self._timeout)
        form = partial(self._dist.new_group, backend=backend, timeout=seconds)
        return self._run_collective(lambda: without_blocking(form))

    def _collective(self, name: str, *args: Any, group: Any, **options: Any) -> None:
        """Run PyTorch's collective operation ``name``, and wait for it."""
        begin = getattr(self._dist, name)
        self._run_collective(lambda: wait_for(begin(*args, group=group, async_op=True, **options)))

    def _run_collective(self, action: Callable[[], Any]) -> Any:
        """Run a collective operation; convert a failure to WorkerError.

        Raises:
            WorkerError: Another worker ended or timed out, or an earlier call was interrupted; all
                later calls then raise it, too.
        """
        # After one failure workers may be at different calls: nothing that follows can be trusted.
        if self._broken is not None:
            raise self._broken
        try:
            return action()
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
            self._broken = WorkerError(
                f"worker {self.rank} of {self.count}: another worker ended, or did not take part "
                f"within {self._timeout:g} s ({reason}). Start all of them again, from a checkpoint"
            )
            raise self._broken from error
        except BaseException as error:  # such as KeyboardInterrupt
            self.break_off(error)
            raise

    def break_off(self, error: BaseException) -> None:
        """Make all later calls raise WorkerError, as an error left a collective unfinished."""
        if self._broken is None:
            self._broken = WorkerError(
                f"worker {self.rank} of {self.count}: an earlier call was interrupted "
                f"({type(error).__name__}) while it waited for the other workers, which may have "
                "what this one has not. Start all of them again, from a checkpoint"
            )
            keep_alive(self._group, self._of_gpus)

    def agree(self, call: object, number: float = 0.0) -> float:
        """Check that all workers make the same call; return a number of worker 0.

        Args:
            call: Description of the call, whose ``repr`` must be equal on all workers.
            number: A number that may differ between workers.

        Returns:
            The number of worker 0.

        Raises:
            WorkerError: The calls differ; names both.
        """
        # Eight bytes of a digest and a float in one collective: a full text would take two.
        torch, text = self._torch, repr(call)
        bits = struct.pack("d", number)
        words = struct.unpack("2q", blake2b(text.encode(), digest_size=8).digest() + bits)
        gathered = [torch.zeros(2, dtype=torch.int64) for _ in range(self.count)]
        mine = torch.tensor(words, dtype=torch.int64)
        self._collective("all_gather", gathered, mine, group=self._group)
        # Texts are exchanged only where digests differ.
        if any(int(other[0]) != words[0] for other in gathered):
            other = next(i for i in range(self.count) if gathered[i][0] != gathered[0][0])
            texts = self._texts(text[:_SHOWN_CHARACTERS])
            raise WorkerError(
                f"the workers call the store differently: worker 0 {texts[0]}, "
                f"worker {other} {texts[other]}"
            )
        return float(struct.unpack("d", struct.pack("q", int(gathered[0][1])))[0])

    def _texts(self, text: str) -> list[str]:
        """Return a short string from each worker."""
        torch, size = self._torch, 4 * _SHOWN_CHARACTERS  # bytes that a character takes at most
        mine = torch.tensor([*text.encode().ljust(size, b"\0")], dtype=torch.uint8)
        gathered = [torch.empty_like(mine) for _ in range(self.count)]
        self._collective("all_gather", gathered, mine, group=self._group)
        return [bytes(other.tolist()).rstrip(b"\0").decode() for other in gathered]

    def broadcast(self, arrays: Sequence[NDArray]) -> None:
        """Overwrite arrays of any dtype with worker 0's values."""
        for array in arrays:
            if array.stype != "default":
                whole = array.tostype("default")
                self.broadcast([whole])
                whole.copyto(array)
                continue
            tensor = _tensor(self._torch, array.buffer)
            content = tensor.contiguous()
            # As bytes, so that dtypes without a reduction (int16, bool) travel, too.
            sent = content.reshape(-1).view(self._torch.uint8)
            self._collective("broadcast", sent, src=0, group=self._group_of(sent))
            tensor.copy_(content)

    def begin_sum(self, arrays: Sequence[NDArray], rank: int) -> Callable[[], None]:
        """Start a sum over workers onto one of them; return a function that waits for it.

        Args:
            arrays: Dense arrays; those of worker ``rank`` finally contain the sums.
            rank: Index of the worker.

        Raises:
            DTypeError: An array has a dtype that cannot be summed.
        """
        return self._begin_collective("reduce", arrays, rank, "dst", is_changed=self.rank == rank)

    def begin_broadcast(self, arrays: Sequence[NDArray], rank: int) -> Callable[[], None]:
        """Start a broadcast from one worker; return a function that waits for it.

        Args:
            arrays: Dense arrays, overwritten on the other workers.
            rank: Index of the worker.
        """
        return self._begin_collective(
            "broadcast", arrays, rank, "src", is_changed=self.rank != rank
        )

    def _begin_collective(
        self, name: str, arrays: Sequence[NDArray], rank: int, option: str, *, is_changed: bool
    ) -> Callable[[], None]:
        """Start a collective on flat copies of arrays; return a function that completes it."""
        begin = getattr(self._dist, name)
        pending: list[tuple[Any, Any, list[Any]]] = []
        for numbers in _buckets(arrays):
            tensors = [_tensor(self._torch, arrays[i].buffer) for i in numbers]
            flat = self._torch.cat([tensor.reshape(-1) for tensor in tensors])
            # The flat copy is read by gloo's thread until it is waited for; the closure keeps it.
            options = {option: rank, "group": self._group_of(flat), "async_op": True}
            work = self._run_collective(partial(begin, flat, **options))
            pending.append((work, flat, tensors))

        def finish() -> None:
            for work, flat, tensors in pending:
                self._run_collective(partial(wait_for, work))
                # Reduce leaves garbage on other ranks, and broadcast's sender has the values.
                if is_changed:
                    parts = flat.split([tensor.numel() for tensor in tensors])
                    for tensor, part in zip(tensors, parts, strict=True):
                        tensor.copy_(part.reshape(tensor.shape))

        return finish

    def sum(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """Return sums of arrays over workers; only stored rows of row_sparse arrays are sent.

        Args:
            arrays: Arrays with the same storage types on all workers.

        Raises:
            DTypeError: An array has a dtype that cannot be summed.
        """
        dense = [array for array in arrays if array.stype == "default"]
        sums = iter(self._on_flat_buffers(self._added, dense))
        return [next(sums) if x.stype == "default" else self._sum_of_rows(x) for x in arrays]

    def _added(self, flat: Any) -> Any:
        self._collective("all_reduce", flat, group=self._group_of(flat))
        return flat

    def _sum_of_rows(self, array: Any) -> NDArray:
        """Return the sum of a row_sparse array over workers, with the union of their rows."""
        # First the rows that any worker has, then their values: of a large table few rows travel.
        has_row = np.zeros(array.shape[0], np.bool_)
        has_row[array.indices.asnumpy()] = True
        rows = np.flatnonzero(self.any(has_row))
        (total,) = self._on_flat_buffers(self._added, [rows_of(array, rows)])
        return nd.sparse.row_sparse_array((total, rows), array.shape)

    def sum_signs(self, arrays: Sequence[NDArray], unit: float) -> list[NDArray]:
        """Return sums over workers of arrays with values ``unit``, 0 and ``-unit``.

        Elements are sent as two bits each.
        """
        torch = self._torch

        def added(flat: Any) -> Any:
            # Codes 0, 1 and 2 for 0, +unit and -unit; four of them in a byte.
            code = (flat > 0).to(torch.uint8) + 2 * (flat < 0).to(torch.uint8)
            code = torch.nn.functional.pad(code, (0, -len(code) % 4)).reshape(-1, 4)
            shifts = torch.tensor([0, 2, 4, 6], dtype=torch.uint8, device=code.device)
            packed = torch.bitwise_left_shift(code, shifts).sum(1, dtype=torch.uint8)
            # Gathered and summed here: NCCL and gloo cannot add two-bit codes.
            gathered = [torch.empty_like(packed) for _ in range(self.count)]
            self._collective("all_gather", gathered, packed, group=self._group_of(packed))
            total = torch.zeros(code.shape, dtype=torch.int32, device=code.device)
            for other in gathered:
                codes = torch.bitwise_right_shift(other.reshape(-1, 1), shifts) & 3
                total += (codes == 1).to(torch.int32) - (codes == 2).to(torch.int32)  # noqa: PLR2004
            return (total.reshape(-1)[: len(flat)] * unit).to(flat.dtype)

        return self._on_flat_buffers(added, arrays)

    def any(self, flags: Sequence[bool] | npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return for each flag whether it is set on any worker."""
        reduced = self._torch.from_numpy(np.array(flags, np.uint8))
        # The maximum of 0 and 1 is "or".
        maximum = self._dist.ReduceOp.MAX
        self._collective("all_reduce", reduced, op=maximum, group=self._group)
        return np.asarray(reduced.numpy(), np.bool_)

    def _group_of(self, tensor: Any) -> Any:
        """Return the process group for a tensor's device, gloo or NCCL."""
        if not tensor.is_cuda:
            return self._group
        if self._of_gpus is None:
            # NCCL's default ends the whole process on a time-out; this makes it an exception.
            os.environ.setdefault("TORCH_NCCL_BLOCKING_WAIT", "1")
            self._torch.cuda.set_device(tensor.device)
            self._of_gpus = self._new_group("nccl")
        return self._of_gpus

    def _on_flat_buffers(
        self, action: Callable[[Any], Any], arrays: Sequence[NDArray]
    ) -> list[NDArray]:
        """Apply ``action`` to arrays concatenated as flat tensors; return its results as arrays."""
        results: dict[int, NDArray] = {}
        for numbers in _buckets(arrays):
            tensors = [_tensor(self._torch, arrays[i].buffer) for i in numbers]
            # One collective for many small arrays: latency counts for each call.
            flat = action(self._torch.cat([tensor.reshape(-1) for tensor in tensors]))
            parts = flat.split([tensor.numel() for tensor in tensors])
            for i, part in zip(numbers, parts, strict=True):
                array = arrays[i]
                result = nd.empty(array.shape, ctx=array.context, dtype=array.dtype)
                _tensor(self._torch, result.buffer).copy_(part.reshape(array.shape))
                results[i] = result
        return [results[i] for i in range(len(arrays))]


def _buckets(arrays: Sequence[NDArray]) -> Iterator[list[int]]:
    """Yield indices of arrays grouped by dtype and context into messages of about equal size."""
    open_: dict[tuple[str, str], tuple[list[int], int]] = {}
    for i, array in enumerate(arrays):
        name = dtype_name(array.dtype)
        if name not in _SUMMED:
            raise DTypeError(f"gradients of dtype {name} are not summed over workers")
        kind = name, str(array.context)
        numbers, size = open_.get(kind, ([], 0))
        numbers.append(i)
        size += int(array.size) * int(np.dtype(numpy_type(name)).itemsize)
        open_[kind] = numbers, size
        if size >= _BUCKET_BYTES:
            yield open_.pop(kind)[0]
    for numbers, _ in open_.values():
        yield numbers


def _tensor(torch: Any, buffer: Buffer) -> Any:
    """Return a tensor that shares the memory of ``buffer`` if possible."""
    if isinstance(buffer, torch.Tensor):
        return buffer
    if not isinstance(buffer, np.ndarray):
        return torch.from_dlpack(buffer)
    if not buffer.flags.writeable or any(step < 0 for step in buffer.strides):
        # torch warns about read-only memory, and has no negative strides.
        buffer = np.array(buffer)
    if buffer.dtype == numpy_type("bfloat16"):
        # torch knows no bfloat16 of ml_dtypes; the bits are the same.
        return torch.from_numpy(buffer.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(buffer)


def _begin(dist: Any, where: Launch, timeout: float) -> None:
    """Create the default process group, of all processes of the job."""
    if "DMLC_INTERFACE" in os.environ:  # MXNet's name of the network to use
        for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"):
            os.environ.setdefault(name, os.environ["DMLC_INTERFACE"])
    seconds = timedelta(seconds=timeout)
    try:
        begin = partial(dist.init_process_group, "gloo", timeout=seconds)
        if not where.torchrun:
            store, rank = _rendezvous(dist, where, timeout)
            begin = partial(begin, store=store, rank=rank, world_size=where.workers)
        # In a thread: forming a group waits in C++, deaf to Ctrl-C.
        without_blocking(begin)
    except WorkerError:
        raise
    except RuntimeError as error:
        raise WorkerError(
            f"not all {where.workers} workers came to {where.host}:{where.port} within "
            f"{timeout:g} s ({str(error).splitlines()[0]})"
        ) from error
    # The process group must end before interpreter shutdown takes torch apart.
    atexit.register(_end, dist)


def _rendezvous(dist: Any, where: Launch, timeout: float) -> tuple[Any, int]:
    """Return PyTorch's key-value store and this worker's rank, after a rendezvous."""
    end, seconds = time.monotonic() + timeout, timedelta(seconds=timeout)
    member = attend(where, timeout)
    connect = partial(dist.TCPStore, timeout=seconds, wait_for_workers=False)
    try:
        if member.rank == 0:
            # The address by which the rendezvous sees worker 0, and any free port.
            own = member.connection.getsockname()[0]
            store = without_blocking(lambda: connect(own, 0, where.workers, is_master=True))
            member.send(store=[own, store.port])
        else:
            host, port = await_message(member, "store", where, end)
            store = without_blocking(lambda: connect(host, port, where.workers))
    except BaseException:
        # Closing the connection is how the others learn of it.
        member.connection.close()
        raise
    _members.append(member)
    assert member.rank is not None
    return store, member.rank


def _end(dist: Any) -> None:
    """Destroy the default process group at exit."""
    if dist.is_initialized():
        dist.destroy_process_group()
