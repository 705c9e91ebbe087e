"""Automatic differentiation: scopes, what backward does with gradients, gradients of gradients."""

import threading
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, AutogradError, NDArray, autograd, cpu, device_of, nd
from tests.ndarray.variables import VALUES, gradient, modes, recorded, variable

# --- scopes -----------------------------------------------------------------------------------


def test_each_scope_sets_recording_and_training() -> None:
    assert modes() == (False, False)
    with autograd.record():
        assert modes() == (True, True)
        with autograd.predict_mode():
            assert modes() == (True, False)
        with autograd.pause():
            assert modes() == (False, False)
        with autograd.pause(train_mode=True):
            assert modes() == (False, True)
        assert modes() == (True, True)
    with autograd.record(train_mode=False):
        assert modes() == (True, False)
        with autograd.train_mode():
            assert modes() == (True, True)
    with autograd.train_mode():
        assert modes() == (False, True)
    assert modes() == (False, False)


def test_a_scope_ends_with_an_exception() -> None:
    with pytest.raises(KeyError), autograd.record():
        raise KeyError
    assert modes() == (False, False)


def test_one_scope_object_can_be_entered_again() -> None:
    scope = autograd.record()
    with scope, autograd.pause(), scope:
        assert modes() == (True, True)
    assert modes() == (False, False)


def test_modes_can_be_switched_without_a_scope() -> None:
    assert autograd.set_recording(True) is False
    assert autograd.set_training(True) is False
    assert modes() == (True, True)
    assert autograd.set_recording(False) is True
    assert autograd.set_training(False) is True


def test_every_thread_has_its_own_modes() -> None:
    seen: list[tuple[bool, bool]] = []
    with autograd.record():
        thread = threading.Thread(target=lambda: seen.append(modes()))
        thread.start()
        thread.join()
    assert seen == [(False, False)]


def test_dropout_drops_in_training_mode_only() -> None:
    x = nd.ones((1000,))
    with autograd.record():
        assert (nd.Dropout(x, p=0.5).asnumpy() == 0).any()
        with autograd.predict_mode():
            assert (nd.Dropout(x, p=0.5).asnumpy() == 1).all()
    assert (nd.Dropout(x, p=0.5).asnumpy() == 1).all()


# --- backward ---------------------------------------------------------------------------------


def test_backward_puts_the_gradient_where_the_variable_keeps_it() -> None:
    x = variable()
    kept = x.grad
    recorded(lambda: x * x).backward()
    assert x.grad is kept
    np.testing.assert_array_equal(gradient(x), 2 * VALUES)


def test_write_replaces_and_add_adds() -> None:
    x, total = variable(), variable(req="add")
    for factor in (1, 2, 3):
        with autograd.record():
            y = x * factor + total * factor
        y.backward()
    np.testing.assert_array_equal(gradient(x), np.full((2, 3), 3))
    np.testing.assert_array_equal(gradient(total), np.full((2, 3), 6))


def test_null_keeps_no_gradient() -> None:
    x, w = variable(req="null"), variable()
    recorded(lambda: x * w).backward()
    assert x.grad is None
    np.testing.assert_array_equal(gradient(w), VALUES)
    w.drop_grad()
    assert w.grad is None


def test_gradients_of_all_paths_are_added() -> None:
    x = variable()
    recorded(lambda: x * x + x * 3 - x).backward()
    np.testing.assert_array_equal(gradient(x), 2 * VALUES + 2)


def test_head_gradients_weigh_the_elements() -> None:
    x = variable()
    weights = np.arange(6, dtype="float32").reshape(2, 3)
    recorded(lambda: x * 2).backward(nd.array(weights))
    np.testing.assert_array_equal(gradient(x), 2 * weights)


def test_several_heads_are_differentiated_together() -> None:
    x = variable()
    y, z = recorded(lambda: (x * 2, x * x))
    autograd.backward([y, z], [None, nd.full(z.shape, 3)])
    np.testing.assert_array_equal(gradient(x), 2 + 6 * VALUES)


def test_one_of_several_outputs_can_be_the_head() -> None:
    x = variable([1, 2, 3, 4])
    first, _ = recorded(lambda: nd.split(x * x, num_outputs=2, axis=0))
    first.backward()
    assert gradient(x).tolist() == [2, 4, 0, 0]


def test_a_variable_is_its_own_graph() -> None:
    x = variable()
    x.backward()
    np.testing.assert_array_equal(gradient(x), np.ones((2, 3)))


def test_what_is_paused_or_detached_is_constant() -> None:
    x = variable()
    with autograd.record():
        y = x * 2
        with autograd.pause():
            squared = y * y
        z = y * squared + x * y.detach() + nd.BlockGrad(x)
    z.backward()
    np.testing.assert_allclose(gradient(x), 2 * (2 * VALUES) ** 2 + 2 * VALUES)


@pytest.mark.parametrize(
    "constant",
    [nd.BlockGrad, nd.sign, nd.floor, lambda x: x > 1],
)
def test_where_no_gradient_flows_it_is_zero(constant: Callable[[NDArray], Any]) -> None:
    x = variable()
    recorded(lambda: x * 5).backward()
    recorded(lambda: constant(x) * 2).backward()
    np.testing.assert_array_equal(gradient(x), np.zeros((2, 3)))


def test_a_gradient_has_the_dtype_of_its_variable() -> None:
    x, i = variable(), nd.array([1, 2], dtype="int32")
    i.attach_grad()
    recorded(lambda: x.astype("float64") * 2).backward()
    recorded(lambda: i * 2).backward()
    assert gradient(x).dtype == np.float32
    np.testing.assert_array_equal(gradient(i), np.array([2, 2], "int32"))


def test_attach_grad_cuts_the_graph() -> None:
    x = variable()
    y = recorded(lambda: x * 2)
    y.attach_grad()
    recorded(lambda: y * 3).backward()
    np.testing.assert_array_equal(gradient(y), np.full((2, 3), 3))
    np.testing.assert_array_equal(gradient(x), np.zeros((2, 3)))


@pytest.mark.skipif(
    device_of(cpu()).table.name != "numpy", reason="tracemalloc sees the memory of numpy alone"
)
def test_a_gradient_takes_memory_when_it_is_first_needed() -> None:
    x = nd.ones((1 << 18,))
    tracemalloc.start()
    try:
        x.attach_grad()
        before, _ = tracemalloc.get_traced_memory()
        kept = x.grad
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept is not None
    assert before < kept.size < after


def test_threads_that_ask_at_once_get_one_gradient() -> None:
    def asked(x: NDArray, barrier: threading.Barrier) -> NDArray | None:
        barrier.wait()
        return x.grad

    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            x, barrier = nd.ones((4,)), threading.Barrier(8)
            x.attach_grad()
            waited = [pool.submit(asked, x, barrier) for _ in range(8)]
            assert {id(each.result()) for each in waited} == {id(x.grad)}


def test_a_gradient_that_is_first_read_while_recording_is_no_part_of_the_graph() -> None:
    x = variable()
    y = recorded(lambda: x * x)
    with autograd.record():
        y.attach_grad()
        kept = y.grad
    assert kept is not None
    assert not kept.in_graph


def test_gradients_can_be_kept_in_arrays_of_ones_own() -> None:
    x, kept = nd.array(VALUES), nd.full((2, 3), 9)
    autograd.mark_variables([x], [kept])
    recorded(lambda: x * x).backward()
    np.testing.assert_array_equal(kept.asnumpy(), 2 * VALUES)
    autograd.mark_variables([x], [kept], ["add"])
    recorded(lambda: x * x).backward()
    np.testing.assert_array_equal(kept.asnumpy(), 4 * VALUES)


def test_a_long_chain_needs_no_deep_stack() -> None:
    x = y = variable([1.0])
    with autograd.record():
        for _ in range(5000):
            y = y * 1.0
    y.backward()
    assert gradient(x).tolist() == [1]


# --- again ------------------------------------------------------------------------------------


def test_a_graph_is_freed_unless_it_is_retained() -> None:
    x = variable()
    y = recorded(lambda: nd.sum(x**3))
    y.backward(retain_graph=True)
    first = gradient(x)
    y.backward()
    np.testing.assert_array_equal(gradient(x), first)
    with pytest.raises(AutogradError, match="retain_graph=True"):
        y.backward()


def test_a_freed_graph_lets_go_of_its_arrays() -> None:
    x = variable()
    with autograd.record():
        y = x * x
        z = y * y
    z.backward()
    with pytest.raises(AutogradError, match="freed by an earlier backward pass"):
        y.backward()


def test_arrays_of_a_freed_graph_are_constants_in_a_later_recording() -> None:
    x = variable()
    y = recorded(lambda: x * x)
    y.backward()
    recorded(lambda: nd.sum(y * x)).backward()
    np.testing.assert_array_equal(gradient(x), VALUES**2)


def test_states_go_from_one_recording_to_the_next_without_their_graph() -> None:
    x, state = variable(), nd.ones((1,))
    for _ in range(3):
        with autograd.record():
            state = nd.sum(x) * state
        state.backward()
    np.testing.assert_allclose(gradient(x), np.full_like(VALUES, VALUES.sum() ** 2), rtol=1e-6)


def test_what_depends_on_a_freed_graph_alone_is_in_no_graph() -> None:
    y = recorded(lambda: variable() ** 2)
    y.backward()
    z = recorded(lambda: y * 2)
    assert not z.in_graph
    with pytest.raises(AutogradError, match="retain_graph=True"):
        z.backward()


def test_arrays_of_a_freed_graph_can_be_written_to_while_recording() -> None:
    x = variable()
    y = recorded(lambda: x * x)
    y.backward()
    with autograd.record():
        y[:] = 3
        z = y * x
    z.backward()
    np.testing.assert_array_equal(gradient(x), np.full_like(VALUES, 3))


# --- grad -------------------------------------------------------------------------------------


def test_grad_returns_gradients_and_leaves_those_of_the_variables_alone() -> None:
    x, y = variable(), variable(VALUES + 1)
    dx, dy = autograd.grad(recorded(lambda: x * y), [x, y])
    np.testing.assert_array_equal(dx.asnumpy(), VALUES + 1)
    np.testing.assert_array_equal(dy.asnumpy(), VALUES)
    np.testing.assert_array_equal(gradient(x), np.zeros((2, 3)))


def test_grad_of_one_variable_is_a_list_of_one() -> None:
    x = variable()
    (dx,) = autograd.grad(recorded(lambda: x * x), x, head_grads=nd.full((2, 3), 10))
    np.testing.assert_array_equal(dx.asnumpy(), 20 * VALUES)


# --- gradients of gradients -------------------------------------------------------------------

# Function, its second derivative; MXNet 1.9.1 has the wrong sign for arcsinh and arccosh.
SECOND: dict[str, tuple[Callable[[NDArray], Any], Callable[[Any], Any]]] = {
    "x**3": (lambda x: x**3, lambda x: 6 * x),
    "1/x": (lambda x: 1 / x, lambda x: 2 / x**3),
    "x*x": (lambda x: x * x, lambda x: 2 * np.ones_like(x)),
    "exp": (nd.exp, np.exp),
    "log": (nd.log, lambda x: -1 / x**2),
    "sin": (nd.sin, lambda x: -np.sin(x)),
    "tanh": (nd.tanh, lambda x: -2 * np.tanh(x) / np.cosh(x) ** 2),
    "sigmoid": (
        nd.sigmoid,
        lambda x: (s := 1 / (1 + np.exp(-x))) * (1 - s) * (1 - 2 * s),
    ),
    "arcsinh": (nd.arcsinh, lambda x: -x / (x * x + 1) ** 1.5),
    "arccosh": (nd.arccosh, lambda x: -x / (x * x - 1) ** 1.5),
    "radians": (nd.radians, np.zeros_like),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name: str) -> None:
    compute, expected = SECOND[name]
    values = np.array([1.25, 1.5, 2.0])
    x = nd.array(values, dtype="float64")
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(compute(x), x, create_graph=True)
    first.backward()
    np.testing.assert_allclose(gradient(x), expected(values), rtol=1e-6)


def test_third_derivatives() -> None:
    x = variable([2.0])
    with autograd.record():
        (first,) = autograd.grad(x**4, x, create_graph=True)
        (second,) = autograd.grad(first, x, create_graph=True)
    second.backward()
    assert gradient(x).tolist() == [48]


def test_a_gradient_penalty() -> None:
    x, w = variable([[1.0, 2.0]]), variable([[3.0], [4.0]])
    with autograd.record():
        (dx,) = autograd.grad(nd.dot(x, w), x, create_graph=True)
        penalty = (dx * dx).sum()
    penalty.backward()
    assert gradient(w).tolist() == [[6], [8]]


def test_backward_with_create_graph_links_what_the_variables_keep() -> None:
    x = variable([3.0])
    autograd.backward(recorded(lambda: x**3), create_graph=True)
    first = x.grad
    assert first is not None
    (second,) = autograd.grad(first, x)
    assert (first.asscalar(), second.asscalar()) == (27, 18)


# --- errors -----------------------------------------------------------------------------------


def test_only_what_was_recorded_can_be_differentiated() -> None:
    x = variable()
    for head in (x * 2, nd.ones((2,)), recorded(lambda: x.detach() * 2)):
        with pytest.raises(AutogradError, match="not computed from variables"):
            head.backward()


def test_grad_needs_heads_that_depend_on_the_variables() -> None:
    x, other = variable(), variable()
    with pytest.raises(AutogradError, match=r"do not depend on variable 1 \(2, 3\)"):
        autograd.grad(recorded(lambda: x * 2), [x, other])
    with pytest.raises(AutogradError, match="do not depend on variable 0"):
        autograd.grad(recorded(lambda: x * 2), nd.ones((1,)))


@pytest.mark.parametrize(
    ("head_grads", "message"),
    [
        ([None, None], "1 heads but 2 head gradients"),
        (nd.ones((3,)), r"head gradient \(3,\) must have the shape of its head, \(2, 3\)"),
        (1.0, "head gradient 0 must be an NDArray, got a float"),
        (np.ones((2, 3)), "head gradient 0 must be an NDArray, got a numpy array"),
    ],
    ids=["count", "shape", "number", "numpy"],
)
def test_head_gradients_fit_the_heads(head_grads: Any, message: str) -> None:
    x = variable()
    with pytest.raises(AutogradError, match=message):
        autograd.backward(recorded(lambda: x * 2), head_grads)


def test_gradients_of_what_is_no_array_are_refused() -> None:
    x = nd.ones((2,))
    calls: list[Callable[[Any], Any]] = [
        lambda y: autograd.mark_variables(y, x),
        lambda y: autograd.mark_variables([x], [y]),
        lambda y: autograd.backward([y]),
        lambda y: autograd.grad(variable() * 2, y),
    ]
    for call in calls:
        for other in (3, None, [[x]]):
            with pytest.raises(ArgumentError, match="expected an NDArray, got "):
                call(other)
    assert not x.in_graph


def test_no_variable_is_marked_where_one_request_is_wrong() -> None:
    x, y = nd.ones((2,)), nd.ones((2,))
    with pytest.raises(AutogradError, match="grad_req 'wirte'"):
        autograd.mark_variables([x, y], [x, y], ["write", "wirte"])
    assert not x.in_graph


def test_variables_need_gradients_and_a_known_request() -> None:
    x = nd.ones((2,))
    with pytest.raises(AutogradError, match="grad_req 'wirte' is not 'write'"):
        x.attach_grad("wirte")
    with pytest.raises(AutogradError, match="2 variables, 1 gradients"):
        autograd.mark_variables([x, x], [x])
    with pytest.raises(ArgumentError, match="stype='rows' is not a storage type"):
        x.attach_grad(stype="rows")
    with pytest.raises(AutogradError, match="no arrays to differentiate"):
        autograd.backward([])


def test_replay_goes_through_the_calls_that_made_an_array() -> None:
    x, offset = nd.array([1.0, 2.0]), nd.array([3.0, 4.0])
    x.attach_grad()
    with autograd.record():
        y = (x * x + offset).exp()
    seen = []

    def call(op: Any, inputs: Any, params: Any) -> list[str]:
        seen.append(op.name)
        return [f"{op.name}({', '.join(inputs)})"]

    names = iter("ab")
    text = autograd.replay(y, lambda: next(names), call)
    product, total, power = seen
    assert text == f"{power}({total}({product}(a, a), b))"


def test_replay_refuses_what_is_in_no_graph_or_made_by_a_function() -> None:
    class Twice(autograd.Function):
        def forward(self, x: Any) -> Any:
            return x * 2

    with pytest.raises(AutogradError, match="not part of a recorded graph"):
        autograd.replay(nd.ones(2), lambda: 0, lambda *_: [0])
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = Twice()(x)
    with pytest.raises(AutogradError, match="no operator in a symbol"):
        autograd.replay(y, lambda: 0, lambda *_: [0])


@pytest.mark.parametrize("head", [[1, 2, 3], [[1, 2, 3]], [1, 2, 3, 4, 5]])
def test_head_gradients_of_another_shape_are_taken_element_by_element(head: list[Any]) -> None:
    x = nd.ones((3, 1))
    x.attach_grad()
    with autograd.record():
        y = x * 2
    y.backward(nd.array(head))
    assert x.grad is not None
    assert x.grad.asnumpy().tolist() == [[2], [4], [6]]
