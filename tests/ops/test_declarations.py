"""Operators are declared as MXNet 1.9.1 declares them: inputs, parameters, defaults, outputs.

``data/declared.json`` was read off MXNet 1.9.1, one line per operator.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from hy_ndarray import ops
from hy_symbol import Symbol, var
from hy_symbol.graph import compose

DECLARED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "declared.json").read_text(encoding="utf-8")
)
BUILT = sorted(name for name in DECLARED if ops.exists(name))
APART = {"_npi_det", "_npi_slogdet"}
"""Aliases of MXNet's that are operators of their own: their results may lack axes."""
PARAMS_DIFFER = {
    "_contrib_SparseEmbedding": "takes the deterministic that MXNet takes and does not list",
    "_linalg_potrf": "takes the lower that MXNet accepts and does not list",
    "_linalg_potri": "takes the lower that MXNet accepts and does not list",
    "_linspace": "takes what MXNet's function really reads: start, stop, num, endpoint",
    "Custom": "takes any parameter",
}
LISTS_DIFFER = {
    "_cvcopyMakeBorder": "names its input as the Python function does",
    "_cvimdecode": "names its input as the Python function does",
    "_cvimresize": "names its input as the Python function does",
    "_multi_lamb_update": "has variables for all inputs, states not apart",
    "_multi_mp_lamb_update": "has variables for all inputs, states not apart",
    "multi_mp_sgd_mom_update": "has variables for all inputs, states not apart",
    "multi_mp_sgd_update": "has variables for all inputs, states not apart",
    "preloaded_multi_mp_sgd_mom_update": "has variables for all inputs, states not apart",
    "preloaded_multi_mp_sgd_update": "has variables for all inputs, states not apart",
    "Custom": "its lists are its property's",
}


def test_most_operators_are_built() -> None:
    public = [name for name in DECLARED if not name.startswith("_")]
    missing = {name for name in public if not ops.exists(name)}
    assert missing <= {"Custom", "cast_storage"}


@pytest.mark.parametrize("name", BUILT)
def test_names_parameters_and_defaults(name: str) -> None:
    declared, op = DECLARED[name], ops.find(name)
    assert op.name == name
    aliases = set(declared.get("aliases", ())) - APART
    assert all(ops.find(alias) is op for alias in aliases if ops.exists(alias))
    if name in PARAMS_DIFFER:
        return
    wanted = {k: v for k, v in declared["params"].items() if k != op.count}
    assert list(op.params) == list(wanted)
    for key, text in wanted.items():
        param = op.params[key]
        assert (key in op.defaults) is (key not in declared["required"]), key
        if text and key in op.defaults:
            default = op.defaults[key]
            assert param.parse(name, text) == (
                pytest.approx(default) if isinstance(default, float) else default
            ), key


@pytest.mark.parametrize("name", [n for n in BUILT if n not in LISTS_DIFFER])
def test_arguments_states_and_outputs_of_a_node(name: str) -> None:
    op = ops.find(name)
    for attrs, arguments, states, outputs in DECLARED[name].get("composed", ()):
        inputs: list[Any] = [None] * len(op.inputs)
        if op.variadic:
            inputs = [var(argument).single_entry() for argument in arguments]
        node = compose.node_of(op, inputs, op.parse(attrs), {}, name="N")
        symbol = Symbol.of_node(node)
        lists = symbol.list_arguments(), symbol.list_auxiliary_states(), symbol.list_outputs()
        found = [[text.removeprefix("N_") for text in row] for row in lists]
        assert found == [arguments, states, outputs], attrs
