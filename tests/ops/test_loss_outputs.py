"""Loss outputs divide their gradient as MXNet does, and take its shapes of labels."""

from math import prod
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ShapeError, autograd, cpu, nd
from hy_symbol import sym


def _gradient(op: str, data: nd.NDArray, *label: nd.NDArray, **params: Any) -> Any:
    """Of the operator on arrays; that of its graph is the same."""
    data.attach_grad()
    with autograd.record():
        y = getattr(nd, op)(data, *label, **params)
    y.backward()
    names = ("data", "label")[: 1 + len(label)]
    graph = getattr(sym, op)(*map(sym.var, names), **params)
    bound = dict(zip(names, (data, *label), strict=True))
    executor = graph.bind(cpu(), bound, {"data": nd.zeros(data.shape)}, {"data": "write"})
    executor.forward(is_train=True)
    executor.backward()
    assert data.grad is not None
    gradient = data.grad.asnumpy()
    np.testing.assert_array_equal(executor.grad_dict["data"].asnumpy(), gradient)
    return gradient


# MXNet flattens all axes but the last: one axis is one row.
@pytest.mark.parametrize(
    ("shape", "batch", "valid"),
    [
        ((6,), 12, 3),
        ((6, 1), 2, 3),
        ((6, 2), 2, 1.2),
        ((1,), 12, 12),
        ((2, 3, 2), 2, 1.2),
        ((2, 1, 3, 2), 2, 1.2),
    ],
)
def test_make_loss_counts_rows_as_mxnet(shape: tuple[int, ...], batch: float, valid: float) -> None:
    data = nd.arange(1, prod(shape) + 1).reshape(shape)
    for normalization, expected in (("null", 12), ("batch", batch), ("valid", valid)):
        options = {"grad_scale": 12.0, "valid_thresh": 2.5, "normalization": normalization}
        gradient = _gradient("MakeLoss", data, **options)
        np.testing.assert_allclose(gradient, np.full(shape, expected), rtol=1e-6)


@pytest.mark.parametrize("data", [(2, 3, 4), (2, 3, 4, 5), (2, 3)])
@pytest.mark.parametrize("op", ["SoftmaxOutput", "Softmax"])
def test_softmax_output_takes_labels_that_keep_an_axis_of_one_class(
    op: str, data: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(3)
    x, label = nd.array(rng.normal(size=data)), rng.integers(0, 3, (data[0], 1, *data[2:]))
    options = {"multi_output": True, "use_ignore": True, "ignore_label": 2.0}
    flat = label.reshape(data[0], -1)
    gradients = [_gradient(op, x, nd.array(y), **options) for y in (label, flat)]
    np.testing.assert_array_equal(gradients[0], gradients[1])
    assert np.any(gradients[0])
    graph = getattr(sym, op)(sym.var("data"), sym.var("label"), multi_output=True)
    assert graph.infer_shape(data=data, label=label.shape)[0] == [data, label.shape]


def test_softmax_output_names_every_shape_a_label_may_have() -> None:
    graph = sym.SoftmaxOutput(sym.var("data"), sym.var("label"), multi_output=True)
    wanted = (
        r"label \(2, 4, 1\) must be \(2, 3, 2, 2\) or \(2, 4\) or \(2, 2, 2\) or \(2, 1, 2, 2\)"
    )
    with pytest.raises(ShapeError, match=wanted):
        graph.infer_shape(data=(2, 3, 2, 2), label=(2, 4, 1))


def test_softmax_output_counts_every_label_even_those_it_does_not_read() -> None:
    data = nd.array([[[0, 1], [2, 0], [1, 1]]] * 2)
    label = nd.array([[5, 0, 1], [0, 5, 5]])  # three for each row of six classes
    whole = _gradient("SoftmaxOutput", data, label)
    for normalization, use in (("batch", 6), ("valid", 3)):
        options = {"normalization": normalization, "ignore_label": 5.0}
        part = _gradient("SoftmaxOutput", data, label, **options)
        np.testing.assert_allclose(part, whole / use, rtol=1e-6)


# The numbers are MXNet's.
@pytest.mark.parametrize(
    ("use_linear", "expected"), [(False, [45.0235, 85.2194]), (True, [21, 43])]
)
def test_svm_output_takes_data_of_any_number_of_axes(
    use_linear: bool, expected: list[float]
) -> None:
    rng = np.random.RandomState(0)
    rng.randn(2, 3), rng.randint(0, 3, 2)
    sums = []
    for shape in ((2, 3, 4), (2, 3, 2, 5)):
        data, label = nd.array(rng.randn(*shape)), nd.array(rng.randint(0, shape[-1], shape[:-1]))
        gradient = _gradient("SVMOutput", data, label, margin=0.5, use_linear=use_linear)
        sums.append(np.abs(gradient).sum())
    np.testing.assert_allclose(sums, expected, rtol=1e-5)


def test_svm_output_of_one_sample_needs_no_axis_of_samples() -> None:
    gradient = _gradient("SVMOutput", nd.array([1, 0.5, -1]), nd.array(1), use_linear=True)
    np.testing.assert_array_equal(gradient, [1, -1, 0])
