"""Time each kernel of a derived operator against its composition: ``hatch run bench-overrides``.

A table keeps a kernel for an operator that is composed of others, an *override*, where it gains at
least a tenth. Each is timed as an eager call runs it, beside the composition on the same table,
whose pointwise steps are fused on large operands as in a graph, on the operands of a row of the
suite and on large ones: CPU time of one thread, in turn, the best of many rounds. A kernel that
does not pay is timed on further rows, until one pays. Lists what pays nowhere, with ``--all``
everything.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import process_time
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from hy_ndarray import HyError, cpu, device_of, kernel_table, ops
from hy_ndarray.devices._compositions import Composed, composition_of
from hy_ndarray.testing import OpCase, values_of
from hy_ndarray.testing.cases import FAMILIES

MIN_GAIN_RATIO = 1.1
"""Time of the composition over that of the kernel, from which the kernel pays."""
SMALL, LARGE = 1 << 12, 1 << 18
"""Elements of the first operand."""
MAX_RESULT = 1 << 22
"""Elements of the largest result that is computed: some grow with the square of an operand."""
MAX_ROWS = 8
"""Rows of the suite on which a kernel is timed that does not pay."""


class Row(NamedTuple):
    """Times of a kernel and of its composition, in seconds."""

    operator: str
    case: str
    size: int
    kernel: float
    composed: float

    @property
    def gain(self) -> float:
        """Time of the composition over that of the kernel."""
        return self.composed / self.kernel


def measured(one: Callable[[], Any], other: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """The best CPU time of each, taken in turn."""
    best = [float("inf"), float("inf")]
    times = [1, 1]
    for k, call in enumerate((one, other)):
        start = process_time()
        call()
        call()
        times[k] = max(1, int(1e-3 / max((process_time() - start) / 2, 1e-7)))
    for _ in range(rounds):
        for k, call in enumerate((one, other)):
            start = process_time()
            for _ in range(times[k]):
                call()
            best[k] = min(best[k], (process_time() - start) / times[k])
    return best[0], best[1]


def grown(values: Sequence[Any], size: int) -> list[Any]:
    """The operands with as many more rows as make the first one large."""
    first = values[0]
    rows = first.shape[0]
    times = -(-size // first.size)

    def more(x: Any) -> Any:
        is_of_rows = x is not None and x.ndim and x.shape[0] == rows
        return np.concatenate([x] * times) if is_of_rows else x

    return [more(x) for x in values]


def operands(case: OpCase) -> Iterator[list[Any]]:
    """The operands of a row in float32, a few and many of them."""
    values = [
        None if x is None else x.astype("float32") if x.dtype == np.float64 else x
        for x in values_of(case)
    ]
    if not values or values[0] is None or not values[0].ndim or not values[0].size:
        yield values
        return
    yield grown(values, SMALL)
    yield grown(values, LARGE)


def is_small(op: ops.Operator, values: Sequence[Any], params: Any) -> bool:
    """Whether the results have few enough elements."""
    types = [None if x is None else ops.TensorType(x.shape, x.dtype.name) for x in values]
    return all(np.prod(t.sizes or ()) <= MAX_RESULT for t in op.infer(types, params))


def bound(kernel: Any, buffers: Sequence[Any], params: Any, more: Any) -> Callable[[], Any]:
    """A call as an eager one makes it: of the function for these parameters, if there is one."""
    special = None if kernel.specialize is None else kernel.specialize(None, params)
    if special is not None and not more:
        return partial(special, *buffers)
    return partial(kernel.function, *buffers, **params, **more)


def rows(table_name: str, only: str, rounds: int) -> Iterator[Row]:
    """A row for each operator with an override, and size; more where it does not pay."""
    device, table = device_of(cpu()), kernel_table(table_name)
    timed: Counter[str] = Counter()
    paying: set[str] = set()
    for case in (case for family in FAMILIES.values() for case in family):
        op = ops.find(case.op)
        record, composition = table.find(op.kernel), composition_of(op.kernel)
        if record is None or composition is None or only not in op.kernel:
            continue
        if op.kernel in paying or timed[op.kernel] == MAX_ROWS:
            continue
        timed[op.kernel] += 1
        find = device.kernels.record
        composed = Composed(
            op.kernel, composition=composition, find=find, tables=(table,), device=device.handle
        )
        needs = {
            "is_train": False,
            "rng": table.generator(1, device.handle),
            "device": device.handle,
        }
        more = {name: needs[name] for name in op.needs}
        params = op.parse(dict(case.params))
        for values in operands(case):
            size = values[0].size if values and values[0] is not None else 0
            try:
                if not is_small(op, values, params):
                    continue
                buffers = [
                    None if x is None else table.memory.from_numpy(x, device.handle) for x in values
                ]
                own, other = (bound(each, buffers, params, more) for each in (record, composed))
                row = Row(op.kernel, str(case), size, *measured(own, other, rounds))
            except (HyError, ValueError, TypeError, IndexError, RuntimeError) as error:
                print(f"{case}: not with {size} elements: {error}", file=sys.stderr)
                continue
            if row.gain >= MIN_GAIN_RATIO:
                paying.add(op.kernel)
            yield row


def main() -> None:
    """Print a line for each row, and which kernels pay nowhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="numpy")
    parser.add_argument("--only", default="", help="part of the names of kernels")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="print every row")
    options = parser.parse_args()
    gains: dict[str, list[float]] = {}
    for row in rows(options.table, options.only, options.rounds):
        gains.setdefault(row.operator, []).append(row.gain)
        if options.all:
            print(
                f"{row.operator:40} {row.case:40} {row.size:8} kernel {row.kernel * 1e6:10.1f} us  "
                f"composed {row.composed * 1e6:10.1f} us  {row.gain:5.2f}",
                flush=True,
            )
    idle = sorted(name for name, own in gains.items() if max(own) < MIN_GAIN_RATIO)
    print(f"{len(gains)} overrides, {len(idle)} of which gain less than a tenth everywhere:")
    for name in idle:
        print(f"  {name}: {', '.join(f'{gain:.2f}' for gain in gains[name])}")


if __name__ == "__main__":
    main()
