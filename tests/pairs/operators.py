"""Usual calls of each operator, from the catalogue and the rows of its cases."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as onp

from hy_ndarray import ops
from hy_ndarray.namespaces import split_name
from hy_ndarray.testing.cases import CASES
from hy_ndarray.testing.op_case import OpCase

__all__ = ["calls", "graphs"]

_LONG = 700
"""Texts above it are left out, if the operator has shorter ones."""
_DRAWN = 1000


def path(name: str) -> str | None:
    """Where users find an operator; None for those that ``np`` wraps."""
    if name.startswith("_npx_"):
        return f"npx.{name.removeprefix('_npx_').replace('_image_', 'image.')}"
    if name.startswith(("_np_", "_npi_")):
        return None
    space, rest = split_name(name)
    if name.startswith("_sample_"):
        return f"nd.{name.removeprefix('_')}"
    if space:
        return f"nd.{space}.{rest}"
    return f"nd._internal.{name}" if name.startswith("_") else f"nd.{name}"


def _list(values: Any) -> str:
    return re.sub(r"\s+", "", repr(onp.asarray(values).tolist())).replace(",", ", ")


def _number(number: float) -> str:
    return repr(int(number)) if number == int(number) else repr(number)


def _inputs(case: OpCase) -> list[str | None]:
    """The inputs of a row in the words of calls."""
    texts: list[str | None] = []
    limits = [] if (case.low, case.high) == (-2, 2) else [f"low={case.low}", f"high={case.high}"]
    for index, shape in enumerate(case.shapes):
        if index in case.inputs:
            values = onp.asarray(case.inputs[index])
            kind = {"b": "bool", "u": str(values.dtype)}.get(values.dtype.kind)
            if values.dtype.kind == "i" and values.dtype != "int64":
                kind = str(values.dtype)
            texts.append(f"a({_list(values)}, {kind!r})" if kind else f"a({_list(values)})")
        elif shape is None:
            texts.append(None)
        else:
            texts.append(f"x({', '.join([*map(str, shape), *limits])})")
    return texts


def _parameters(case: OpCase, op: ops.Operator) -> dict[str, str]:
    params = dict(case.params)
    if "rng" in op.needs and op.params.get("shape") is not None and not case.shapes:
        params["shape"] = (_DRAWN,)
    return {name: repr(value) for name, value in params.items()}


def _call(case: OpCase, where: str) -> str:
    op = ops.find(case.op)
    inputs = _inputs(case)
    while inputs and inputs[-1] is None:
        inputs.pop()
    parts = [str(text) for text in inputs]
    parts += [f"{name}={value}" for name, value in _parameters(case, op).items()]
    text = f"{where}({', '.join(parts)})"
    return f"trained(lambda: {text})" if case.is_train else text


def _rows() -> dict[str, list[OpCase]]:
    rows: dict[str, list[OpCase]] = {}
    for case in CASES:
        if any(isinstance(v, str) and Path(v).is_absolute() for v in case.params.values()):
            continue  # the name of a file of this checkout
        rows.setdefault(case.op, []).append(case)
    return rows


def _names(op: ops.Operator) -> list[str]:
    """The names under which an operator has a public function; else its private one."""
    paths = [where for name in (op.name, *op.aliases) if (where := path(name)) is not None]
    return [where for where in paths if "._" not in where] or paths[:1]


def _firsts(names: list[str]) -> set[str]:
    """The first name in each namespace; others are its aliases."""
    chosen: dict[str, str] = {}
    for where in names:
        chosen.setdefault(where.rpartition(".")[0], where)
    return set(chosen.values())


def _chosen(rows: list[OpCase], where: str, most: int) -> list[str]:
    """Some rows of an operator, as different as they are far apart."""
    texts = sorted({_call(row, where): None for row in rows}, key=len)
    short = [text for text in texts if len(text) < _LONG] or texts[:1]
    return short[:: max(1, len(short) // most)][:most]


def calls(most: int = 2) -> Iterator[tuple[str, str]]:
    """Pairs of a family and a call: ``nd`` or ``npx`` with the catalogue's family."""
    rows = _rows()
    for op in ops.operators():
        names = _names(op)
        firsts = _firsts(names)
        for where in names:
            count = most if where in firsts else 1
            for text in _chosen(rows.get(op.name, []), where, count):
                yield where.split(".")[0], text


def graphs(most: int = 2) -> Iterator[str]:
    """Calls on symbols of what has a name in ``sym``, with inferred shapes."""
    rows = _rows()
    for op in ops.operators():
        paths = [p for p in _names(op) if p.startswith("nd.") and "._" not in p]
        if not paths:
            continue
        texts: dict[str, None] = {}
        for row in rows.get(op.name, []):
            names = [
                n if row.shapes[i : i + 1] != (None,) else None for i, n in enumerate(op.inputs)
            ]
            if op.variadic:
                names = [f"arg{i}" for i in range(len(row.shapes))]
            names = names[: len(row.shapes)]
            if None in names or any(shape is None for shape in row.shapes):
                continue
            values = [f"v({name!r})" for name in names]
            values += [f"{name}={value}" for name, value in _parameters(row, op).items()]
            shapes = [
                f"{n}={onp.shape(row.inputs[i]) if i in row.inputs else tuple(row.shapes[i] or ())}"
                for i, n in enumerate(names)
            ]
            texts[f"({', '.join(values)}), {', '.join(shapes)}"] = None
        short = sorted(texts, key=len)[:: max(1, len(texts) // most)]
        for number, where in enumerate(paths):
            for rest in short[: most if number == 0 else 1]:
                yield f"infer(sym{where.removeprefix('nd')}{rest})"
