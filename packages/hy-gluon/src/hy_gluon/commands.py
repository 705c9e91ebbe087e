"""Commands ``verify``, ``compare``, ``time`` and ``serve``, which hy-gluon adds to ``hy-io``."""

import argparse
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import Any

from hy_gluon.block import SymbolBlock
from hy_gluon.comparing import compared_layers, difference_table, layer_outputs
from hy_gluon.files import array_of
from hy_gluon.verification import verify
from hy_io import StoredArray
from hy_io.commands import (
    Command,
    Result,
    add_input_argument,
    add_model_arguments,
    open_shape,
    shape,
)
from hy_io.fitting import check_fit
from hy_io.formats import load_arrays
from hy_io.model_files import find_model
from hy_ndarray import ArgumentError, AutogradError, NDArray, current_context, nd, random
from hy_symbol import Symbol
from hy_symbol.commands import asked_model, example_input
from hy_symbol.execution.tiers import runs_until_code

__all__ = ["COMPARE", "SERVE", "TIME", "VERIFY"]

Shapes = Mapping[str, tuple[int, ...]]


def _verify(options: argparse.Namespace) -> Result:
    symbol, files = asked_model(options)
    arrays, inputs = files.arrays(), dict(options.input)
    check_fit(arrays, symbol, inputs)
    differences = {}
    if inputs:
        block, examples = _model(symbol, arrays, inputs), _examples(inputs)
        try:
            differences = verify(block, *examples)
        except AutogradError:  # a model on integers, which cannot be trained
            differences = verify(block, *examples, gradients=False)
    lines = [f"{files.params}: {len(arrays)} arrays, all fit {files.path}"]
    lines += [f"  {name}: {value:.2g}" for name, value in differences.items()]
    return {"arrays": len(arrays), "differences": differences}, "\n".join(lines)


def _time(options: argparse.Namespace) -> Result:
    symbol, files = asked_model(options)
    arrays, inputs = files.arrays(), dict(options.input)
    check_fit(arrays, symbol, inputs)
    if not inputs:
        example = example_input(symbol)
        raise ArgumentError(f"{files.path}: give the shape of each input, such as {example}")
    block, examples = _model(symbol, arrays, inputs), _examples(inputs)
    # As a server would run it.
    block.hybridize(static_alloc=True, static_shape=True)
    times = []
    # The first calls trace, tune and compile: they are not timed.
    for number in range(-runs_until_code(len(symbol.graph.nodes)), options.calls):
        start = time.perf_counter()
        outputs: Any = block(*examples)
        for array in outputs if isinstance(outputs, list | tuple) else [outputs]:
            # Calls return before a GPU has computed.
            array.wait_to_read()
        if number >= 0:
            times.append(1000 * (time.perf_counter() - start))
    # A mean would show the interruptions of other processes.
    median = statistics.median(times)
    done = {
        "calls": options.calls,
        "median_ms": median,
        "fastest_ms": min(times),
        "items_per_second": 1000 * len(examples[0]) / median,
        "context": str(current_context()),
    }
    text = (
        f"{median:.2f} ms for each call (fastest {min(times):.2f}), "
        f"{done['items_per_second']:.0f} items each second, on {done['context']}"
    )
    return done, text


def _compare(options: argparse.Namespace) -> Result:
    new = argparse.Namespace(model=options.new, params=options.new_params, input=[*options.input])
    recorded = _recorded_layers(options.old)
    symbol, files = asked_model(new)
    arrays = files.arrays()
    inputs = _comparison_inputs(options, symbol, arrays, recorded)
    values, operators = _run_layers(symbol, arrays, inputs)
    old_operators = None
    if recorded is None:
        old = argparse.Namespace(model=options.old, params=options.old_params, input=[])
        old_symbol, old_files = asked_model(old)
        old_values, operators_by_layer = _run_layers(old_symbol, old_files.arrays(), inputs)
        old_operators = [*operators_by_layer.values()]
    else:
        old_values = recorded
    layers = compared_layers(old_values, values, operators, old_operators)
    done = {
        "layers": [asdict(each) for each in layers],
        "agree": all(each.agrees for each in layers),
    }
    return done, difference_table(layers)


def _recorded_layers(path: str) -> dict[str, Any] | None:
    """Return the arrays of a recording by layer; None if the file is a model."""
    if path.endswith(".json"):
        return None
    contents = load_arrays(path, copy=False)
    if not isinstance(contents.arrays, Mapping) or _has_graph(path):
        return None
    named = {name: array_of(array).asnumpy() for name, array in contents.arrays.items()}
    return {name.removesuffix("_output"): values for name, values in named.items()}


def _has_graph(path: str) -> bool:
    try:
        find_model(path)
    except ArgumentError:
        return False
    return True


def _comparison_inputs(
    options: argparse.Namespace,
    symbol: Symbol,
    arrays: Mapping[str, StoredArray],
    recorded: Mapping[str, Any] | None,
) -> dict[str, NDArray]:
    """Return inputs for the comparison: recorded ones, or random ones of given shapes."""
    known = {name.removeprefix("arg:").removeprefix("aux:") for name in arrays}
    names = [name for name in symbol.list_arguments() if name not in known]
    shapes = dict(options.input)
    values = {name: nd.array(recorded[name]) for name in names if recorded and name in recorded}
    # The same numbers each time, so that two comparisons can be compared.
    random.seed(0)
    values |= {name: nd.random.uniform(shape=shapes[name]) for name in names if name in shapes}
    if missing := [name for name in names if name not in values]:
        raise ArgumentError(
            f"compare: give the shape of {', '.join(missing)}, such as {example_input(symbol)}"
        )
    return values


def _run_layers(
    symbol: Symbol, arrays: Mapping[str, StoredArray], inputs: Mapping[str, NDArray]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Run a model layer by layer; return outputs and operators by the layer's name."""
    outputs, named = layer_outputs(symbol)
    block = _block(outputs, symbol, arrays, inputs)
    # Rewrites would fuse layers, whose outputs are asked for.
    block.hybridize(active=False)
    results: Any = block(*inputs.values())
    results = results if isinstance(results, list | tuple) else [results]
    values = {name: x.asnumpy() for (name, _), x in zip(named, results, strict=True)}
    return values, dict(named)


def _serve(options: argparse.Namespace) -> Result:
    symbol, files = asked_model(options)
    if files.params is None:
        raise ArgumentError(f"{files.path}: there are no parameters beside it; give --params")
    known = {name.removeprefix("arg:").removeprefix("aux:") for name in files.arrays()}
    inputs = [name for name in symbol.list_arguments() if name not in known]
    shapes = {name: tuple(sizes[1:]) for name, sizes in options.input}
    name = next(iter(shapes), inputs[0] if len(inputs) == 1 else None)
    if name is None or len(shapes) > 1:
        raise ArgumentError(f"{files.path}: name the input by --input, of {', '.join(inputs)}")
    try:
        serving: Any = import_module("hy_gluon.serving")
    except ImportError as error:
        raise ArgumentError(
            f"serve needs LitServe ({error}); pip install 'hy-gluon[serve]'"
        ) from error
    served = serving.Served(
        files.path,
        files.params,
        name=name,
        batch=options.batch,
        wait=options.wait,
        shape=shapes.get(name),
        backend=options.backend,
    )
    serving.serve(served, workers=options.workers, host=options.host, port=options.port)
    return {"input": name}, "served"


def _model(symbol: Symbol, arrays: Mapping[str, StoredArray], inputs: Shapes) -> SymbolBlock:
    """Return a block that runs a symbol with stored parameters."""
    outputs = symbol if symbol.num_outputs == 1 else list(symbol)
    return _block(outputs, symbol, arrays, inputs)


def _block(
    outputs: Symbol | list[Symbol],
    symbol: Symbol,
    arrays: Mapping[str, StoredArray],
    inputs: Iterable[str],
) -> SymbolBlock:
    """Return a block with the given outputs of a graph, and its stored parameters."""
    variables = {node.name: node for node in symbol.graph.variables}
    block = SymbolBlock(outputs, [Symbol.of((variables[name], 0)) for name in inputs])
    for name, array in arrays.items():
        block.params[name.removeprefix("arg:").removeprefix("aux:")]._load_init(
            array_of(array), current_context(), cast_dtype=True, dtype_source="saved"
        )
    return block


def _examples(inputs: Shapes) -> Sequence[NDArray]:
    """Return a random array for each input."""
    return [nd.random.uniform(shape=shape) for shape in inputs.values()]


def _parse_count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"must be a number of 1 or more, got {text!r}")
    return int(text)


def _add_time_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--calls", type=_parse_count, default=20, help="how many are timed (20)")


def _add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    text = "a model as NEW, or a file of arrays that another program recorded: inputs and outputs"
    parser.add_argument("old", help=f"{text} of layers by name")
    parser.add_argument("new", help="net-symbol.json, or a file that holds a graph")
    parser.add_argument("--old-params", metavar="FILE", help="default: the newest beside the graph")
    parser.add_argument("--new-params", metavar="FILE", help="default: the newest beside the graph")
    add_input_argument(parser, shape, "shape of an input, which is filled with random numbers")


def _add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="net-symbol.json")
    parser.add_argument("--params", metavar="FILE", help="default: the newest beside the graph")
    text = "the input, and its shape, such as data=N,3,224,224: requests of others are refused"
    add_input_argument(parser, open_shape, text)
    parser.add_argument("--backend", help="an engine, such as onnxruntime; none: hy's own kernels")
    parser.add_argument(
        "--batch", type=_parse_count, default=16, help="most requests in a batch (16)"
    )
    parser.add_argument(
        "--wait", type=float, default=0.005, help="seconds for which the first waits (0.005)"
    )
    parser.add_argument("--workers", type=_parse_count, default=1, help="processes (1)")
    parser.add_argument(
        "--host",
        choices=["0.0.0.0", "127.0.0.1", "::"],  # noqa: S104  # LitServe's
        default="0.0.0.0",  # noqa: S104
        help="127.0.0.1: for this machine alone (0.0.0.0)",
    )
    parser.add_argument("--port", type=_parse_count, default=8000, help="(8000)")


COMPARE = Command(
    "Show the largest difference of two models by layer.", _add_compare_arguments, _compare
)
VERIFY = Command(
    "Check that parameters fit, and all ways to run agree.", add_model_arguments, _verify
)
TIME = Command("Time calls of a model on random numbers.", _add_time_arguments, _time)
SERVE = Command("Serve a model over HTTP, in batches.", _add_serve_arguments, _serve)
