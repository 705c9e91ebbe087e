"""Code generation: formulas as source in Triton's language, and as compiled device functions."""

import linecache
from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import triton
import triton.language as tl

from hy_kernels.triton._formula import FUNCTIONS, MODULES, Formula, Reduction, Step
from hy_kernels.triton.device import rows

_OF_ROWS = (
    *("to_compute_dtype", "largest", "product", "smallest", "load_scalar"),
    *("aligned_starts", "in_row", "load_row"),
)
"""Functions of :mod:`hy_kernels.triton.device.rows` that the code calls."""


class Axis(NamedTuple):
    """Strides of all inputs along one axis of the iteration space."""

    steps: tuple[int | None, ...]
    """Stride of each input: 0, 1, or None if it is an argument of the launch."""


class Visit(NamedTuple):
    """Iteration space of a formula, as far as the generated code depends on it."""

    axes: tuple[Axis, ...]
    """The last axis varies fastest."""
    leading: int = 0
    """How many axes are not reduced, if there is a reduction."""
    int64_indices: bool = False
    """Whether there are more than 2^31 elements."""
    even: bool = True
    """Whether the number of elements is a multiple of 16, if there is no reduction."""
    factors: tuple[int, ...] = ()
    """Factor of each number that a launch passes; empty: 1 each.

    Triton compiles for numbers that are multiples of 16, and reads in vectors along these. A
    multiple of 8 or 4 is passed as its quotient, so that the code has the factor: rows of 1,000
    elements are read by 4 floats, or 8 of 16 bits.
    """
    vector: int = 1
    """Elements at whose multiples tiles of a reduction begin; above 1 for one contiguous input."""


def _split(index: str, axes: range, int64_indices: bool) -> list[str]:
    """Return lines that split a flat index into an index ``i{k}`` along each axis."""
    if not axes:
        return []
    flat = index if int64_indices else f"{index}.to(tl.int32)"
    if len(axes) == 1:
        return [f"i{axes[0]} = {flat}"]
    lines = [f"rest = {flat}"]
    for k in reversed(axes[1:]):
        lines += [f"i{k} = rest % n{k}", f"rest = rest // n{k}"]
    return [*lines, f"i{axes[0]} = rest"]


def _read(formula: Formula) -> list[int]:
    """Return the numbers of the inputs that the formula reads."""
    read = {*formula.results, *(i for step in formula.steps for i in step.operands)}
    if formula.reduction is not None:
        read.add(formula.reduction.value)
    return sorted(read & {*range(formula.inputs)})


def _offsets(j: int, visit: Visit, spread: bool = False) -> str:
    """Return an expression for the offsets into input ``j``; empty if it has a single element.

    Args:
        j: The number of the input.
        visit: The iteration space.
        spread: Whether the indices span a tile of rows and columns, as in a reduction.
    """
    terms = []
    for k, axis in enumerate(visit.axes):
        apart = axis.steps[j]
        if apart != 0:
            index = f"i{k}.to(tl.int64)"
            if spread:
                index += _ROW if k < visit.leading else _COLUMN
            terms.append(index if apart == 1 else f"{index} * s{j}_{k}")
    return " + ".join(terms)


def _loads(formula: Formula, visit: Visit, inside: str) -> list[str]:
    """Return lines that load each input the formula reads, at the offsets of the axes."""
    lines = []
    for j in _read(formula):
        offsets = _offsets(j, visit)
        if offsets:
            lines.append(f"v{j} = to_compute_dtype(tl.load(x{j} + ({offsets}){inside}))")
    return lines


_ROW, _COLUMN = "[:, None]", "[None, :]"


def _loads_of_tile(formula: Formula, visit: Visit) -> list[str]:
    """Return lines that load a tile of each input; values shared by a row are loaded once."""
    lines = []
    for j in _read(formula):
        steps = [axis.steps[j] != 0 for axis in visit.axes]
        by_row, by_column = any(steps[: visit.leading]), any(steps[visit.leading :])
        if by_row or by_column:
            inside = [f"(row < rows){_ROW}"] * by_row + [f"(column < end){_COLUMN}"] * by_column
            offsets = _offsets(j, visit, spread=True)
            value = f"to_compute_dtype(tl.load(x{j} + ({offsets}), {' & '.join(inside)}))"
            lines.append(f"v{j} = tl.broadcast_to({value}, at.shape)")
    return lines


def _single(formula: Formula, visit: Visit) -> list[str]:
    """Return lines that load the one-element inputs and the scalar arguments of a launch."""
    lines = [
        f"v{j} = tl.broadcast_to(to_compute_dtype(tl.load(x{j})), at.shape)"
        for j in _read(formula)
        if not _offsets(j, visit)
    ]
    first = formula.inputs
    return lines + [f"v{first + k} = load_scalar(p{k}, LOADED)" for k in range(formula.numbers)]


def _called(step: Step, operands: Sequence[str]) -> str:
    """Return the source of a call of a step's function; ``add_n`` gives nested calls."""
    module = FUNCTIONS[step.name].fn.__module__.rpartition(".")[2]
    if step.computed:
        types = zip(operands, step.computed, strict=True)
        operands = [f"{each}.to(tl.{kind})" for each, kind in types]
    if step.name == "add_n":
        called = reduce(lambda total, x: f"{module}.add_n({total}, {x})", operands)
    else:
        params = [f"{name}={value}" for name, value in step.params]
        called = f"{module}.{step.name}({', '.join([*operands, *params])})"
    if step.rounded:
        called = f"{called}.to(tl.{step.rounded}).to(tl.float32)"
    return f"{called}.to(tl.{step.result})" if step.result else called


def _computed(steps: Sequence[Step], result: int) -> list[str]:
    lines = []
    for step in steps:
        operands = [f"v{i}" for i in step.operands]
        results = ", ".join(f"v{result + k}" for k in range(step.outputs))
        lines.append(f"{results} = {_called(step, operands)}")
        result += step.outputs
    return lines


def _stored(formula: Formula, inside: str) -> list[str]:
    return [
        f"tl.store(y{k} + at, v{value}.to(y{k}.dtype.element_ty){inside})"
        for k, value in enumerate(formula.results)
    ]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _pointwise(formula: Formula, visit: Visit) -> list[str]:
    computed = _computed(formula.steps, formula.inputs + formula.numbers)
    lines = [
        "begin = tl.program_id(0).to(tl.int64) * BLOCK",
        "at = begin + tl.arange(0, BLOCK)",
        *_split("at", range(len(visit.axes)), visit.int64_indices),
        *_single(formula, visit),
    ]
    masked, whole = ", inside", ""
    loads = {inside: _loads(formula, visit, inside) for inside in (masked, whole)}
    stores = {inside: _stored(formula, inside) for inside in (masked, whole)}
    if visit.even:
        return [*lines, "inside = at < size", *loads[masked], *computed, *stores[masked]]
    # A mask whose end is no multiple of a vector makes every access one of a single element. All
    # programs but the last have none to leave out, and branch to accesses in vectors; what is
    # computed stands once between them.
    lines.append("inside = at < size")
    if loads[masked]:
        lines += ["if begin + BLOCK <= size:", *_indented(loads[whole])]
        lines += ["else:", *_indented(loads[masked])]
    lines += [*computed, "if begin + BLOCK <= size:", *_indented(stores[whole])]
    return [*lines, "else:", *_indented(stores[masked])]


_COMBINE = {
    "sum": "total + {0}",
    "product": "total * {0}",
    "max": "tl.maximum(total, {0}, propagate_nan=tl.PropagateNan.ALL)",
    "min": "tl.minimum(total, {0}, propagate_nan=tl.PropagateNan.ALL)",
}
_REDUCE = {
    "sum": "tl.sum(total, 1)",
    "product": "tl.reduce(total, 1, product)",
    "max": "tl.reduce(total, 1, largest)",
    "min": "tl.reduce(total, 1, smallest)",
}


def _reduction_code(formula: Formula, reduction: Reduction, visit: Visit) -> list[str]:
    """Return the lines of a kernel that loops over the reduced (last) axes and stores the totals.

    Row and column indices are kept apart: the compiler cannot see that elements are contiguous once
    a flat index is split by division, and would load them one by one.
    """
    leading, count = range(visit.leading), len(visit.axes)
    combined = _COMBINE[reduction.kind].format(
        f"tl.where(inside, v{reduction.value}.to(TYPE), EMPTY)"
    )
    rows_of = [*_split("row", leading, visit.int64_indices)]
    tile = [
        "at = row[:, None] * columns + column[None, :]",
        "inside = (row < rows)[:, None] & (column < end)[None, :]",
        *_split("column", range(visit.leading, count), visit.int64_indices),
        *_loads_of_tile(formula, visit),
    ]
    reach = "columns"
    if visit.vector > 1:
        rows_of, tile = _shifted(visit.vector)
        reach = f"columns + {visit.vector - 1}"
    body = [
        "column = first + tl.arange(0, COLUMNS).to(tl.int64)",
        *tile,
        *_single(formula, visit),
        *_computed(formula.steps, formula.inputs + formula.numbers),
        *_stored(formula, ", inside"),
        f"total = {combined}",
    ]
    return [
        "row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)",
        *rows_of,
        # A product of a constant, so that the end of a part is known as a multiple of its tile.
        "part = tiles * COLUMNS",
        "begin = tl.program_id(1).to(tl.int64) * part",
        f"end = tl.minimum(begin + part, {reach})",
        "total = tl.full((ROWS, COLUMNS), EMPTY, TYPE)",
        "for first in range(begin, end, COLUMNS):",
        *_indented(body),
        f"whole = {_REDUCE[reduction.kind]}",
        "if whole.dtype.is_floating():",
        "    whole = whole / count",
        *(f"whole = {_called(step, ['whole'])}" for step in reduction.after),
        "ptrs = total_ptr + row * tl.num_programs(1) + tl.program_id(1)",
        "tl.store(ptrs, whole.to(total_ptr.dtype.element_ty), row < rows)",
    ]


def _shifted(vector: int) -> tuple[list[str], list[str]]:
    """Return lines about rows, and about a tile, that read input 0 from vector boundaries on."""
    loaded = f"load_row(x0, base, column[None, :], lead, columns, present, 1, {vector})"
    tile = [
        "at = base + column[None, :]",
        f"inside = present & in_row(column[None, :], lead, columns, {vector})",
        f"v0 = to_compute_dtype({loaded})",
    ]
    lines = [
        f"base, lead = aligned_starts(row * columns, {vector})",
        "base, lead, present = base[:, None], lead[:, None], (row < rows)[:, None]",
    ]
    return lines, tile


def code(formula: Formula, visit: Visit) -> str:
    """Return the source of a kernel that computes a formula, in Triton's language.

    Each input is read once for each element, and each result is written once.

    Args:
        formula: What is computed.
        visit: Its iteration space.
    """
    own = [f"x{j}" for j in range(formula.inputs)]
    own += [f"y{k}" for k in range(len(formula.results))]
    own += [f"p{k}" for k in range(formula.numbers)]
    passed = [f"n{k}" for k in range(len(visit.axes)) if k not in (0, visit.leading)]
    passed += [
        f"s{j}_{k}"
        for j in range(formula.inputs)
        for k, axis in enumerate(visit.axes)
        if axis.steps[j] is None
    ]
    if formula.reduction is None:
        head = [*own, "size", *passed, "BLOCK: tl.constexpr"]
        lines = _pointwise(formula, visit)
    else:
        passed = ["rows", "columns", *passed]
        head = [*own, "total_ptr", "tiles", "count", *passed]
        head += [f"{name}: tl.constexpr" for name in ("TYPE", "EMPTY", "ROWS", "COLUMNS")]
        lines = _reduction_code(formula, formula.reduction, visit)
    if formula.numbers:
        head.append("LOADED: tl.constexpr")
    factors = zip(passed, visit.factors or (1,) * len(passed), strict=True)
    scaled = [f"{name} = {name} * {factor}" for name, factor in factors if factor != 1]
    return _defined("fused", head, [*scaled, *lines])


def _defined(name: str, head: Sequence[str], lines: Sequence[str]) -> str:
    return f"def {name}({', '.join(head)}):\n" + "".join(f"    {line}\n" for line in lines)


@lru_cache(maxsize=4096)
def function(formula: Formula, visit: Visit) -> Any:
    """Return the kernel of :func:`code` as a function that Triton can launch; cached."""
    return _on_device("fused", code(formula, visit))


@lru_cache(maxsize=1024)
def inlined(steps: tuple[Step, ...], inputs: int) -> Any:
    """Return the steps as a device function for kernels to call: from inputs to the last result."""
    head = [f"v{k}" for k in range(inputs)]
    last = f"return v{inputs + sum(step.outputs for step in steps) - 1}"
    return _on_device("inlined", _defined("inlined", head, [*_computed(steps, inputs), last]))


def _on_device(name: str, text: str) -> Any:
    """Return the device function ``name`` that source code defines."""
    file = f"<hy_kernels.triton: formula {len(linecache.cache)}, {hash(text):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {
        "tl": tl,
        **{module.__name__.rpartition(".")[2]: module for module in MODULES},
        **{name: getattr(rows, name) for name in _OF_ROWS},
    }
    exec(compile(text, file, "exec"), scope)  # noqa: S102  # of names and numbers alone
    return triton.jit(scope[name])
