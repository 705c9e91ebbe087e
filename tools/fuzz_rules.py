"""Asks the operators' type rules odd questions: ``python -m tools.fuzz_rules [--count N]``.

Parameters, ranks, sizes and numbers of inputs are drawn at random, near the rows of cases
(``hy_ndarray.testing.cases``) and far from them. A rule must answer, or raise one of hy's errors.
"""

import argparse
import json
import sys
import traceback
from collections import Counter
from random import Random
from typing import Any, get_args

from hy_ndarray import DTYPES, HyError, ops
from hy_ndarray.ops import Operator, TensorType
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES

TEXTS = (
    *("0", "1", "-1", "2", "3", "7", "100", "-2", "1e30", "nan", "inf", "None", "True"),
    *("()", "(0,)", "(2,)", "(1,2)", "(2,2)", "(-1,0)", "(3,1,2)", "(None,)"),
    *("NCHW", "NHWC", "float32", "int32", "(", "f4,f4", "cpu(0)"),
)
"""What parameters are given; most are of the wrong kind for most."""
ROWS: dict[str, list[OpCase]] = {}
for _case in CASES:
    ROWS.setdefault(ops.find(_case.op).name, []).append(_case)


def mostly(rng: Random) -> bool:
    """True in three of four cases."""
    return rng.randrange(4) > 0


def sometimes(rng: Random) -> bool:
    """True in one of three cases."""
    return rng.randrange(3) == 0


def shape(rng: Random) -> tuple[int | None, ...] | None:
    """Any shape of at most six axes; some sizes, or all of it, unknown."""
    if sometimes(rng) and sometimes(rng):
        return None
    rank = rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6))
    return tuple(rng.choice((0, 1, 2, 3, 4, 5, 6, None)) for _ in range(rank))


def parameters(rng: Random, op: Operator, row: OpCase | None) -> dict[str, Any]:
    """Return parameters of a row, some replaced by texts, and texts for missing ones."""
    params: dict[str, Any] = dict(row.params) if row else {}
    for name, param in op.params.items():
        keep = 0.85 if name in params else 0.8 if name in op.defaults else 0.0
        if rng.random() < keep:
            continue
        kinds = (param.annotation, *get_args(param.annotation))
        words = [word for kind in kinds for word in get_args(kind) if isinstance(word, str)]
        params[name] = rng.choice(words if words and mostly(rng) else TEXTS)
    return params


def inputs(
    rng: Random, op: Operator, params: dict[str, Any], row: OpCase | None
) -> list[TensorType | None]:
    """Types near those of the row."""
    if op.variadic:
        near = row is not None and mostly(rng)
        count = len(row.shapes) if row and near else rng.randrange(9)
        names = [f"arg{i}" for i in range(count)]
        active = set(names)
    else:
        names, active = list(op.inputs), set(op.active_inputs(params))
    types: list[TensorType | None] = []
    for i, name in enumerate(names):
        left_out = op.active is None and name in op.optional and sometimes(rng)
        if name not in active or left_out:
            types.append(None)
            continue
        near = row is not None and i < len(row.shapes) and mostly(rng)
        sizes = row.shapes[i] if row and near else shape(rng)
        if sizes is not None and sometimes(rng):
            sizes = tuple(None if sometimes(rng) else n for n in sizes)
        dtypes = (*DTYPES, None) if sometimes(rng) else ("float32", None)
        types.append(TensorType(sizes, rng.choice(dtypes), name=name))
    return types


def ask(op: Operator, seed: int) -> None:
    """Infer the types of one operator, with random inputs and parameters.

    Raises:
        HyError: The operator refuses it.
    """
    rng = Random(f"{op.name} {seed}")  # noqa: S311  # no secrets
    rows = ROWS.get(op.name)
    row = rng.choice(rows) if rows and mostly(rng) else None
    params = op.parse(parameters(rng, op, row))
    types = inputs(rng, op, params, row)
    known = [
        TensorType(
            shape(rng) if sometimes(rng) else None,
            "float32" if sometimes(rng) else None,
        )
        for _ in op.output_names(params)
    ]
    op.updated(params, True)
    op.num_visible(params)
    op.infer(types, params, known, node="n")


def fuzz(first: int, count: int) -> Counter[str]:
    """Ask every operator ``count`` questions; what is wrong is printed with its seed."""
    counts: Counter[str] = Counter()
    for op in ops.operators():
        for seed in range(first, first + count):
            try:
                ask(op, seed)
                counts["answered"] += 1
            except HyError:
                counts["refused"] += 1
            except Exception:  # noqa: BLE001, RUF100  # that is what is looked for
                counts["wrong"] += 1
                print(f"{op.name}: seed {seed}\n{traceback.format_exc()}", flush=True)
    return counts


def main() -> int:
    """Fuzz, print the counts, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz_rules", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="questions to each operator")
    parser.add_argument("--seed", type=int, default=0, help="of the first question")
    options = parser.parse_args()
    counts = fuzz(options.seed, options.count)
    print(json.dumps(counts))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
