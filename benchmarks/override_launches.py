"""Count launches and bytes of the Triton table's kernels of derived operators, without a GPU.

``python -m benchmarks.override_launches`` runs each kernel that the table has for an operator that
is composed of others, and what would run without it, on tensors without memory, of float32 and of
float16: the torch table's kernel where it has one, else the composition, whose pointwise steps are
fused as in a graph. A launch reads and writes each of its tensors once: the model knows no cache.
What saves neither launches nor bytes is listed last.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from benchmarks.overrides import MAX_ROWS, bound, is_small, operands
from hy_kernels.torch import table as torch_table
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.triton import table
from hy_kernels.triton.runtime._launch import recorded
from hy_ndarray import HyError, ops
from hy_ndarray.devices import _compositions
from hy_ndarray.devices._compositions import Composed, composition_of
from hy_ndarray.testing.cases import FAMILIES

__all__ = ["Work", "main", "rows"]

_NO_LAUNCHES = ("empty", "new_empty", "empty_like", "empty_strided", "detach", "_unsafe_view")


class Work(NamedTuple):
    """Launches, and bytes that they read and write."""

    launches: int
    bytes: int


class Row(NamedTuple):
    """Work of a kernel, and of what would take its place."""

    kernel: str
    case: str
    own: Work
    other: Work

    @property
    def saved(self) -> float:
        """Return the share of launches or of bytes that a kernel saves, whichever is more."""
        (launches, size), (others, more) = self.own, self.other
        return max(1 - launches / others, 1 - size / more)


class _Counted(TorchDispatchMode):  # type: ignore[misc,unused-ignore]  # Any without torch
    """Counts torch's launches and their bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.works: list[Work] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        name = function.__name__.split(".")[0]
        if not function.is_view and name not in _NO_LAUNCHES:
            self.works.append(Work(1, _bytes((args, kwargs, result))))
        return result


def _bytes(values: Any) -> int:
    tensors = {id(x): x for x in tree_leaves(values) if isinstance(x, torch.Tensor)}
    return sum(x.numel() * x.itemsize for x in tensors.values())


def work(call: Callable[[], Any]) -> Work:
    """Return what a call on tensors without memory would start on a GPU."""
    with recorded() as launches, _Counted() as counted:
        call()
    works = [*counted.works, *[Work(1, _bytes(each.arguments)) for each in launches]]
    return Work(sum(x.launches for x in works), sum(x.bytes for x in works))


def _record(name: str) -> Any:
    """Return the kernel that the Triton table and those below it run."""
    return table().find(name) or _below(name)


def _below(name: str) -> Any:
    composition = composition_of(name)
    tables = (table(), torch_table())
    own = torch_table().find(name)
    if own is None and composition is not None:
        return Composed(name, composition, _record, tables, torch.device("meta"))
    return own


def _without_memory(x: Any, half: bool) -> Any:
    if x is None:
        return None
    dtype = torch_type(x.dtype.name)
    return torch.empty(
        x.shape, dtype=torch.float16 if half and dtype is torch.float32 else dtype, device="meta"
    )


def rows() -> Iterator[Row]:
    """Yield a row for cases of each operator."""
    done: Counter[str] = Counter()
    for case in (case for family in FAMILIES.values() for case in family):
        op = ops.find(case.op)
        if op.kernel not in table().names() or composition_of(op.kernel) is None or op.needs:
            continue
        if done[op.kernel] == MAX_ROWS:
            continue
        params = op.parse(dict(case.params))
        kernels = table().find(op.kernel), _below(op.kernel)
        for values, half in product(operands(case), (False, True)):
            try:
                if not is_small(op, values, params):
                    continue
                arrays = [_without_memory(x, half) for x in values]
                own, other = (work(bound(each, arrays, params, {})) for each in kernels)
            except (HyError, ValueError, TypeError, IndexError, RuntimeError) as error:
                print(f"{case}: {error}"[:200], file=sys.stderr)  # which needs numbers, say
                continue
            if other.bytes:
                done[op.kernel] += 1
                yield Row(op.kernel, f"{case}{' float16' * half}", own, other)


def main() -> None:
    """Print a line for each kernel, on the row where it saves most."""
    best: dict[str, Row] = {}
    _compositions.MIN_FUSED_SIZE = 1  # as in a graph
    for row in rows():
        known = best.get(row.kernel)
        if known is None or row.saved > known.saved:
            best[row.kernel] = row
    for row in sorted(best.values(), key=lambda row: row.saved, reverse=True):
        works = "".join(f"{x.launches:4}{x.bytes / 1e6:9.2f}" for x in (row.own, row.other))
        print(f"{row.kernel:36}{works}  {row.case}")
    idle = [row.kernel for row in best.values() if row.saved <= 0]
    print(f"{len(best)} kernels, {len(idle)} of which save nothing: {', '.join(sorted(idle))}")


if __name__ == "__main__":
    main()
