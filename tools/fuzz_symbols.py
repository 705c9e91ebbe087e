"""Damages symbol files: ``python -m tools.fuzz_symbols [--count N] [--seed N]``.

Each is loaded, listed, inferred, bound with small shapes, run forward and backward. It must work,
or be refused with one of hy's errors, within two seconds and 300 MiB. ``--seed N --count 1`` runs
one again.
"""

import argparse
import json
import sys
import warnings
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from hy_ndarray import HyError, cpu, limits
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_symbol import Executor, Symbol, load_json, sym
from hy_symbol.infer.api import inferred
from hy_symbol.regions import region
from tools.fuzz_cases import fuzz
from tools.fuzz_inputs import damaged
from tools.fuzz_rules import TEXTS

DATA = Path(__file__).parents[1] / "tests" / "symbol" / "data"
SECONDS, MEBIBYTES = 2.0, 300
_NODES = 3000  # that loops may become, so that a case ends in time
_ELEMENTS = 10**6  # of all arrays of a graph that is run
_LONGEST = 8000
_STEPS = 4
_SHAPES = ((2, 3), (2, 1, 28, 28), (2, 3, 16, 16), (4, 2, 8), (4, 2), (3,), (2,))
_LEARNED = ("weight", "bias", "gamma", "beta", "mean", "var", "label")
Shapes = dict[str, tuple[int, ...]]
_STRANGE: list[Any] = [
    *(None, True, -1, 0, 3, 10**9, 10**30, 1.5, float("nan"), "", "null", "relu", "-1", [], {}),
    *([[0, 0]], [0, 0, 0], "_foreach", "_subgraph", "Custom", "SliceChannel", "__shape__"),
]
_NUMBERS = ("1099511627776", "-7", "99999", "5", "4", "6", "8", "(4,4)", "(1,1,1)", "[0, 1]")


class _Same(CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:  # noqa: ARG002  # the base class's
        self.assign(out_data[0], req[0], in_data[0])


class SameProp(CustomOpProp):
    """Custom operator of the fuzzed files; returns its input, whatever the parameters."""

    def __init__(self, **_: str) -> None:
        super().__init__()

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:  # noqa: ARG002
        """Return the operator."""
        return _Same()


def built_nets() -> list[Symbol]:
    """Graphs of what the files lack: loops, branches, regions, operators of users, many outputs."""
    x, s = sym.var("x"), sym.var("s")
    rows, _ = sym.contrib.foreach(lambda row, states: (row + states[0], states), x, [s])
    steps, _ = sym.contrib.while_loop(
        lambda i: i.sum() < _STEPS, lambda i: (i * 2, [i + 1]), [x], max_iterations=_STEPS
    )
    choice = sym.contrib.cond(x.sum() > 0, lambda: x * 2, lambda: x + 1)
    inner = sym.relu(sym.var("y") * 2)
    node = region.region_node(inner.graph, x.graph.outputs, "r", "none", {"a": 1})
    nested = region.region_node(Symbol.of((node, 0)).graph, x.graph.outputs, "q", "none", {})
    register("same")(SameProp)
    parts = sym.SliceChannel(sym.Concat(x, x, dim=0), num_outputs=2, axis=0)
    return [
        *(rows, steps, choice, Symbol.of((nested, 0))),
        sym.Custom(x, op_type="same", rate="2"),
        sym.add_n(*parts) + sym.split_v2(x, 1, axis=0),
        sym.topk(sym.transpose(x), k=1) + sym.mean(sym.square(x)),
    ]


@cache
def wholes() -> list[tuple[str, Shapes]]:
    """Texts of whole graphs, with shapes for their inputs."""
    texts = [path.read_text() for path in sorted(DATA.glob("exported_*.json"))]
    texts += [(DATA / f"{name}.json").read_text() for name in ("legacy_0_8", "module")]
    cases = json.loads((DATA / "inference.json").read_text())
    listed = cases["cases"] if isinstance(cases, dict) else cases
    texts += [case["json"] for case in listed if isinstance(case.get("json"), str)]
    texts = [text for text in texts if len(text) < _LONGEST] + [
        net.tojson() for net in built_nets()
    ]
    return [(text, runnable(text)) for text in texts]


def runnable(text: str) -> Shapes:
    """Shapes with which a whole graph runs; none are known for graphs that are only inferred."""
    net = load_json(text)
    names = [name for name in net.list_arguments() if not name.endswith(_LEARNED)]
    for shapes in product(_SHAPES, repeat=min(len(names), 3)):
        shapes_by_name = dict(zip(names, shapes, strict=False))
        try:
            bound(net, shapes_by_name).forward()
        except HyError:
            continue
        return shapes_by_name
    return dict.fromkeys(names, _SHAPES[0])


def mutated(value: Any, rng: Random) -> Any:
    """``value`` with one part replaced, doubled, moved or taken out."""
    if isinstance(value, dict) and value and rng.randrange(20):
        return _mutated_dict(value, rng)
    if isinstance(value, list) and value and rng.randrange(20):
        return _mutated_list(value, rng)
    if isinstance(value, str) and rng.randrange(5):
        return rng.choice((*TEXTS, *_NUMBERS))
    if isinstance(value, int) and rng.randrange(5):
        return value + rng.choice((-2, -1, 1, 2, 3))
    return rng.choice(_STRANGE)


def _mutated_dict(value: dict[str, Any], rng: Random) -> dict[str, Any]:
    key = rng.choice(sorted(value))
    kind = rng.randrange(12)
    if kind == 0:
        return {k: v for k, v in value.items() if k != key}
    if kind == 1:
        fresh = rng.choice((*TEXTS, "self", "a b", "weight_lr_mult", "__dtype__", "name"))
        return {**value, fresh: value[key]}
    return {**value, key: mutated(value[key], rng)}


def _mutated_list(value: list[Any], rng: Random) -> list[Any]:
    i, j = rng.randrange(len(value)), rng.randrange(len(value))
    kind = rng.randrange(10)
    if kind == 0:
        return value[:i] + value[i + 1 :]
    if kind == 1:
        return [*value[:i], value[j], *value[i:]]
    return [*value[:i], mutated(value[i], rng), *value[i + 1 :]]


def mutant(seed: int) -> tuple[str | bytes, Shapes]:
    """Return the damaged file of a seed, and the shapes for its inputs."""
    rng = Random(seed)  # noqa: S311  # no secrets
    whole, shapes = rng.choice(wholes())
    if rng.randrange(5) == 0:
        shapes = {name: rng.choice(_SHAPES) for name in shapes}
    if rng.randrange(16) == 0:
        return next(damaged([whole.encode()], seed, 1)), shapes
    document = json.loads(whole)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        if rng.randrange(3):
            set_attribute(document, rng)
        else:
            document = mutated(document, rng)
    return json.dumps(document), shapes


def set_attribute(document: Any, rng: Random) -> None:
    """Give one attribute of one node another text."""
    nodes = document.get("nodes") if isinstance(document, dict) else None
    nodes = nodes if isinstance(nodes, list) else []
    for node in rng.sample(nodes, len(nodes)):
        attrs = node.get("attrs") if isinstance(node, dict) else None
        if not isinstance(attrs, dict) or not attrs:
            continue
        key = rng.choice(sorted(attrs))
        parts = [n.get("attrs") for n in nodes if isinstance(n, dict)]
        others = [part[key] for part in parts if isinstance(part, dict) and key in part]
        attrs[key] = rng.choice((*TEXTS, *_NUMBERS, *others))
        if rng.randrange(4):
            return


def check(seed: int) -> str:
    """Load and run a mutant; return whether it was refused, too large, or run."""
    limits.most = _NODES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            text, shapes = mutant(seed)
            content: Any = text  # bytes, too, are read
            net = load_json(content)
        except HyError:
            return "refused"
        return used(net, shapes, train=seed % 2 == 0)


def used(net: Symbol, shapes: Shapes, *, train: bool) -> str:
    """Ask everything of a graph that was loaded."""
    names = net.list_inputs()
    shapes = {name: shape for name, shape in shapes.items() if name in names}
    net.list_outputs()
    net.attr_dict()
    net.debug_str()
    load_json(net.tojson())
    with suppress(HyError):  # binding goes by other rules
        net.infer_type_partial(**dict.fromkeys(shapes, "float32"))
        net.infer_type_partial()
        net.infer_shape_partial(**shapes)
    try:
        types = inferred(net.graph, shapes, {})
        if elements(net, types) > _ELEMENTS:
            return "large"
        executor = bound(net, shapes)
        executor.forward(is_train=train)
        if train:
            executor.backward()
    except HyError:
        return "not run"
    return "run"


def bound(net: Symbol, shapes: Shapes) -> Executor:
    """Return the graph on zeros."""
    arguments: Any = shapes
    return net.simple_bind(cpu(), **arguments)


def elements(net: Symbol, types: Any) -> int:
    """Elements of all known values."""
    total = 0
    for node in net.graph.nodes:
        for i in range(node.num_outputs):
            count = 1
            for n in types.shape((node, i)) or ():
                count *= n or 1
            total += count
    return total


def main() -> int:
    """Fuzz, print the outcomes, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz_symbols", description=__doc__)
    parser.add_argument("--count", type=int, default=200_000, help="files")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    options = parser.parse_args()
    wholes()
    report = fuzz(check, options.seed, options.count, seconds=SECONDS, mebibytes=MEBIBYTES)
    print(f"symbols: {report}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
