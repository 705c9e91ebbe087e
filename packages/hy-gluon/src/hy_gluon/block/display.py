"""HTML table of a block for notebooks: layers, parameter shapes and sizes."""

from collections.abc import Iterator, Mapping
from html import escape
from math import prod
from typing import Any, Protocol

import numpy as np

from hy_gluon.parameter import ParameterDict

__all__ = ["html_table"]

_STEP = 1000
"""Bytes in a kB, kB in a MB, ..."""
_COLUMNS = ("Layer", "Type", "Parameters", "Number", "Size")


class _Shown(Protocol):
    """Interface of a block that the table needs."""

    @property
    def params(self) -> ParameterDict: ...

    @property
    def _children(self) -> Mapping[str, Any]: ...


def html_table(block: _Shown) -> str:
    """Return an HTML table of the block and its descendants, with each block's parameters.

    Unknown sizes are shown as ``?``, and their parameters are not counted. A shared parameter is
    counted once, at its first block.
    """
    rows, seen, total, total_bytes, is_open = [], set[int](), 0, 0, False
    for path, inner in _blocks(block, ""):
        texts, number, size = [], 0, 0
        for name, parameter in inner.params.items():
            shape = parameter.shape
            texts.append(f"{_last_word(name)} {_shape(shape)} {parameter._hy_dtype_name}")
            # Sizes of 0 or -1 are not known before the first call.
            if shape is None or any(n <= 0 for n in shape):
                is_open = True
            # A parameter shared by two layers has memory once.
            elif id(parameter) not in seen:
                number += prod(shape)
                size += prod(shape) * np.dtype(parameter.dtype).itemsize
            seen.add(id(parameter))
        total, total_bytes = total + number, total_bytes + size
        count = f"{number:,}" if number else ""
        cells = (path, type(inner).__name__, "\n".join(texts), count, _bytes(size))
        rows.append("".join(map(_cell, cells)))
    head = "".join(f"<th>{text}</th>" for text in _COLUMNS)
    body = "".join(f"<tr>{row}</tr>" for row in [head, *rows])
    note = "; sizes shown as ? are inferred in the first call" if is_open else ""
    summary = f"{total:,} parameters, {_bytes(total_bytes) or '0 bytes'}{note}"
    return f"<table>{body}</table><small>{summary}</small>"


def _blocks(block: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path or "(this block)", block
    for name, child in block._children.items():
        if hasattr(child, "_children"):
            yield from _blocks(child, f"{path}.{name}" if path else name)


def _last_word(name: str) -> str:
    for suffix in ("running_mean", "running_var", "moving_mean", "moving_var"):
        if name.endswith(suffix):
            return suffix
    return name.rpartition("_")[2]


def _shape(shape: tuple[int, ...] | None) -> str:
    if shape is None:
        return "(?)"
    return "(" + ", ".join(str(n) if n > 0 else "?" for n in shape) + ")"


def _bytes(size: float) -> str:
    if not size:
        return ""
    for unit in ("bytes", "kB", "MB"):
        if size < _STEP:
            return f"{size:.3g} {unit}"
        size /= _STEP
    return f"{size:.3g} GB"


def _cell(text: str) -> str:
    return f'<td style="text-align:left">{escape(text).replace(chr(10), "<br>")}</td>'
