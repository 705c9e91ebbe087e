"""Command ``hy-io export``, which converts models to ONNX."""

import argparse
from importlib import import_module
from pathlib import Path

from hy_io.commands import Command, Result, add_input_argument, open_shape
from hy_io.fitting import dense
from hy_ndarray import ArgumentError
from hy_symbol.commands import asked_model, example_input

__all__ = ["EXPORT"]


def _export(options: argparse.Namespace) -> Result:
    symbol, files = asked_model(options)
    target = options.target or str(
        Path(files.path.removesuffix("-symbol.json")).with_suffix(".onnx")
    )
    if not options.input:
        example = example_input(symbol)
        raise ArgumentError(f"{files.path}: give the shape of each input, such as {example}")
    names, shapes = zip(*options.input, strict=True)
    more = {} if options.opset is None else {"opset_version": options.opset}
    export = import_module("hy_onnx.to_onnx.export").export_graph
    export(
        symbol,
        dense(files.arrays()),
        list(shapes),
        target,
        in_types=options.dtype,
        inputs=names,
        external_data=True if options.external else None,
        **more,
    )
    return {"files": [target]}, target


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="net-symbol.json, or a file that holds a graph")
    parser.add_argument("target", nargs="?", help="default: the model's name, with .onnx")
    parser.add_argument("--params", metavar="FILE", help="default: the newest beside the graph")
    text = "an input and its shape, such as data=N,3,224,224, where N stands for any size"
    add_input_argument(parser, open_shape, text)
    parser.add_argument("--dtype", default="float32", help="of the inputs (float32)")
    parser.add_argument("--opset", type=int, help="version of ONNX's operators")
    parser.add_argument("--external", action="store_true", help="weights in a file beside it")


EXPORT = Command("Export a model to ONNX.", add_arguments=_add_arguments, run=_export)
