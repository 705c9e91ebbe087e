"""Initializers: what a name decides, what each class fills in, and what text brings them back."""

import json
import logging
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_gluon import initializer as init
from hy_gluon.initializer import InitDesc, Initializer, InitializerError
from hy_ndarray import HyError, NDArray, ShapeError, nd, random

BIG = (200, 300)


def filled(
    initializer: Any,
    name: str = "fc_weight",
    shape: tuple[int, ...] = (3,),
    dtype: str = "float32",
    attrs: dict[str, Any] | None = None,
) -> npt.NDArray[Any]:
    array = nd.full(shape, 9.0, dtype=dtype)
    initializer(InitDesc(name, attrs), array)
    return array.asnumpy()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fc_weight", 5.0),
        ("weight", 5.0),
        ("fc_bias", 0.0),
        ("bn_gamma", 1.0),
        ("bn_beta", 0.0),
        ("bn_running_mean", 0.0),
        ("bn_running_var", 1.0),
        ("bn_moving_mean", 0.0),
        ("bn_moving_var", 1.0),
        ("fc_weight_min", 0.0),
        ("fc_weight_max", 1.0),
        ("fc_bias_quantize", 0.0),
    ],
)
def test_the_ending_of_a_name_decides(name: str, value: float) -> None:
    assert filled(init.Constant(5), name).tolist() == [value] * 3


def test_a_plain_string_is_a_description_too() -> None:
    array = nd.zeros((2,))
    init.One()("fc_weight", array)
    assert array.asnumpy().tolist() == [1, 1]


class Marked(Initializer):
    """Initializer whose methods each leave another number, as MXNet 1.9.1 was asked with."""

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 3

    def _init_bilinear(self, _: str, arr: NDArray) -> None:
        arr[:] = 5

    def _init_loc_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 8

    def _init_default(self, _: str, arr: NDArray) -> None:
        arr[:] = 9

    def _init_zero(self, _: str, arr: NDArray) -> None:
        arr[:] = 10

    def _init_one(self, _: str, arr: NDArray) -> None:
        arr[:] = 11

    def _init_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 12


@pytest.mark.parametrize(
    ("name", "plain", "described"),
    [
        ("upsampling0", 5, 9),
        ("upsampling0_weight", 5, 3),
        ("stn_loc_weight", 10, 3),
        ("stn_loc0_bias", 8, 12),
        ("my_stn_loc_bias", 12, 12),
        ("bn_moving_mean", 10, 9),
        ("bn_moving_var", 11, 9),
        ("moving_inv_var", 10, 9),
        ("moving_avg", 10, 9),
        ("bn_running_var", 9, 9),
        ("w_min", 10, 10),
        ("w_max", 11, 11),
        ("q_bias_quantize", 9, 0),
        ("state", 9, 9),
    ],
)
def test_plain_names_and_descriptions_choose_methods_as_in_mxnet(
    name: str, plain: float, described: float
) -> None:
    array = nd.zeros((6,))
    Marked()(name, array)
    assert array.asnumpy().tolist() == [plain] * 6
    assert filled(Marked(), name).tolist() == [described] * 3


def test_layers_known_by_their_plain_names() -> None:
    filters, bias, weight = nd.empty((2, 1, 4, 4)), nd.empty((6,)), nd.empty((6, 3))
    init.One()("upsampling_weight", filters)
    init.One()("stn_loc_bias", bias)
    init.One()("stn_loc_weight", weight)
    assert filters.asnumpy()[1, 0, 1].tolist() == [0.1875, 0.5625, 0.5625, 0.1875]
    assert bias.asnumpy().tolist() == [1, 0, 0, 0, 1, 0]
    assert weight.asnumpy().max() == 0
    with pytest.raises(ShapeError, match=r"'stn_loc_bias' \(5,\) must have the 6 numbers"):
        init.One()("stn_loc_bias", nd.empty((5,)))


def test_arrays_of_plain_names_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    made = init.One().set_verbosity(True)
    made("fc_bias", nd.empty((2,)))
    assert not caplog.messages
    made(InitDesc("fc_bias"), nd.empty((2,)))
    assert caplog.messages == ["Initialized fc_bias as bias: 0.0"]


def test_an_initializer_in_the_description_comes_first() -> None:
    text = '["constant", {"value": 4}]'
    assert filled(init.One(), "fc_bias", attrs={"__init__": text}).tolist() == [4] * 3
    assert filled(init.One(), "anything", attrs={"__init__": init.Zero()}).tolist() == [0] * 3


def test_an_unknown_name_is_refused_with_the_fix() -> None:
    with pytest.raises(InitializerError, match=r"'state'.*init=") as caught:
        filled(init.One(), "state")
    assert isinstance(caught.value, ValueError)


def test_a_description_must_be_a_name() -> None:
    with pytest.raises(InitializerError, match="takes a name first, not a int"):
        init.One()(3, nd.zeros((2,)))  # type: ignore[arg-type]  # that is what is tested


def test_a_subclass_overrides_what_it_wants() -> None:
    class Ramp(Initializer):
        def _init_weight(self, _: str, arr: NDArray) -> None:
            arr[:] = nd.arange(arr.size)

        def _init_default(self, name: str, arr: NDArray) -> None:
            arr[:] = len(name)

    assert filled(Ramp()).tolist() == [0, 1, 2]
    assert filled(Ramp(), "fc_bias").tolist() == [0, 0, 0]
    assert filled(Ramp(), "state").tolist() == [5, 5, 5]


def test_the_base_class_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="Initializer must define _init_weight"):
        filled(Initializer())


# --- registry and text ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (init.Zero(), '["zero", {}]'),
        (init.Uniform(), '["uniform", {"scale": 0.07}]'),
        (init.Normal(0.1), '["normal", {"sigma": 0.1}]'),
        (
            init.Xavier(magnitude=2),
            '["xavier", {"rnd_type": "uniform", "factor_type": "avg", "magnitude": 2}]',
        ),
        (init.MSRAPrelu(), '["msraprelu", {"factor_type": "avg", "slope": 0.25}]'),
        (init.Orthogonal(), '["orthogonal", {"scale": 1.414, "rand_type": "uniform"}]'),
        (init.LSTMBias(2.0), '["lstmbias", {"forget_bias": 2.0}]'),
        (init.Constant(3), '["constant", {"value": 3}]'),
        (init.Constant(nd.array([1, 2])), '["constant", {"value": [1.0, 2.0]}]'),
        (init.Bilinear(), '["bilinear", {}]'),
    ],
    ids=lambda value: value[2:10] if isinstance(value, str) else "",
)
def test_text_brings_an_equal_initializer_back(made: Initializer, text: str) -> None:
    assert made.dumps() == text
    again = init.create(text)
    assert type(again) is type(made)
    assert again == made
    assert again != init.Load({})


def test_create_takes_names_of_any_case_and_arguments() -> None:
    assert init.create("Xavier", magnitude=2).magnitude == 2.0
    assert isinstance(init.create("zeros"), init.Zero)
    one = init.One()
    assert init.create(one) is one


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("xavierr", "xavierr is not registered as initializer; known: bilinear, "),
        ("[3", r"'\[3' is no JSON"),
        ('["one", 3]', "is not"),
        (None, "expected, not None"),
        (int, "expected, not <class 'int'"),
    ],
)
def test_create_names_what_it_cannot_use(value: Any, message: str) -> None:
    with pytest.raises(InitializerError, match=message):
        init.create(value)


def test_create_refuses_arguments_for_what_is_made_already() -> None:
    with pytest.raises(InitializerError, match="so it takes no arguments"):
        init.create(init.One(), 3)


def test_registered_classes_are_found_by_name_and_alias(caplog: pytest.LogCaptureFixture) -> None:
    @init.register
    @init.alias("half_of_one")
    class Half(init.One):
        def _init_weight(self, _: str, arr: NDArray) -> None:
            arr[:] = 0.5

    assert filled(init.create("half")).tolist() == [0.5] * 3
    assert isinstance(init.create("half_of_one"), Half)
    init.register(type("Half", (init.One,), {}))
    assert "'Half' is now" in caplog.text
    with pytest.raises(InitializerError, match="only subclasses of Initializer"):
        init.register(dict)  # type: ignore[type-var]  # that is what is tested


# --- values -----------------------------------------------------------------------------------


def test_constant_takes_arrays_of_the_shape() -> None:
    assert filled(init.Constant([1, 2, 3])).tolist() == [1, 2, 3]
    assert filled(init.Constant(np.array([1, 2, 3]))).tolist() == [1, 2, 3]
    assert filled(init.Constant(nd.array([1, 2, 3]))).tolist() == [1, 2, 3]


def test_bilinear_is_a_tent() -> None:
    row = np.array([0.25, 0.75, 0.75, 0.25])
    expected = np.broadcast_to(np.outer(row, row), (2, 1, 4, 4))
    np.testing.assert_allclose(filled(init.Bilinear(), shape=(2, 1, 4, 4)), expected)
    with pytest.raises(ShapeError, match=r"'fc_weight' \(3,\)"):
        filled(init.Bilinear())


def test_lstm_bias_fills_the_forget_gate() -> None:
    attrs = {"__init__": init.LSTMBias(2.0)}
    values = filled(init.Xavier(), "lstm_bias", (8,), attrs=attrs)
    assert values.tolist() == [0, 0, 2, 2, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("made", "bound", "deviation"),
    [
        (init.Uniform(0.5), 0.5, 0.5 / math.sqrt(3)),
        (init.Normal(0.02), None, 0.02),
        (init.Xavier(), math.sqrt(3 / 250), math.sqrt(1 / 250)),
        (init.Xavier("gaussian", "in", 2), None, math.sqrt(2 / 300)),
        (init.Xavier("uniform", "out", 3), math.sqrt(3 / 200), math.sqrt(1 / 200)),
        (init.MSRAPrelu(slope=0.0), None, math.sqrt(2 / 250)),
        (init.MSRAPrelu("in", slope=1.0), None, math.sqrt(1 / 300)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Initializer) else "",
)
def test_random_values_have_their_distribution(
    made: Initializer, bound: float | None, deviation: float
) -> None:
    random.seed(1)
    values = filled(made, shape=BIG)
    assert abs(values.mean()) < 0.02 * deviation + 1e-3
    assert values.std() == pytest.approx(deviation, rel=0.02)
    if bound is not None:
        assert np.abs(values).max() <= bound
        assert np.abs(values).max() == pytest.approx(bound, rel=0.01)


def test_fans_count_the_window_of_a_convolution() -> None:
    random.seed(1)
    values = filled(init.Xavier("uniform", "in", 3), shape=(30, 20, 5, 5))
    assert np.abs(values).max() == pytest.approx(math.sqrt(3 / 500), rel=0.01)


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (4, 3, 2, 1), (3, 3)])
@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_orthogonal_rows_or_columns(shape: tuple[int, ...], kind: str) -> None:
    values = filled(init.Orthogonal(2.0, kind), shape=shape).reshape(shape[0], -1)
    square = values @ values.T if values.shape[0] <= values.shape[1] else values.T @ values
    np.testing.assert_allclose(square, 4 * np.eye(len(square)), atol=1e-5)


@pytest.mark.parametrize(
    "made", [init.Uniform(), init.Normal(), init.Xavier(), init.Orthogonal()], ids=type
)
def test_a_seed_repeats_the_values(made: Initializer) -> None:
    random.seed(7)
    first = filled(made, shape=(4, 5))
    second = filled(made, shape=(4, 5))
    random.seed(7)
    assert (filled(made, shape=(4, 5)) == first).all()
    assert (first != second).any()


@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16"])
def test_other_dtypes_are_filled(dtype: str) -> None:
    values = filled(init.Xavier(), shape=(4, 5), dtype=dtype)
    assert np.dtype(values.dtype).name == dtype
    assert (values != 9).all()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: init.Xavier("unifrom"), "rnd_type 'unifrom'"),
        (lambda: init.Xavier(factor_type="mean"), "factor_type 'mean'"),
        (lambda: init.Orthogonal(rand_type="gaussian"), "rand_type 'gaussian'"),
        (lambda: init.FusedRNN(None, 2, 1, "elman"), "mode 'elman'"),
        (lambda: init.Mixed([".*"], []), "1 patterns, but 0 initializers"),
    ],
)
def test_wrong_arguments_are_named(made: Any, message: str) -> None:
    with pytest.raises(InitializerError, match=message):
        made()


def test_xavier_refuses_vectors() -> None:
    with pytest.raises(ShapeError, match=r"MSRAPrelu needs two axes .*'fc_weight' is \(3,\)"):
        filled(init.MSRAPrelu())


@pytest.mark.parametrize(("mode", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1)])
@pytest.mark.parametrize("both", [False, True])
def test_fused_rnn_fills_weights_then_biases(mode: str, gates: int, both: bool) -> None:
    hidden, inputs, layers, ways = 2, 3, 2, 2 if both else 1
    rows = gates * hidden
    weights = ways * rows * (inputs + hidden) + ways * rows * (ways * hidden + hidden)
    biases = layers * ways * 2 * rows
    made = init.FusedRNN(init.One(), hidden, layers, mode, both, forget_bias=5.0)
    values = filled(made, "rnn_weight", (weights + biases,))
    assert (values[:weights] == 1).all()
    per_gate = values[weights:].reshape(-1, gates, hidden)
    assert (per_gate[:, 1] == 5).all() if mode == "lstm" else (per_gate == 0).all()
    assert json.loads(made.dumps())[1]["init"] == '["one", {}]'


def test_fused_rnn_fills_each_gate_by_its_name_and_shape() -> None:
    class Listed(init.Xavier):
        def _init_weight(self, name: str, arr: Any) -> None:
            seen.append((str(name), arr.shape))
            super()._init_weight(name, arr)

        def _init_bias(self, _name: str, arr: Any) -> None:
            arr[:] = 3

    seen: list[tuple[str, tuple[int, ...]]] = []
    vector = nd.zeros((4 * 2 * (5 + 2 + 4 + 2) * 2 + 2 * 2 * 2 * 8,))
    init.FusedRNN(None, 2, 2, "lstm", True)._init_weight(
        init.InitDesc("f_parameters", global_init=Listed(magnitude=6)), vector
    )
    layers = [("l0", 5), ("r0", 5), ("l1", 4), ("r1", 4)]
    assert seen == [
        (f"{layer}_{kind}_{gate}_weight", (2, size if kind == "i2h" else 2))
        for layer, size in layers
        for kind in ("i2h", "h2h")
        for gate in "ifco"
    ]
    # sqrt(6 / ((5 + 2) / 2)) is the bound of one gate, sqrt(6 / ((5 + 8) / 2)) that of all four.
    assert 0.97 < float(nd.abs(vector[:40]).max().asscalar()) < 1.31
    biases = vector[-64:].reshape((8, 4, 2)).asnumpy()
    assert biases[:, :, 0].tolist() == [[3, 1, 3, 3]] * 8


def test_fused_rnn_refuses_another_size() -> None:
    with pytest.raises(ShapeError, match=r"\(7,\) is no vector of 1 layers of 2 lstm units"):
        filled(init.FusedRNN(init.One(), 2, 1, "lstm"), shape=(7,))
    with pytest.raises(InitializerError, match="no initializer for the weights"):
        filled(init.FusedRNN(None, 2, 1, "lstm"), shape=(56,))


# --- combinations -----------------------------------------------------------------------------


def test_mixed_takes_the_first_pattern() -> None:
    mixed = init.Mixed(["fc1_.*", ".*weight", ".*"], [init.Zero(), init.One(), init.Constant(3)])
    assert filled(mixed, "fc1_weight").tolist() == [0] * 3
    assert filled(mixed, "fc2_weight").tolist() == [1] * 3
    with pytest.raises(InitializerError, match="'fc2_weight' matches no pattern"):
        filled(init.Mixed(["fc1_.*"], [init.Zero()]), "fc2_weight")


def test_load_takes_values_by_name(tmp_path: Any) -> None:
    from hy_gluon import files  # noqa: PLC0415

    values = {"arg:fc_weight": nd.array([1, 2, 3]), "aux:bn_mean": nd.array([4])}
    files.save(str(tmp_path / "x.params"), values)
    for source in (values, str(tmp_path / "x.params")):
        load = init.Load(source, default_init=init.One())
        assert filled(load, "fc_weight").tolist() == [1, 2, 3]
        assert filled(load, "other_weight").tolist() == [1, 1, 1]
    with pytest.raises(InitializerError, match="'other' is not among the loaded ones"):
        filled(init.Load(values), "other")
    with pytest.raises(ShapeError, match=r"'fc_weight' \(2,\) cannot take the loaded \(3,\)"):
        filled(init.Load(values), "fc_weight", (2,))


def test_verbose_initializers_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    filled(init.Constant(2).set_verbosity(True))
    filled(init.One().set_verbosity(True, lambda array: f"{array.size} ones"), "bn_gamma")
    init.Load({"a": nd.ones((2,))}, verbose=True)("a", nd.zeros((2,)))
    assert [record.message for record in caplog.records] == [
        "Initialized fc_weight as weight: 2.0",
        "Initialized bn_gamma as gamma: 3 ones",
        "Initialized a by loading",
    ]


def test_initializer_errors_are_hy_errors() -> None:
    assert issubclass(InitializerError, HyError)


def test_dumps_leaves_a_list_in_the_arguments_as_programs_write_them() -> None:
    made = init.Constant(nd.ones((2,)))
    assert made.dumps() == '["constant", {"value": [1.0, 1.0]}]'
    assert made._kwargs == {"value": [1.0, 1.0]}
