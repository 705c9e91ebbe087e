"""Operators that users write in Python."""
# ruff: noqa: ARG002  # methods take what the base class's take

from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, AutogradError, NDArray, autograd, custom, nd
from hy_ndarray.custom import CustomOp, CustomOpProp, register


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(custom, "_REGISTRY", {})
    register("scale")(ScaleProp)
    register("center")(CenterProp)


class Scale(CustomOp):
    """``(by * x, sum of x)``; keeps what it needs in itself."""

    made = 0

    def __init__(self, by: float) -> None:
        Scale.made += 1
        self.by = by
        self.modes: list[Any] = []

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.modes.append((is_train, autograd.is_recording(), autograd.is_training()))
        self.assign(out_data[0], req[0], in_data[0] * self.by)
        self.assign(out_data[1], req[1], in_data[0].sum())

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        assert self.modes == [(True, False, True)]
        self.assign(in_grad[0], req[0], out_grad[0] * self.by)
        self.assign(in_grad[0], "add", out_grad[1].reshape((1, 1)) * nd.ones(in_data[0].shape))


class ScaleProp(CustomOpProp):
    def __init__(self, by: str = "2") -> None:
        super().__init__(need_top_grad=True)
        self.by = float(by)

    def list_outputs(self) -> list[str]:
        return ["scaled", "total"]

    def infer_shape(self, in_shape: Any) -> Any:
        return in_shape, [in_shape[0], [1]]

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        return Scale(self.by)


class Center(CustomOp):
    """``x - mean``, where the mean moves in training; the gradient goes past it."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        if is_train:
            aux[0][:] = 0.5 * (aux[0] + in_data[0].mean())
        self.assign(out_data[0], req[0], (in_data[0] - aux[0]) * in_data[1])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * in_data[1])
        self.assign(in_grad[1], req[1], (out_grad[0] * out_data[0] / in_data[1]).sum(axis=0))
        aux[0][:] = aux[0] + 100


class CenterProp(CustomOpProp):
    def list_arguments(self) -> list[str]:
        return ["data", "weight"]

    def list_auxiliary_states(self) -> list[str]:
        return ["mean"]

    def infer_shape(self, in_shape: Any) -> Any:
        data = in_shape[0]
        return [data, data[1:]], [data], [[1]]

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        return Center()


def test_an_operator_of_two_outputs_and_its_gradient() -> None:
    x = nd.array([[1.0, 2.0, 3.0]])
    x.attach_grad()
    with autograd.record():
        scaled, total = nd.Custom(x, op_type="scale", by=1.5)
    autograd.backward([scaled, total], [nd.array([[1.0, 2.0, 3.0]]), nd.array([10.0])])
    np.testing.assert_allclose(scaled.asnumpy(), [[1.5, 3, 4.5]])
    np.testing.assert_allclose(total.asnumpy(), [6])
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.asnumpy(), [[11.5, 13, 14.5]])


def test_each_call_has_an_object_of_its_own() -> None:
    x, before = nd.ones((1, 2)), Scale.made
    nd.Custom(x, op_type="scale")
    nd.Custom(x, op_type="scale")
    assert Scale.made == before + 2


def test_parameters_are_texts() -> None:
    seen: dict[str, str] = {}

    @register("texts")
    class _Texts(ScaleProp):
        def __init__(self, **given: str) -> None:
            super().__init__()
            seen.update(given)

    nd.Custom(nd.ones((1, 1)), op_type="texts", shape=(2, 3), none=None, on=True, rate=0.5)
    assert seen == {"shape": "(2, 3)", "none": "None", "on": "True", "rate": "0.5"}


def test_states_change_forward_in_training_and_backward() -> None:
    x, weight, mean = nd.array([[1.0], [3.0]]), nd.array([2.0]), nd.array([0.0])
    weight.attach_grad()
    assert nd.Custom(x, weight, mean, op_type="center").asnumpy().ravel().tolist() == [2, 6]
    assert mean.asscalar() == 0
    with autograd.record():
        y = nd.Custom(data=x, weight=weight, mean=mean, op_type="center")
    assert mean.asscalar() == 1
    y.backward()
    assert mean.asscalar() == 101
    assert weight.grad is not None
    np.testing.assert_allclose(weight.grad.asnumpy(), [2])


def test_out_takes_the_result() -> None:
    y = nd.zeros((1, 2)), nd.zeros((1,))
    assert nd.Custom(nd.ones((1, 2)), op_type="scale", out=y) is y
    np.testing.assert_allclose(y[0].asnumpy(), [[2, 2]])


def test_dtypes_follow_the_first_input() -> None:
    scaled, total = nd.Custom(nd.ones((1, 2), dtype="float64"), op_type="scale")
    assert (scaled.dtype, total.dtype) == (np.float64, np.float64)


def test_gradients_of_gradients_are_refused() -> None:
    x = nd.ones((1, 2))
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="scale")[0]
        (dx,) = autograd.grad(y, x, create_graph=True)
        z = dx.sum()
    with pytest.raises(AutogradError, match="not differentiable"):
        z.backward()


def _failing(method: str) -> type[CustomOpProp]:
    def fail(self: Any, given: Any) -> Any:
        raise ValueError("too bad")

    return type("Failing", (ScaleProp,), {method: fail})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Custom: required parameter op_type is missing"),
        (
            {"op_type": "sale"},
            "Custom: no operator 'sale' is registered .*center.* scale.*; did you mean 'scale'",
        ),
        (
            {"op_type": "infer_shape"},
            r"Custom 'infer_shape': infer_shape failed on \[\[1, 2\]\].*bad",
        ),
        ({"op_type": "infer_type"}, "Custom 'infer_type': infer_type failed on .*: too bad"),
        ({"op_type": "short"}, r"Custom 'short': infer_shape returned \[1, 1, 0\]"),
        ({"op_type": "center"}, "Custom: input weight is missing"),
    ],
)
def test_errors_of_use(given: dict[str, str], message: str) -> None:
    register("infer_shape")(_failing("infer_shape"))
    register("infer_type")(_failing("infer_type"))
    register("short")(type("Short", (ScaleProp,), {"infer_shape": lambda self, s: (s, s)}))
    with pytest.raises(ArgumentError, match=message):
        nd.Custom(nd.ones((1, 2)), **given)


def test_an_error_in_forward_names_the_operator_and_is_kept() -> None:
    class Broken(Scale):
        def forward(self, *args: Any) -> None:
            raise ZeroDivisionError("oops")

    @register("broken")
    class _BrokenProp(ScaleProp):
        def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
            return Broken(1)

    with pytest.raises(Exception, match=r"Custom: .*ZeroDivisionError: oops") as found:
        nd.Custom(nd.ones((1, 2)), op_type="broken")
    assert isinstance(found.value.__cause__, ZeroDivisionError)


def test_only_properties_are_registered() -> None:
    with pytest.raises(ArgumentError, match="is not a subclass of CustomOpProp"):
        register("wrong")(Scale)  # type: ignore[type-var]


def test_what_is_not_defined_says_so() -> None:
    nothing: list[NDArray] = []
    with pytest.raises(NotImplementedError, match="CustomOp must define forward"):
        CustomOp().forward(True, [], nothing, nothing, nothing)
    with pytest.raises(NotImplementedError, match="CustomOp must define backward"):
        CustomOp().backward([], nothing, nothing, nothing, nothing, nothing)
    with pytest.raises(NotImplementedError, match="CustomOpProp must define create_operator"):
        CustomOpProp().create_operator(None, [], [])  # type: ignore[arg-type]


def test_the_default_property_is_of_one_input_and_one_output() -> None:
    prop = CustomOpProp()
    assert (prop.list_arguments(), prop.list_outputs()) == (["data"], ["output"])
    assert prop.list_auxiliary_states() == []
    assert prop.infer_shape([[2, 3]]) == ([[2, 3]], [[2, 3]], [])
    assert prop.infer_type([np.float64]) == ([np.float64], [np.float64], [])
    assert prop.declare_backward_dependency([1], [2], [3]) == [1, 2, 3]
    assert CustomOpProp(need_top_grad=False).declare_backward_dependency([1], [2], [3]) == [2, 3]


def test_assign_does_what_is_requested() -> None:
    op, x = CustomOp(), nd.array([1.0])
    for req, wanted in (("null", 1), ("add", 6), ("write", 5), ("inplace", 5)):
        op.assign(x, req, nd.array([5.0]))
        assert x.asscalar() == wanted


def test_operators_and_their_arguments_are_listed() -> None:
    assert {"Custom", "FullyConnected"} <= set(custom.get_all_registered_operators())
    found = custom.get_operator_arguments("Flatten")
    assert (found.narg, found.names, found.types) == (1, ["data"], ["NDArray-or-Symbol"])


TOPK_DTYPES = (
    "{'float16', 'float32', 'float64', 'int32', 'int64', 'uint8'},optional, default='float32'"
)


@pytest.mark.parametrize(
    ("op", "types"),
    [
        ("FullyConnected", ["int, required", *("boolean, optional, default=" + k for k in "01")]),
        ("Activation", ["{'relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'}, required"]),
        (
            "topk",
            [
                "int or None, optional, default='-1'",
                "int, optional, default='1'",
                "{'both', 'indices', 'mask', 'value'},optional, default='indices'",
                "boolean, optional, default=0",
                TOPK_DTYPES,
            ],
        ),
        ("transpose", ["Shape(tuple), optional, default=[]"]),
        ("clip", ["float, required", "float, required"]),
        ("Concat", ["int, required", "int, optional, default='1'"]),
        ("Custom", ["string"]),
    ],
)
def test_kinds_of_parameters_are_called_as_in_mxnet(op: str, types: list[str]) -> None:
    found = custom.get_operator_arguments(op).types
    assert [kind for kind in found if "Symbol" not in kind] == types


def test_docstrings_of_operators_name_the_choices_of_each_parameter() -> None:
    found: Any = nd.Activation.__doc__
    line = "act_type: {'relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'}, required"
    assert found.count(line) == 1
    assert found.startswith("Apply the activation function")
