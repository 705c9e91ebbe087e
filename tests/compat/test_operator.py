"""``mx.operator.NumpyOp`` and ``NDArrayOp``: operators as programs wrote them before CustomOp."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hy_ndarray.custom
import mxnet as mx

pytestmark = pytest.mark.filterwarnings("ignore:.*PythonOp has been deprecated")


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    before = dict(hy_ndarray.custom._REGISTRY)
    yield
    hy_ndarray.custom._REGISTRY.clear()
    hy_ndarray.custom._REGISTRY.update(before)


class Softmax(mx.operator.NumpyOp):
    """The loss layer of MXNet's example of NumpyOp."""

    def __init__(self) -> None:
        super().__init__(need_top_grad=False)

    def list_arguments(self) -> list[str]:
        return ["data", "label"]

    def infer_shape(self, in_shape: list[Any]) -> tuple[list[Any], list[Any]]:
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]]

    def forward(self, in_data: Any, out_data: Any) -> None:
        x, y = in_data[0], out_data[0]
        assert isinstance(x, np.ndarray)
        y[:] = np.exp(x - x.max(axis=1, keepdims=True))
        y /= y.sum(axis=1, keepdims=True)

    def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
        labels = in_data[1].astype(int)
        in_grad[0][:] = out_data[0]
        in_grad[0][np.arange(len(labels)), labels] -= 1


class Twice(mx.operator.NDArrayOp):
    def forward(self, in_data: Any, out_data: Any) -> None:
        assert isinstance(in_data[0], mx.nd.NDArray)
        out_data[0][:] = 2 * in_data[0]

    def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
        in_grad[0][:] = 2 * out_grad[0]


def test_an_operator_of_numpy_arrays_is_a_node_with_shapes_and_gradients() -> None:
    symbol = Softmax()(data=mx.sym.var("data"), name="sm")
    assert symbol.list_arguments() == ["data", "sm_label"]
    assert symbol.infer_shape(data=(2, 3))[:2] == ([(2, 3), (2,)], [(2, 3)])
    executor = symbol.simple_bind(mx.cpu(), data=(2, 3))
    executor.arg_dict["data"][:] = np.array([[1, 2, 3], [1, 1, 1]])
    executor.arg_dict["sm_label"][:] = np.array([0, 2])
    (y,) = executor.forward(is_train=True)
    expected = mx.nd.softmax(executor.arg_dict["data"]).asnumpy()
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-6)
    executor.backward()
    grad = executor.grad_dict["data"]
    assert grad is not None
    np.testing.assert_allclose(grad.asnumpy(), expected - [[1, 0, 0], [0, 0, 1]], rtol=1e-5)


def test_an_operator_of_ndarrays_takes_the_gradients_of_its_outputs() -> None:
    twice = Twice()
    assert twice.declare_backward_dependency([0], [1], [2]) == [0, 1, 2]
    symbol = twice.get_symbol(mx.sym.var("z"), name="tw")
    grad = mx.nd.ones(2)
    executor = symbol.bind(mx.cpu(), {"z": mx.nd.array([3, 4])}, {"z": grad}, grad_req="add")
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [6, 8]
    executor.backward([mx.nd.array([1, 10])])
    assert grad.asnumpy().tolist() == [3, 21]


def test_two_instances_of_a_class_are_two_operators() -> None:
    class Scaled(mx.operator.NumpyOp):
        def __init__(self, factor: float) -> None:
            super().__init__()
            self.factor = factor

        def forward(self, in_data: Any, out_data: Any) -> None:
            out_data[0][:] = self.factor * in_data[0]

    x = mx.sym.var("x")
    both = Scaled(2.0)(x) + Scaled(10.0)(x)
    assert both.eval(x=mx.nd.ones(1))[0].asnumpy().tolist() == [12]


def test_the_base_alone_makes_no_node() -> None:
    with pytest.warns(UserWarning, match="Please use CustomOp"):
        plain = mx.operator.PythonOp()
    with pytest.raises(NotImplementedError, match="derive it from NumpyOp or NDArrayOp"):
        plain(mx.sym.var("x"))
    assert (plain.list_arguments(), plain.list_outputs()) == (["data"], ["output"])
    assert plain.need_top_grad()
    out = [np.zeros(2)]
    plain.forward([np.ones(2)], out)
    assert out[0].tolist() == [1, 1]


def test_a_property_says_that_all_its_arrays_are_dense() -> None:
    prop = mx.operator.CustomOpProp()
    dense = ["default"]
    assert prop.infer_storage_type(["default", "default"]) == (dense * 2, dense, [])
    undefined = ["undefined"] * 2
    backward = prop.infer_storage_type_backward(dense, ["csr", "default"], dense, undefined, [])
    assert backward == (dense, dense * 2, dense, dense * 2, [])
    with pytest.raises(mx.MXNetError, match=r"input 0 has storage type 'csr'.*define"):
        prop.infer_storage_type(["csr", "default"])
