"""Parameters and their dictionaries: initialization, contexts, gradients, sharing, files."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import (
    Constant,
    DeferredInitializationError,
    Parameter,
    ParameterDict,
    initializer,
    nn,
)
from hy_gluon.parameter import MismatchError, UninitializedError
from hy_io import FileFormatError
from hy_ndarray import (
    ArgumentError,
    AutogradError,
    Context,
    ContextError,
    DTypeError,
    NDArray,
    ShapeError,
    autograd,
    cpu,
    nd,
)


def made(name: str = "fc_weight", init: Any = "ones", ctx: Any = None, **kwargs: Any) -> Parameter:
    parameter = Parameter(name, **{"shape": (2, 3), **kwargs})
    parameter.initialize(init, ctx)
    return parameter


def values(array: NDArray) -> list[Any]:
    nested: list[Any] = array.asnumpy().tolist()
    return nested


# --- one parameter ----------------------------------------------------------------------------


def test_the_text_form_is_mxnets() -> None:
    first = Parameter("net0_fc3_weight", shape=(10, 84))
    second = Parameter("net0_dense0_bias", shape=(0,), dtype="float32")
    third = Parameter("w")
    assert repr(first) == (
        "Parameter net0_fc3_weight (shape=(10, 84), dtype=<class 'numpy.float32'>)"
    )
    assert repr(second) == "Parameter net0_dense0_bias (shape=(0,), dtype=float32)"
    assert repr(third) == "Parameter w (shape=None, dtype=<class 'numpy.float32'>)"
    assert repr(Constant("c", [1])) == "Constant c (shape=(1,), dtype=<class 'numpy.float32'>)"


@pytest.mark.parametrize(
    ("shape", "stored"),
    [(3, (3,)), ([2, 3], (2, 3)), ((None, 3), (0, 3)), ((-1, 3), (-1, 3)), (None, None)],
)
def test_sizes_may_be_unknown(shape: Any, stored: Any) -> None:
    assert Parameter("w", shape=shape).shape == stored


def test_shapes_are_completed_but_not_changed() -> None:
    parameter = Parameter("w", shape=(2, 0, -1))
    parameter.shape = (2, 4, 0)
    assert parameter.shape == (2, 4, 0)
    parameter.shape = (2, 0, 5)
    assert parameter.shape == (2, 4, 5)
    for shape in ((3, 4, 5), (2, 4)):
        with pytest.raises(MismatchError, match=r"'w': shape .* contradicts its shape \(2, 4, 5\)"):
            parameter.shape = shape
    assert parameter.size == 40


@pytest.mark.parametrize("kind", ["stype", "grad_stype"])
def test_an_unknown_storage_is_refused(kind: str) -> None:
    settings: dict[str, Any] = {kind: "foo"}
    with pytest.raises(AssertionError, match=f"{kind} for Parameter 'w' must be one of .* 'foo'"):
        Parameter("w", shape=(1,), **settings)


USES: list[Any] = [
    lambda p: p.data(),
    lambda p: p.list_data(),
    lambda p: p.grad(),
    lambda p: p.list_grad(),
    lambda p: p.list_ctx(),
    lambda p: p.set_data(nd.ones((2, 3))),
    lambda p: p.reset_ctx(cpu(1)),
]


@pytest.mark.parametrize("use", USES)
def test_use_before_initialization_is_named(use: Any) -> None:
    with pytest.raises(UninitializedError, match=r"'fc_weight' .*has not been initialized"):
        use(Parameter("fc_weight", shape=(2, 3)))


def test_what_needs_no_values_works_before_initialization() -> None:
    parameter = Parameter("fc_weight", shape=(2, 3))
    parameter.zero_grad()
    parameter.cast("float16")
    parameter._finish_deferred_init()
    assert parameter.dtype == "float16"


def test_initialization_waits_for_the_shape() -> None:
    parameter = Parameter("w", shape=(2, 0), allow_deferred_init=True, init="ones")
    parameter.initialize(ctx=[cpu(1), cpu(2)])
    with pytest.raises(
        DeferredInitializationError, match=r"'w' .*because initialization was deferred.*in_units"
    ):
        parameter.data()
    assert parameter.list_ctx() == [cpu(1), cpu(2)]
    with pytest.raises(MismatchError, match=r"'w' cannot be initialized: its shape \(2, 0\)"):
        parameter._finish_deferred_init()
    parameter.shape = (2, 1)
    parameter._finish_deferred_init()
    assert [values(array) for array in parameter.list_data()] == [[[1], [1]]] * 2


def test_an_unknown_shape_is_refused_unless_it_may_wait() -> None:
    with pytest.raises(ShapeError, match=r"'w' cannot be .*\(2, 0\).*allow_deferred_init=True"):
        Parameter("w", shape=(2, 0)).initialize()


def test_values_that_wait_can_be_set_and_moved() -> None:
    parameter = Parameter("w", shape=(2, 0), allow_deferred_init=True)
    parameter.initialize()
    with pytest.raises(MismatchError):
        parameter.set_data(nd.ones((3, 3)))
    parameter.set_data(nd.ones((2, 3)) * 7)
    parameter.reset_ctx([cpu(1)])
    parameter._finish_deferred_init()
    assert values(parameter.data(cpu(1))) == [[7] * 3] * 2


def test_initializing_again_needs_force() -> None:
    parameter = made()
    with pytest.warns(
        UserWarning, match="'fc_weight' is already initialized, ignoring.*force_reinit=True"
    ):
        parameter.initialize("zeros")
    assert values(parameter.data()) == [[1] * 3] * 2
    parameter.initialize("zeros", force_reinit=True)
    assert values(parameter.data()) == [[0] * 3] * 2


@pytest.mark.parametrize(
    ("own", "given", "default", "value"),
    [
        (None, None, initializer.Constant(3), 3),
        ("ones", None, initializer.Constant(3), 1),
        ("ones", initializer.Constant(2), initializer.Constant(3), 2),
        (None, None, initializer.Mixed([".*"], [initializer.Constant(3)]), 3),
        (initializer.Constant(4), None, initializer.Mixed([".*"], [initializer.One()]), 4),
        (None, initializer.Load({"fc_weight": nd.ones((2, 3)) * 5}), None, 5),
        (None, lambda name, array: array.__setitem__(slice(None), len(name)), None, 9),
    ],
)
def test_the_nearest_initializer_is_taken(own: Any, given: Any, default: Any, value: int) -> None:
    parameter = Parameter("fc_weight", shape=(2, 3), init=own)
    parameter.initialize(given, default_init=default)
    assert values(parameter.data()) == [[value] * 3] * 2


def test_an_initializer_of_its_own_fills_a_parameter_of_any_name() -> None:
    parameter = Parameter("state_bias", shape=(2,))
    parameter.initialize(default_init=initializer.One())
    assert values(parameter.data()) == [1, 1]


def test_an_empty_list_of_contexts_is_refused() -> None:
    with pytest.raises(ArgumentError, match="at least one context"):
        Parameter("w", shape=(1,)).initialize(ctx=[])


def test_every_context_has_a_copy() -> None:
    parameter = made(init="uniform", ctx=[cpu(0), cpu(1)])
    first, second = parameter.list_data()
    assert (first.context, second.context) == (cpu(0), cpu(1))
    assert (first.asnumpy() == second.asnumpy()).all()
    assert parameter.data(cpu(1)) is second
    with cpu(1):
        assert parameter.data() is second
    with (
        cpu(2),
        pytest.raises(
            UninitializedError,
            match=r"not initialized on context cpu\(2\). It was only initialized on \[cpu\(0\)",
        ),
    ):
        parameter.data()
    second[:] = first + 2
    np.testing.assert_allclose(parameter._reduce().asnumpy(), (first + 1).asnumpy(), rtol=1e-6)
    assert parameter._reduce().context == cpu(0)


@pytest.mark.parametrize("kind", ["cpu_shared", "cpu_pinned"])
def test_batches_in_other_memory_of_the_cpu_meet_parameters_on_it(kind: str) -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize("ones")
    data = nd.ones((1, 3)).as_in_context(Context(kind, 0))
    with autograd.record():
        out = net(data)
    out.backward()
    assert out.asnumpy().tolist() == [[3, 3]]
    assert net.weight.grad(data.context).asnumpy().tolist() == [[1] * 3] * 2
    with pytest.raises(UninitializedError, match=r"was not initialized on context cpu_shared\(1\)"):
        net.weight.data(Context("cpu_shared", 1))
    net.hybridize()  # MXNet does not take them then, either
    with pytest.raises(ContextError, match=rf"on different devices: {kind}\(0\), cpu\(0\)"):
        net(data)


def test_one_context_is_found_from_any_other() -> None:
    parameter = made(ctx=cpu(3))
    assert parameter.data().context == cpu(3)
    assert parameter.data(cpu(3)) is parameter.data()
    with pytest.raises(UninitializedError, match=r"not initialized on context cpu\(0\)"):
        parameter.data(cpu(0))


def backward(parameter: Parameter, factor: float) -> None:
    with autograd.record():
        losses = [(array * factor).sum() for array in parameter.list_data()]
    autograd.backward(losses)


@pytest.mark.parametrize(("request_", "expected"), [("write", 3), ("add", 5)])
def test_gradients_are_written_or_added(request_: str, expected: int) -> None:
    parameter = made(grad_req=request_, ctx=[cpu(0), cpu(1)])
    backward(parameter, 2)
    backward(parameter, 3)
    assert [values(gradient) for gradient in parameter.list_grad()] == [[[expected] * 3] * 2] * 2
    parameter.zero_grad()
    assert values(parameter.grad(cpu(1))) == [[0] * 3] * 2


def test_null_keeps_no_gradient_until_it_is_changed() -> None:
    parameter = made(grad_req="null")
    for use in (parameter.grad, parameter.list_grad):
        with pytest.raises(
            AutogradError,
            match=r"Cannot get gradient array for Parameter 'fc_weight' because grad_req='null'",
        ):
            use()
    parameter.zero_grad()
    parameter.grad_req = "write"
    backward(parameter, 2)
    assert values(parameter.grad()) == [[2] * 3] * 2
    with pytest.raises(MismatchError, match="grad_req must be one of write, add, null, not 'sum'"):
        parameter.grad_req = "sum"
    assert made(differentiable=False).grad_req == "null"


def test_set_data_writes_in_place_even_while_recording() -> None:
    parameter = made(ctx=[cpu(0), cpu(1)])
    array = parameter.data(cpu(0))
    with autograd.record():
        parameter.set_data(nd.ones((2, 3)) * 4)
    assert parameter.data(cpu(0)) is array
    assert [values(x) for x in parameter.list_data()] == [[[4] * 3] * 2] * 2
    with pytest.raises(MismatchError, match=r"shape \(3, 2\) contradicts its shape \(2, 3\)"):
        parameter.set_data(nd.ones((3, 2)))


def test_moving_keeps_the_mean_and_forgets_gradients() -> None:
    parameter = made(ctx=[cpu(0), cpu(1)])
    parameter.data(cpu(1))[:] = 3.0
    backward(parameter, 2)
    parameter.reset_ctx(cpu(2))
    assert parameter.list_ctx() == [cpu(2)]
    assert values(parameter.data()) == [[2] * 3] * 2
    assert values(parameter.grad()) == [[0] * 3] * 2


@pytest.mark.parametrize("how", ["cast", "dtype"])
def test_casting_keeps_values_and_gradients(how: str) -> None:
    parameter = made(ctx=[cpu(0), cpu(1)])
    backward(parameter, 2)
    variable = parameter.var()
    if how == "cast":
        parameter.cast("float16")
    else:
        parameter.dtype = "float16"
    assert parameter.dtype == "float16"
    assert parameter.var() is not variable
    for array, gradient in zip(parameter.list_data(), parameter.list_grad(), strict=True):
        assert (array.dtype, gradient.dtype) == (np.float16, np.float16)
        assert (values(array), values(gradient)) == ([[1] * 3] * 2, [[2] * 3] * 2)
    backward(parameter, 3)
    assert values(parameter.grad(cpu(1))) == [[3] * 3] * 2
    with pytest.raises(DTypeError):
        parameter.cast("float33")


def test_copies_have_gradients_of_their_own() -> None:
    parameter = made()
    backward(parameter, 2)
    for twin in (pickle.loads(pickle.dumps(parameter)), copy.deepcopy(parameter)):  # noqa: S301  # made here
        backward(twin, 5)
        assert values(twin.data()) == [[1] * 3] * 2
        assert values(twin.grad()) == [[5] * 3] * 2
        assert values(parameter.grad()) == [[2] * 3] * 2
    shallow = copy.copy(parameter)
    assert shallow.grad() is parameter.grad()


def test_variables_carry_what_inference_and_training_need() -> None:
    parameter = Parameter("w", shape=(2, 0), lr_mult=2.0, wd_mult=0.5, init=initializer.Normal(1))
    variable = parameter.var()
    assert variable is parameter.var()
    attrs = variable.attr_dict()["w"]
    assert attrs["__shape__"] == "(2, 0)"
    assert (attrs["__lr_mult__"], attrs["__wd_mult__"]) == ("2.0", "0.5")
    assert (attrs["__dtype__"], attrs["__storage_type__"]) == ("0", "0")
    assert attrs["__init__"] == '["normal", {"sigma": 1}]'


def test_constants_do_not_learn() -> None:
    constant = Constant("c", nd.array([[1, 2], [3, 4]], dtype="int32"))
    constant.initialize(ctx=[cpu(0), cpu(1)])
    assert values(constant.data(cpu(1))) == [[1, 2], [3, 4]]
    assert (constant.dtype, constant.grad_req) == (np.int32, "null")
    with pytest.warns(UserWarning, match="constant 'c' has no gradient"):
        constant.grad_req = "write"
    assert constant.grad_req == "null"
    assert "__init__" not in constant.var().attr_dict()["c"]


# --- dictionaries -----------------------------------------------------------------------------


def several(prefix: str = "net_") -> ParameterDict:
    params = ParameterDict(prefix)
    params.get("weight", shape=(2, 3), init="ones")
    params.get("bias", shape=(2,), init=initializer.Constant(2))
    return params


def test_a_dictionary_prints_as_mxnets() -> None:
    assert repr(ParameterDict("net_")) == "net_ (\n\n)"
    assert repr(several()) == (
        "net_ (\n"
        "  Parameter net_weight (shape=(2, 3), dtype=<class 'numpy.float32'>)\n"
        "  Parameter net_bias (shape=(2,), dtype=<class 'numpy.float32'>)\n"
        ")"
    )


def test_a_dictionary_is_ordered_and_found_by_full_names() -> None:
    params = several()
    assert list(params) == list(params.keys()) == ["net_weight", "net_bias"]
    assert params["net_bias"] is list(params.values())[1]
    assert [name for name, _ in params.items()] == list(params)
    assert ("net_bias" in params, "bias" in params, params.prefix) == (True, False, "net_")


def test_get_finds_what_is_there_and_completes_its_shape() -> None:
    params = ParameterDict("net_")
    weight = params.get("weight", shape=(2, 0), allow_deferred_init=True)
    assert params.get("weight", shape=(2, 3), dtype="float32", init="ones") is weight
    assert params.get("weight", shape=(None, 3), allow_deferred_init=False) is weight
    assert (weight.shape, weight.init) == ((2, 3), "ones")


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"shape": (3, 3)}, r"'net_weight' exists with shape=\(2, 3\), but .* shape=\(3, 3\)"),
        ({"shape": (2,)}, r"shape=\(2,\)"),
        ({"dtype": "float16"}, "dtype=<class 'numpy.float32'>, but .* dtype='float16'"),
        ({"lr_mult": 3.0}, "lr_mult=1.0, but .* lr_mult=3.0"),
        ({"grad_req": "add"}, "grad_req='write', but .* grad_req='add'"),
    ],
)
def test_get_refuses_another_parameter_of_the_name(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(MismatchError, match=message) as caught:
        several().get("weight", **kwargs)
    assert isinstance(caught.value, AssertionError)  # what MXNet raises


def test_get_refuses_unknown_arguments() -> None:
    with pytest.raises(ArgumentError, match=r"'lr_mul' is no argument of a Parameter; .*lr_mult"):
        several().get("weight", lr_mul=2.0)
    with pytest.raises(TypeError, match="lr_mul"):
        several().get("gamma", lr_mul=2.0)


def test_shared_dictionaries_give_the_same_parameters() -> None:
    params = several()
    other = ParameterDict("net_", shared=params)
    assert other.get("weight") is params["net_weight"]
    assert list(other) == ["net_weight"]
    assert ParameterDict("other_", shared=params).get("weight", shape=(1,)).shape == (1,)


def test_constants_are_found_by_value() -> None:
    params = several()
    constant = params.get_constant("scale", [1, 2])
    assert params.get_constant("scale") is params.get_constant("scale", np.array([1, 2]))
    assert params["net_scale"] is constant
    with pytest.raises(MismatchError, match="'net_scale' exists with another value"):
        params.get_constant("scale", [1, 3])
    with pytest.raises(MismatchError, match="'net_weight' is a parameter, not a constant"):
        params.get_constant("weight", [1])
    with pytest.raises(ArgumentError, match="no constant 'net_shift'; give its value"):
        params.get_constant("shift")


def test_update_refuses_another_parameter_of_the_name() -> None:
    params = several()
    params.update(several("other_"))
    params.update(params)
    assert list(params) == ["net_weight", "net_bias", "other_weight", "other_bias"]
    with pytest.raises(MismatchError, match="parameter 'net_bias': another one has that name"):
        params.update({"net_bias": Parameter("net_bias")})


def test_a_dictionary_does_to_all_what_one_can_do() -> None:
    params = several()
    params.initialize(ctx=[cpu(0), cpu(1)])
    assert values(params["net_bias"].data(cpu(1))) == [2, 2]
    assert params.list_ctx() == [cpu(0), cpu(1)]
    params.setattr("grad_req", "add")
    backward(params["net_weight"], 2)
    params.zero_grad()
    assert values(params["net_weight"].grad(cpu(0))) == [[0] * 3] * 2
    params.reset_ctx(cpu(2))
    assert params.list_ctx() == [cpu(2)]
    params.initialize(initializer.Xavier(), force_reinit=True)
    assert values(params["net_weight"].data()) == [[1] * 3] * 2
    with pytest.raises(
        initializer.InitializerError, match="xaver is not registered as initializer"
    ):
        params.initialize("xaver", force_reinit=True)


def test_verbose_initialization_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    several().initialize(initializer.One(), verbose=True)
    assert [r.message.split(" as ")[0] for r in caplog.records] == [
        "Initialized net_weight",
        "Initialized net_bias",
    ]


# --- files ------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> str:
    params = several()
    params.initialize()
    params.save(str(tmp_path / "net.params"))
    return str(tmp_path / "net.params")


def test_files_bring_values_back(file: str) -> None:
    params = several()
    params.load(file, ctx=[cpu(0), cpu(1)])
    assert values(params["net_weight"].data(cpu(1))) == [[1] * 3] * 2
    assert values(params["net_bias"].data(cpu(0))) == [2, 2]
    backward(params["net_bias"], 3)
    assert values(params["net_bias"].grad(cpu(1))) == [3, 3]


def test_prefixes_are_taken_off_and_put_back(tmp_path: Path) -> None:
    params = several()
    params.initialize()
    file = str(tmp_path / "stripped.params")
    params.save(file, strip_prefix="net_")
    other = several("other_")
    other.load(file, restore_prefix="other_")
    assert values(other["other_bias"].data()) == [2, 2]
    with pytest.raises(MismatchError, match="'net_weight' does not begin with 'other_'"):
        params.save(file, strip_prefix="other_")


def test_missing_and_extra_names_are_named(file: str) -> None:
    params = several()
    params.get("gamma", shape=(1,))
    with pytest.raises(MismatchError, match=r"Parameter 'net_gamma' is missing.*allow_missing"):
        params.load(file)
    params.load(file, allow_missing=True)
    one = ParameterDict("net_")
    one.get("weights", shape=(2, 3))
    message = r"Parameter 'net_weight' .*is not present here; the nearest name is 'net_weights'"
    with pytest.raises(MismatchError, match=message):
        one.load(file, allow_missing=True)
    one.load(file, allow_missing=True, ignore_extra=True)


def test_loading_onto_other_contexts_needs_a_move(file: str) -> None:
    for wait in (False, True):
        params = ParameterDict("net_")
        params.get("weight", shape=(2, 0) if wait else (2, 3), allow_deferred_init=True)
        params.initialize(ctx=cpu(1))
        with pytest.raises(MismatchError, match=r"loaded on \[cpu\(0\)\].*on \[cpu\(1\)\]"):
            params.load(file, ctx=cpu(0), ignore_extra=True)
        params.load(file, ignore_extra=True)
        assert params["net_weight"].data().context == cpu(1)
        assert params["net_weight"].shape == (2, 3)


def test_loaded_shapes_and_dtypes_must_fit(file: str) -> None:
    params = ParameterDict("net_")
    weight = params.get("weight", shape=(2, 4))
    with pytest.raises(
        MismatchError, match=r"shape incompatible expected \(2, 4\) vs saved \(2, 3\)"
    ):
        params.load(file, ignore_extra=True)
    params = ParameterDict("net_")
    weight = params.get("weight", shape=(2, 3), dtype="float16")
    with pytest.raises(MismatchError, match=r"is float16, the loaded array float32.*cast_dtype"):
        params.load(file, ignore_extra=True)
    params.load(file, ignore_extra=True, cast_dtype=True)
    assert weight.data().dtype == np.float16
    params.load(file, ignore_extra=True, cast_dtype=True, dtype_source="saved")
    assert (weight.data().dtype, weight.dtype) == (np.float32, np.float32)
    with pytest.raises(MismatchError, match="'file' is not 'current' or 'saved'"):
        params.load(file, ignore_extra=True, cast_dtype=True, dtype_source="file")


def test_dictionaries_of_arrays_are_loaded_with_their_marks() -> None:
    params = several()
    params.load_dict({"arg:net_weight": nd.zeros((2, 3)), "aux:net_bias": np.ones(2, "float32")})
    assert values(params["net_bias"].data()) == [1, 1]
    with pytest.raises(MismatchError, match="Parameter 'net_weight' is missing in the dictionary"):
        several().load_dict({})


def test_what_waits_cannot_be_saved(tmp_path: Path) -> None:
    params = ParameterDict("net_")
    params.get("weight", shape=(2, 0), allow_deferred_init=True)
    params.initialize()
    with pytest.raises(DeferredInitializationError, match="'net_weight'"):
        params.save(str(tmp_path / "x.params"))


def test_other_files_are_refused(tmp_path: Path) -> None:
    from hy_gluon import files  # noqa: PLC0415

    files.save(str(tmp_path / "list.params"), [nd.ones((1,))])
    with pytest.raises(MismatchError, match="without names"):
        several().load(str(tmp_path / "list.params"))
    (tmp_path / "text.params").write_text("no arrays")
    with pytest.raises(FileFormatError):
        several().load(str(tmp_path / "text.params"))


@pytest.mark.parametrize("shape", [3, np.int64(3), (np.int32(3),), [3]])
def test_a_shape_may_be_a_single_number(shape: Any) -> None:
    parameter = Parameter("w", shape=shape)
    parameter.initialize(init="ones")
    assert parameter.shape == (3,)
    assert parameter.data().shape == (3,)
