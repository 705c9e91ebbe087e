"""The cases that the package onnx has for nodes: each is read and right, or refused by name."""

import re
from collections import Counter
from functools import cache
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.defs import get_all_schemas

from hy_gluon.files import array_of
from hy_onnx import ImportModelError
from hy_onnx.from_onnx.conversion import imported
from hy_onnx.from_onnx.registry import READERS
from hy_onnx.model import OnnxModel
from hy_onnx.protobuf import from_proto
from hy_symbol import Symbol

pytestmark = pytest.mark.slow  # making the cases takes twenty seconds

UNREAD = {
    "steps of optimizers, which are those of hy_gluon": "Adagrad Adam Gradient Momentum",
    "sequences and values that may be missing; hy has arrays": """
        ConcatFromSequence Optional OptionalGetElement OptionalHasElement SequenceAt
        SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap
        SplitToSequence""",
    "strings and files; hy has numbers": """
        ImageDecoder RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer""",
    "the catalogue has no such operator, nor those it could be made of": """
        BitCast BitShift CumProd MaxUnpool MelWeightMatrix Multinomial STFT TensorScatter""",
}
"""Operators that are not read, by the reason; besides all of the domains in ``OTHER_DOMAINS``."""

OTHER_DOMAINS = {"ai.onnx.ml": "models that are no nets, such as trees"}

DIFFERENT = {
    "test_bernoulli": "other numbers are drawn",
    "test_mod_float_edge_cases_fmod_0_float": "the catalogue's remainder by 0 is 0, not nan",
    "test_training_dropout": "it drops while autograd trains, and what it draws",
}
"""Begins of names of cases that differ on purpose."""

REFUSED = {
    "*": r"no shape or a dtype that hy has not|hy has no such dtype",
    "AveragePool": "dilations|over the padding",
    "BatchNormalization": "its output .*, which the catalogue does not give",
    "BlackmanWindow": "how many numbers there are",
    "Compress": "must have a value for each of",
    "ConstantOfShape": "is computed when the model runs",
    "ConvTranspose": "output_shape",
    "GRU": "layout",
    "GatherND": "batch_dims",
    "GridSample": "samples linearly|transpose",
    "HammingWindow": "how many numbers there are",
    "HannWindow": "how many numbers there are",
    "LSTM": "peepholes|layout",
    "Loop": "the number of steps is computed when",
    "LpPool": "dilations|p_value",
    "MaxPool": "dilations|Indices|over the padding",
    "Pad": "mode='wrap'",
    "QuantizeLinear": "integers of",
    "RNN": "layout",
    "Range": "how many numbers there are is computed when",
    "ReduceLogSumExp": "no elements to compare",
    "ReduceMax": "no elements to compare",
    "ReduceMin": "no elements to compare",
    "Reshape": "allowzero",
    "Resize": "antialias|enlarges by whole factors|axes",
    "RoiAlign": "averages",
    "Scan": "opset 8",
    "ScatterElements": "reduction",
    "ScatterND": "reduction",
    "SpaceToDepth": "mode",
    "Upsample": "enlarges by whole factors",
}
"""What the errors of cases say that the catalogue cannot express, by operator."""

NEVER = {
    *("Bernoulli", "RandomUniformLike"),  # draw other numbers
    *("BlackmanWindow", "HammingWindow", "HannWindow"),
    *("ConstantOfShape", "Loop", "Range", "Upsample"),
}
"""Operators none of whose cases agrees; models have others."""

NEAR = {"float16": 3 * 2.0**-10, "bfloat16": 3 * 2.0**-7}
"""Steps between numbers by which results of several operators may differ; others are nearer."""


def unread() -> set[str]:
    """Operators that are not read."""
    others = {schema.name for schema in get_all_schemas() if schema.domain in OTHER_DOMAINS}
    return {name for names in UNREAD.values() for name in names.split()} | others


def is_defined(schema: Any) -> bool:
    """Whether ONNX defines an operator by others."""
    return bool(schema.has_function or schema.has_context_dependent_function)


def operators_of(graph: Any) -> list[str]:
    """The operators of a graph and of the bodies in it."""
    found = []
    for node in graph.node:
        found.append(node.op_type)
        for attribute in node.attribute:
            found += operators_of(attribute.g)
    return found


@cache
def cases() -> dict[str, list[Any]]:
    """Cases without an operator that is not read, by the operator of their first node."""
    with catch_warnings():
        simplefilter("ignore")  # of numpy, at the values of some cases
        made: list[Any] = [*collect_testcases(None)]
    found: dict[str, list[Any]] = {}
    for case in made:
        operators = operators_of(case.model.graph)
        if unread().isdisjoint(operators):
            found.setdefault(operators[0], []).append(case)
    return found


def test_every_operator_of_onnx_is_read_or_left_out_for_a_reason() -> None:
    known = {*READERS, "Constant", "Shape"}
    schemas = get_all_schemas()
    names = {s.name for s in schemas if s.name not in known and not is_defined(s)}
    assert names | {"SequenceMap"} == unread()  # defined by a loop over a sequence
    assert known.isdisjoint(unread())


def as_array(value: Any) -> Any:
    return (
        numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)
    )


def read(case: Any, feeds: dict[str, Any]) -> Any:
    """The case as a graph; what has to be known is given with the model."""
    model: OnnxModel = from_proto(case.model, case.name)
    try:
        return imported(model)
    except ImportModelError:
        first = model.graph.inputs[0].name
        model.graph.initializers.update({k: v for k, v in feeds.items() if k != first})
        return imported(model)


def check(case: Any) -> None:
    """Assert that a case gives what it says."""
    for inputs, outputs in case.data_sets:
        names = [value.name for value in case.model.graph.input]
        feeds = dict(zip(names, map(as_array, inputs), strict=True))
        found = read(case, feeds)
        given = {k: array_of(v) for k, v in {**feeds, **found.weights}.items()}
        wanted = {node.name for node in found.graph.variables}
        results = Symbol(found.graph).eval(None, **{k: given[k] for k in wanted})
        for ours, theirs in zip(results, map(as_array, outputs), strict=True):
            assert ours.shape == theirs.shape, case.name
            assert ours.asnumpy().dtype == theirs.dtype, case.name
            np.testing.assert_allclose(
                ours.asnumpy().astype(np.float64),
                theirs.astype(np.float64),
                rtol=NEAR.get(theirs.dtype.name, 1e-3),
                atol=1e-5,
                err_msg=case.name,
            )


def is_expected(error: str) -> bool:
    """Whether an error is one of those that cases of the operator it names may have."""
    op = error.split(" ", 1)[0]
    patterns = [REFUSED["*"], *([REFUSED[op]] if op in REFUSED else [])]
    return any(re.search(pattern, error) for pattern in patterns)


@pytest.mark.filterwarnings("ignore")
def test_cases_of_nodes_are_right_or_refused_by_name() -> None:
    agreed: Counter[str] = Counter()
    refused: dict[str, str] = {}
    for op, listed in cases().items():
        for case in listed:
            if case.name.startswith(tuple(DIFFERENT)):
                continue
            try:
                check(case)
            except ImportModelError as error:
                refused[case.name] = str(error)
            else:
                agreed[op] += 1
    assert {name: error for name, error in refused.items() if not is_expected(error)} == {}
    assert agreed.total() > 1200
    assert set(cases()) - set(agreed) <= NEVER
