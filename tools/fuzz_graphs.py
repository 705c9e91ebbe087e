"""Draws graphs of the whole catalogue: ``python -m tools.fuzz_graphs [--count N] [--seed N]``.

All types of a graph are known while it is drawn. Of these, inference is told some, forward and
backward: what it says must agree, and it must visit each node at most five times. Then the graph is
bound, run, and differentiated, with gradients or one of hy's errors as the result. ``--seed N
--count 1`` draws one again.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from hy_ndarray import HyError, cpu, nd, ops
from hy_ndarray.ops import PartialShape
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from hy_symbol import Entry, Graph, Known, Node, Symbol, infer_types, sym
from hy_symbol.infer import engine
from tools.fuzz_cases import fuzz
from tools.fuzz_rules import mostly, sometimes

MAX_VISITS = 5  # of one node by inference: more would be quadratic in deep graphs
SECONDS, MEBIBYTES = 5.0, 600
_CHOICES = (
    *("LeakyReLU", "_rnn_param_concat", "pick"),
    *("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"),
)
"""Operators where inference takes one of several possible shapes of an input."""
_LARGEST = 10**5  # elements of one value
_SHAPES = ((2, 3), (3, 2), (3, 3), (2, 3, 4), (2, 4, 3, 3), (3,), (1, 3))
_UNARY: Sequence[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ("relu", "exp", "transpose", "zeros_like", "Flatten", "BlockGrad")),
    *(("reshape", {"shape": shape}) for shape in ((-1,), (0, -1), (-2,), (-1, 1), (-3, -2))),
    *(("sum", {"axis": axis, "keepdims": keep}) for axis in (0, 1, -1) for keep in (0, 1)),
    *(("SliceChannel", {"num_outputs": n, "axis": a}) for n in (2, 3) for a in (0, 1)),
    *(("slice_axis", {"axis": a, "begin": 0, "end": 2}) for a in (0, 1)),
    *(("expand_dims", {"axis": axis}) for axis in (0, 1, -1)),
    *(("cast", {"dtype": dtype}) for dtype in ("float32", "float64", "float16")),
    *(("tile", {"reps": (2, 1)}), ("repeat", {"repeats": 2, "axis": 0}), ("softmax", {"axis": -1})),
    *(("FullyConnected", {"num_hidden": 3, "flatten": f}) for f in (True, False)),
    *(("BatchNorm", {"fix_gamma": f}) for f in (True, False)),
    ("Convolution", {"kernel": (2, 2), "num_filter": 2}),
    ("Pooling", {"kernel": (2, 2), "pool_type": "max"}),
    ("squeeze", {}),
    ("LayerNorm", {}),
]
_BINARY: Sequence[tuple[str, dict[str, Any]]] = [
    *((f"elemwise_{name}", {}) for name in ("add", "mul", "sub")),
    *((f"broadcast_{name}", {}) for name in ("add", "mul", "maximum", "like")),
    *((name, {}) for name in ("dot", "add_n", "reshape_like", "slice_like", "batch_dot")),
    *(("Concat", {"dim": axis}) for axis in (0, 1)),
    *(("stack", {"axis": axis}) for axis in (0, 1)),
    ("where", {}),
]


def usable(case: OpCase) -> bool:
    """Return whether a row can be a step: it creates, or overwrites states alone."""
    op = ops.find(case.op)
    changed = op.updated(op.parse(case.params), True)
    overwritten = any(op.variadic or op.inputs[i] not in op.aux for i in changed)
    settled = not overwritten and op.name not in _CHOICES
    return settled and 0 not in [n for shape in case.shapes for n in shape or ()]


ROWS = [case for case in CASES if usable(case)]


@dataclass
class Drawn:
    """A graph, and the truth about it."""

    rng: Random
    entries: list[Entry] = field(default_factory=list)
    """Values that steps can take."""
    truth: dict[Node, Known] = field(default_factory=dict)
    """Types of the variables."""
    types: engine.Types = field(default_factory=lambda: engine.Types(Graph(())))

    def variable(self, shape: tuple[int, ...], dtype: str = "float32") -> Entry:
        """Return a new variable."""
        entry = sym.var(f"v{len(self.truth)}").graph.outputs[0]
        self.truth[entry[0]] = shape, dtype
        return entry

    def operand(self, shape: tuple[int, ...] | None = None) -> Entry:
        """Return an earlier value, of a shape if one is asked for, or a variable."""
        wanted = None if shape is None else (shape, "float32")
        fitting = [e for e in self.entries if wanted is None or self.types.get(e) == wanted]
        if fitting and mostly(self.rng):
            return self.rng.choice(fitting)
        return self.variable(shape or self.rng.choice(_SHAPES))

    def step(self) -> None:
        """Try to add one node; nothing is added where its types would contradict each other."""
        before = dict(self.truth)
        try:
            outputs = self._from_case() if sometimes(self.rng) else self._plain()
            graph = Graph((*self.entries, *outputs))
            for node in graph.variables:
                self.truth.setdefault(node, (None, "float32"))
            types = inferred_types(graph, self.truth)
        except HyError:
            self.truth = before
            return
        fresh = [v for v in graph.variables if self.truth[v][0] is None]
        values = [*((node, 0) for node in fresh), *outputs]
        shapes = [types.get(entry)[0] for entry in values]
        if any(s is None or None in s or prod(n or 0 for n in s) > _LARGEST for s in shapes):
            self.truth = before
            return
        for node in fresh:
            self.truth[node] = types.get((node, 0))
        self.types = types
        self.entries += outputs

    def _plain(self) -> list[Entry]:
        many = not sometimes(self.rng)
        name, params = self.rng.choice(_BINARY if many else _UNARY)
        first = self.operand()
        own = self.types.shape(first) or self.truth.get(first[0], (None, None))[0]
        known = None if own is None else tuple(n or 1 for n in own)
        count = 3 if name == "where" else 2 if many else 1
        shapes = [known if mostly(self.rng) else None for _ in range(count - 1)]
        others = [first if sometimes(self.rng) else self.operand(shape) for shape in shapes]
        result = getattr(sym, name)(*(Symbol.of(entry) for entry in (first, *others)), **params)
        return list(result.graph.outputs)

    def _from_case(self) -> list[Entry]:
        case = self.rng.choice(ROWS)
        op = ops.find(case.op)
        inputs: list[Any] = []
        for i, shape in enumerate(case.shapes):
            if i in case.inputs:
                values = np.asarray(case.inputs[i])
                dtype = values.dtype.name if values.dtype.name != "float64" else "float32"
                inputs.append(Symbol.of(self.variable(values.shape, dtype)))
            else:
                inputs.append(None if shape is None else Symbol.of(self.operand(shape)))
        results = Symbol.apply_operator(op, inputs, op.parse(case.params))
        group = results if isinstance(results, list) else [results]
        return [entry for x in group for entry in x.graph.outputs]

    @property
    def graph(self) -> Graph:
        """Some values that others take, and all that none takes."""
        used = {entry for node, _ in self.entries for entry in node.inputs}
        ends = [e for e in self.entries if e not in used or sometimes(self.rng)]
        return Graph(tuple(ends))


def inferred_types(
    graph: Graph, known: Mapping[Node, Known], outputs: Sequence[Known] = ()
) -> engine.Types:
    """Infer all types from those of variables and outputs."""
    pairs = [(node, known.get(node, (None, None))) for node in graph.variables]
    shapes = {node: shape for node, (shape, _) in pairs}
    return infer_types(graph, shapes, {node: dtype for node, (_, dtype) in pairs}, outputs)


@contextmanager
def visits() -> Iterator[Counter[Node]]:
    """Count how often inference visits each node."""
    counts: Counter[Node] = Counter()
    forward, visit, visit_bodies = engine.Types.forward, engine._visit, engine._visit_bodies

    def counted_forward(types: engine.Types, node: Node) -> Any:
        outputs = forward(types, node)
        counts[node] += outputs is not None
        return outputs

    def counted(node: Node, types: engine.Types) -> Any:
        counts[node] += 1
        return (visit_bodies if node.bodies else visit)(node, types)

    with (
        patch.object(engine.Types, "forward", counted_forward),
        patch.object(engine, "_visit", counted),
        patch.object(engine, "_visit_bodies", counted),
    ):
        yield counts


def masked(rng: Random, known: Known, *, of_dtype: bool = True) -> Known:
    """Return a random part of the known types; all dtypes, if so asked."""
    shape, dtype = known
    partly: PartialShape | None = None
    if shape is not None and mostly(rng):
        partly = tuple(None if sometimes(rng) else n for n in shape)
    return (shape if sometimes(rng) else partly), (dtype if not of_dtype or mostly(rng) else None)


def check_inference(graph: Graph, drawn: Drawn) -> int:
    """Inference from a part of the truth agrees with it; the most visits of a node."""
    rng = drawn.rng
    with visits() as counts:
        whole = [drawn.types.get(entry) for entry in graph.outputs]
        known = {v: masked(rng, drawn.truth[v], of_dtype=False) for v in graph.variables}
        ends = [masked(rng, end, of_dtype=False) for end in whole]
        types = inferred_types(graph, known, ends if mostly(rng) else ())
        max_visits = max(counts.values(), default=0)
        for node in graph.nodes:
            for i in range(node.num_outputs):
                check_known(node, i, types.get((node, i)), drawn.types.get((node, i)))
        counts.clear()
        known = {v: masked(rng, drawn.truth[v]) for v in graph.variables}
        ends = [masked(rng, end) for end in whole]
        with suppress(HyError):  # a dtype that is unknown is taken to be that of other operands
            inferred_types(graph, known, ends)
        max_visits = max(max_visits, *counts.values(), 0)
        counts.clear()
        net = Symbol(graph)
        shapes = {v.name: tuple(n or 0 for n in s) for v, (s, _) in known.items() if s is not None}
        for ask, arguments in (
            (net.infer_shape_partial, shapes),
            (net.infer_type_partial, {v.name: d for v, (_, d) in known.items() if d is not None}),
        ):
            with suppress(HyError):  # MXNet insists on some types
                ask(**arguments)
            max_visits = max(max_visits, *counts.values(), 0)
            counts.clear()
    assert max_visits <= MAX_VISITS, f"{max_visits} visits of one node"
    return max_visits


def check_known(node: Node, i: int, inferred: Known, truth: Known) -> None:
    """Check that an inferred type contradicts no part of the truth that is known."""
    (shape, dtype), (true_shape, true_dtype) = inferred, truth
    assert dtype is None or true_dtype in (None, dtype), (node, i, inferred, truth)
    if shape is None or true_shape is None:
        return
    pairs = list(zip(shape, true_shape, strict=True))
    assert all(a in (None, b) or b is None for a, b in pairs), (node, i, inferred, truth)


def check_run(graph: Graph, drawn: Drawn) -> str:
    """Run the graph and its gradient; check that results have the inferred types."""
    net, rng = Symbol(graph), drawn.rng
    generator = np.random.default_rng(rng.randrange(2**32))
    arrays = {}
    for node in graph.variables:
        shape, dtype = drawn.truth[node]
        whole = tuple(n or 0 for n in shape or ())
        real = dtype in ("float32", "float64", "float16")
        values = generator.uniform(0.1, 0.9, whole) if real else np.ones(whole)
        arrays[node.name] = nd.array(values, dtype=dtype)
    args = {name: arrays[name] for name in net.list_arguments()}
    grads = {name: nd.zeros_like(x) for name, x in args.items()}
    states = {name: arrays[name] for name in net.list_auxiliary_states()}
    try:
        executor = net.bind(cpu(), args, grads, aux_states=states)
        results = executor.forward(is_train=True)
    except HyError:
        return "not run"
    for entry, result in zip(graph.outputs, results, strict=True):
        check_known(
            entry[0], entry[1], drawn.types.get(entry), (result.shape, np.dtype(result.dtype).name)
        )
    try:
        executor.backward([nd.ones_like(x) for x in results])
    except HyError:
        return "not differentiated"
    return "differentiated"


def check(seed: int) -> str:
    """Draw a graph and check it; return the outcome.

    Raises:
        AssertionError: Inference is wrong about it, or visits a node too often.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        rng = Random(seed)  # noqa: S311  # no secrets
        drawn = Drawn(rng)
        for _ in range(rng.choice((2, 4, 8, 16))):
            drawn.step()
        if not drawn.entries:
            return "empty"
        graph = drawn.graph
        max_visits = check_inference(graph, drawn)
        return f"{check_run(graph, drawn)}, {max_visits} visits"


def main() -> int:
    """Fuzz, print the outcomes, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz_graphs", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="graphs")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    options = parser.parse_args()
    report = fuzz(check, options.seed, options.count, seconds=SECONDS, mebibytes=MEBIBYTES)
    print(f"graphs: {report}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
