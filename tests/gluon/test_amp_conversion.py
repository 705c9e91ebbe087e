"""Models converted to mixed precision: the graphs and numbers of MXNet 1.9.1, and files.

``data/amp`` holds what MXNet made of the models of ``data``: graphs with their casts, outputs in
bfloat16, and the names of the parameters it casts.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_gluon import BlockError, HybridBlock, SymbolBlock, amp, nn
from hy_gluon.amp import AMPError
from hy_ndarray import ArgumentError, DTypeError, NDArray, cpu, dtype_name, nd
from hy_symbol import Symbol, load, load_json, sym

DATA = Path(__file__).parent / "data"
MODELS = {
    "lenet": ["data"],
    "resnet_small": ["data"],
    "lstm_lm": ["data0", "data1", "data2"],
}
REAL = json.loads((DATA / "amp" / "real.json").read_text())
BOTH = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])


def model(name: str) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    symbol = load(str(DATA / name / "model-symbol.json"))
    arrays = nd.load(str(DATA / name / "model-0000.params"))
    assert isinstance(arrays, dict)
    arguments = {key[4:]: x for key, x in arrays.items() if key.startswith("arg:")}
    return symbol, arguments, {key[4:]: x for key, x in arrays.items() if key.startswith("aux:")}


def recorded(name: str) -> tuple[list[npt.NDArray[Any]], list[npt.NDArray[Any]]]:
    """Inputs and float32 outputs."""
    found = np.load(DATA / name / "io.npz", allow_pickle=False)
    return [found[k] for k in found.files if k[:2] == "in"], [
        found[k] for k in found.files if k[:3] == "out"
    ]


def comparable(text: str) -> Any:
    """A JSON document without what differs on purpose or by chance.

    MXNet calls some operators' outputs ``0`` in the names of casts, where it calls them ``output``
    elsewhere; and it counts how often a graph was composed in the third number of an entry.
    """
    document = json.loads(re.sub(r"_0_amp_", "_output_amp_", text))
    for node in document["nodes"]:
        node["inputs"] = [entry[:2] for entry in node["inputs"]]
    return document


def dtypes(arrays: dict[str, NDArray]) -> dict[str, str]:
    return {name: dtype_name(array.dtype) for name, array in arrays.items()}


def dense(prefix: str = "fc_", **kwargs: Any) -> nn.Dense:
    layer = nn.Dense(3, in_units=4, prefix=prefix, **kwargs)
    layer.initialize("ones")
    layer.hybridize()
    layer(nd.ones((2, 4)))
    return layer


@BOTH
@pytest.mark.parametrize("name", MODELS)
def test_the_graph_is_the_one_mxnet_makes(name: str, dtype: str) -> None:
    converted, _, _ = amp.convert_model(*model(name), target_dtype=dtype)
    expected = (DATA / "amp" / f"{name}-{dtype}-symbol.json").read_text()
    assert comparable(converted.tojson(remove_amp_cast=False)) == comparable(expected)


def test_the_json_text_is_mxnets() -> None:
    converted, _, _ = amp.convert_model(*model("lenet"))
    text = (DATA / "amp" / "lenet-float16-symbol.json").read_text()
    renamed = re.sub(r"_0_amp_", "_output_amp_", text)
    assert converted.tojson(remove_amp_cast=False) == renamed


@pytest.mark.parametrize("name", MODELS)
def test_bfloat16_gives_the_numbers_of_mxnet(name: str) -> None:
    converted, arguments, states = amp.convert_model(*model(name), target_dtype="bfloat16")
    inputs, exact = recorded(name)
    given = {key: nd.array(x) for key, x in zip(MODELS[name], inputs, strict=True)}
    executor = converted.bind(cpu(), {**given, **arguments}, aux_states=states)
    for y, expected, full in zip(executor.forward(), REAL[f"{name}-bfloat16"], exact, strict=True):
        assert dtype_name(y.dtype) == "float32"
        scale = np.abs(full).max()
        np.testing.assert_allclose(y.asnumpy(), expected, rtol=0, atol=0.02 * scale)
        assert np.abs(np.array(expected) - full).max() < 0.03 * scale  # nor is MXNet closer


@pytest.mark.parametrize("name", MODELS)
def test_float16_is_close_to_float32(name: str) -> None:
    converted, arguments, states = amp.convert_model(*model(name))
    inputs, exact = recorded(name)
    given = {key: nd.array(x) for key, x in zip(MODELS[name], inputs, strict=True)}
    executor = converted.bind(cpu(), {**given, **arguments}, aux_states=states)
    for y, expected in zip(executor.forward(), exact, strict=True):
        assert np.abs(y.asnumpy() - expected).max() < 0.01 * np.abs(expected).max()


@BOTH
@pytest.mark.parametrize("name", MODELS)
def test_optional_parameters_are_those_mxnet_casts(name: str, dtype: str) -> None:
    symbol, arguments, states = model(name)
    converted, cast, kept = amp.convert_model(
        symbol, arguments, states, target_dtype=dtype, cast_optional_params=True
    )
    low = sorted(key for key, found in dtypes(cast).items() if found == dtype)
    assert low == REAL[f"{name}-{dtype}-cast"]
    assert set(dtypes(kept).values()) <= {"float32"}
    text = converted.tojson(remove_amp_cast=False)
    assert not any(f'"{key}_amp_cast' in text for key in low)


def test_without_names_parameters_are_the_variables_that_declare_a_dtype() -> None:
    dense = nn.Dense(2, in_units=3, prefix="fc_")
    data = sym.var("data")
    converted = amp.convert_symbol(dense(data), cast_optional_params=True)
    names = [node.name for node in converted.graph.nodes]
    assert not {"fc_weight_amp_cast_float16", "fc_bias_amp_cast_float16"} & set(names)
    assert "data_amp_cast_float16" in names
    found, _, _ = converted.infer_type(data="float32")
    assert found == [np.float32, np.float16, np.float16]  # MXNet's
    undeclared = sym.FullyConnected(data, num_hidden=2, name="fc")
    converted = amp.convert_symbol(undeclared, cast_optional_params=True)
    assert "fc_weight_amp_cast_float16" in [node.name for node in converted.graph.nodes]
    kept = amp.convert_symbol(dense(data)).attr_dict()["fc_weight"]
    assert kept["__dtype__"] == "0"


def test_a_parameter_with_other_users_is_not_cast() -> None:
    weight = sym.var("w", shape=(3, 4))
    product = sym.FullyConnected(sym.var("data"), weight, num_hidden=3, no_bias=True, name="fc")
    both = sym.Group([product, sym.exp(weight)])
    converted, cast, _ = amp.convert_model(
        both, {"w": nd.ones((3, 4))}, {}, cast_optional_params=True
    )
    assert dtypes(cast) == {"w": "float32"}
    assert "w_amp_cast_float16" in converted.tojson(remove_amp_cast=False)


def test_the_original_is_left_alone() -> None:
    symbol, arguments, states = model("lenet")
    before = symbol.tojson()
    amp.convert_model(symbol, arguments, states, cast_optional_params=True)
    assert symbol.tojson() == before
    assert set(dtypes(arguments).values()) == {"float32"}


def two_layers() -> Symbol:
    hidden = sym.FullyConnected(sym.var("data"), num_hidden=3, no_bias=True, name="first")
    hidden = sym.Activation(hidden, act_type="relu", name="act")
    return sym.FullyConnected(hidden, num_hidden=3, no_bias=True, name="second")


def casts(symbol: Symbol) -> list[str]:
    nodes = symbol.graph.nodes
    return [n.name for n in nodes if n.op is not None and n.op.name.startswith("amp_")]


def test_excluded_nodes_compute_in_float32() -> None:
    assert casts(amp.convert_symbol(two_layers(), excluded_sym_names=["second"])) == [
        "data_amp_cast_float16",
        "first_weight_amp_cast_float16",
        "act_output_amp_cast_float32",
    ]


def test_conditional_operators() -> None:
    condition = [("Activation", "act_type", ["relu"])]
    assert casts(amp.convert_symbol(two_layers(), conditional_fp32_ops=condition)) == [
        "data_amp_cast_float16",
        "first_weight_amp_cast_float16",
        "first_output_amp_cast_float32",
        "act_output_amp_cast_float16",
        "second_weight_amp_cast_float16",
        "second_output_amp_cast_float32",
    ]


def test_lists_given_take_the_place_of_the_usual_ones() -> None:
    found = casts(amp.convert_symbol(two_layers(), target_dtype_ops=["Activation"]))
    assert found == ["first_output_amp_cast_float16", *found[1:]]
    assert "second_output_amp_cast_float32" in found
    none = amp.convert_symbol(two_layers(), fp32_ops=["FullyConnected", "Activation"])
    assert casts(none) == []


def test_one_cast_serves_all_users() -> None:
    x = sym.FullyConnected(sym.var("data"), num_hidden=3, no_bias=True, name="fc")
    both = sym.Group([sym.exp(x, name="a"), sym.log(x, name="b")])
    assert casts(amp.convert_symbol(both)).count("fc_output_amp_cast_float32") == 1


def test_operands_of_unknown_dtype_meet_in_the_widest() -> None:
    x = sym.FullyConnected(sym.var("data"), num_hidden=3, no_bias=True, name="fc")
    converted = amp.convert_symbol(sym.elemwise_add(x, sym.var("y"), name="sum"))
    assert casts(converted)[-2:] == ["fc_output_amp_multicast", "sum_output_amp_cast_float32"]


def test_a_slope_in_float32_meets_data_in_float16() -> None:
    x = sym.FullyConnected(sym.var("data"), num_hidden=3, no_bias=True, name="fc")
    converted = amp.convert_symbol(sym.LeakyReLU(x, act_type="prelu", name="slope"))
    executor = converted.simple_bind(cpu(), data=(2, 4), slope_gamma=(3,))
    assert executor.forward()[0].shape == (2, 3)


def test_loops_run_in_float32() -> None:
    def body(x: Symbol, state: Symbol) -> tuple[Symbol, Symbol]:
        y = sym.FullyConnected(x, sym.var("w"), num_hidden=3, no_bias=True, name="step") + state
        return y, y

    x = sym.FullyConnected(
        sym.var("data"), num_hidden=3, no_bias=True, flatten=False, name="before"
    )
    steps, _ = sym.contrib.foreach(body, x, sym.var("state"))
    converted = amp.convert_symbol(steps)
    values = {"data": nd.ones((2, 1, 4)), "before_weight": nd.ones((3, 4)) / 4}
    values |= {"w": nd.ones((3, 3)) / 3, "state": nd.zeros((1, 3))}
    (out,) = converted.eval(None, **values)
    np.testing.assert_allclose(out.asnumpy()[:, 0, 0], [1, 2], rtol=1e-3)


def test_removing_the_casts_gives_the_original_graph_back() -> None:
    symbol = two_layers()
    converted = amp.convert_symbol(symbol)
    assert casts(load_json(converted.tojson(remove_amp_cast=False))) == casts(converted)
    left = load_json(converted.tojson())
    assert casts(left) == ["second_output_amp_cast_float32"]  # outputs stay float32
    assert left.list_arguments() == symbol.list_arguments()


def test_a_cast_that_is_an_output_stays_for_itself_alone() -> None:
    cast = sym.amp_cast(sym.var("x"), dtype="float16", name="half")
    left = load_json(sym.Group([cast, sym.exp(cast, name="power")]).tojson())
    assert [[s.name for s, _ in n.inputs] for n, _ in left.graph.outputs] == [["x"], ["x"]]


def test_multicasts_are_removed_too() -> None:
    x = sym.FullyConnected(sym.var("data"), num_hidden=3, no_bias=True, name="fc")
    converted = amp.convert_symbol(sym.elemwise_add(x, sym.var("y"), name="sum"))
    assert casts(load_json(converted.tojson())) == ["sum_output_amp_cast_float32"]


# --- blocks -----------------------------------------------------------------------------------


@BOTH
def test_a_converted_block(dtype: str) -> None:
    layer = dense()
    converted = amp.convert_hybrid_block(layer, target_dtype=dtype)
    assert isinstance(converted, SymbolBlock)
    y = converted(nd.ones((2, 4)) / 3)
    assert dtype_name(y.dtype) == "float32"
    np.testing.assert_allclose(y.asnumpy(), 4 / 3, rtol=1e-2)
    assert (y.asnumpy() != layer(nd.ones((2, 4)) / 3).asnumpy()).all()  # it is rounded
    assert set(dtypes({k: p.data() for k, p in converted.params.items()}).values()) == {"float32"}


def test_a_converted_block_with_16_bit_parameters_keeps_them_apart() -> None:
    layer = dense()
    converted = amp.convert_hybrid_block(layer, cast_optional_params=True)
    assert dtype_name(converted.params["fc_weight"].dtype) == "float16"
    converted.params["fc_weight"].set_data(nd.zeros((3, 4), dtype="float16"))
    assert layer.weight.data().asnumpy().all()


def test_a_converted_block_is_where_it_is_asked_for() -> None:
    converted = amp.convert_hybrid_block(dense(), ctx=[cpu(0), cpu(1)])
    assert converted.params["fc_bias"].list_ctx() == [cpu(0), cpu(1)]


@pytest.mark.parametrize("keep", [True, False])
def test_export(tmp_path: Path, keep: bool) -> None:
    converted = amp.convert_hybrid_block(dense(), target_dtype="bfloat16")
    x = nd.ones((2, 4)) / 3
    expected = converted(x).asnumpy()
    files = converted.export(str(tmp_path / "low"), remove_amp_cast=not keep)
    assert casts(load(files[0])) == [
        *(["data_amp_cast_bfloat16", "fc_weight_amp_cast_bfloat16"] if keep else []),
        *(["fc_bias_amp_cast_bfloat16"] if keep else []),
        "fc_fwd_output_amp_cast_float32",
    ]
    again = SymbolBlock.imports(files[0], "data", files[1])(x).asnumpy()
    assert (again == expected).all() == keep


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"target_dtype": "int8"}, DTypeError, "float16 or bfloat16, not int8"),
        ({"target_dtype_ops": ["Convolutoin"]}, AMPError, "did you mean 'Convolution'"),
        ({"fp32_ops": "FullyConnected"}, AMPError, "must be a list of names"),
        ({"excluded_sym_names": ["third"]}, AMPError, "the graph has no third"),
        ({"data_names": ["nothing"]}, AMPError, "the graph has no nothing"),
        ({"conditional_fp32_ops": [("Activation", "relu")]}, AMPError, "operator, parameter"),
        (
            {"target_dtype_ops": ["exp"], "fp32_ops": ["exp"]},
            AMPError,
            "exp: named in two lists",
        ),
    ],
)
def test_mistakes(kwargs: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        amp.convert_symbol(two_layers(), **kwargs)


def test_only_what_can_be_converted_is_accepted() -> None:
    with pytest.raises(ArgumentError, match="takes a Symbol, not a int"):
        amp.convert_symbol(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="arg_params must be a dict"):
        amp.convert_model(two_layers(), {"first_weight": 3}, {})  # type: ignore[dict-item]
    with pytest.raises(ArgumentError, match="takes a HybridBlock, not a int"):
        amp.convert_hybrid_block(3)  # type: ignore[arg-type]
    with pytest.raises(BlockError, match="run the block once"):
        amp.convert_hybrid_block(nn.HybridSequential())
    assert issubclass(nn.Dense, HybridBlock)
