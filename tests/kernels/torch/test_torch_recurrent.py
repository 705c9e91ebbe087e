"""Recurrent layers by oneDNN or large enough for packed weights give what the numpy table gives."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.torch.nn.recurrent import _fused_lstm
from hy_kernels.torch.nn.recurrent._workspaces import Workspaces
from hy_ndarray import autograd, nd, use_kernels

STEPS, BATCH, INPUTS, HIDDEN = 6, 32, 100, 160
GATES = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "lstm": 4}


def _run(table: str, mode: str) -> list[Any]:
    rng = np.random.default_rng(2)
    count = GATES[mode] * HIDDEN * (INPUTS + HIDDEN + 2)
    shapes = [(STEPS, BATCH, INPUTS), (count,), (1, BATCH, HIDDEN)]
    shapes += [(1, BATCH, HIDDEN)] if mode == "lstm" else []
    values = [rng.uniform(-0.3, 0.3, shape).astype("float32") for shape in shapes]
    with use_kernels(table):
        arrays = [nd.array(value) for value in values]
        for array in arrays:
            array.attach_grad()
        with autograd.record():
            data, parameters, state, *memory = arrays
            how: Any = {"state_size": HIDDEN, "num_layers": 1, "mode": mode}
            y = nd.RNN(data, parameters, state, memory[0] if memory else None, **how)
        y.backward(nd.array(rng.standard_normal(y.shape)))
        gradients = [array.grad for array in arrays]
        return [y.asnumpy(), *(g.asnumpy() for g in gradients if g is not None)]


@pytest.mark.parametrize("mode", GATES)
def test_large_layers_agree_with_numpy(mode: str) -> None:
    for ours, theirs in zip(_run("torch", mode), _run("numpy", mode), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4 * np.abs(theirs).max())


@pytest.mark.parametrize("guard", [torch.no_grad, torch.inference_mode])
def test_gradients_are_found_where_torch_records_nothing(guard: Any) -> None:
    wanted = _run("torch", "lstm")
    with guard():
        for ours, theirs in zip(_run("torch", "lstm"), wanted, strict=True):  # sums in any order
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * np.abs(theirs).max())


def _stacked(table: str, how: Any, lengths: Any = None) -> list[Any]:
    """Results and all gradients of two layers in both directions, states included."""
    steps, batch, size, rng = 5, 3, 7, np.random.default_rng(3)
    count = sum(2 * 4 * size * (inputs + size + 2) for inputs in (11, 2 * size))
    shapes = [(steps, batch, 11), (count,), (4, batch, size), (4, batch, size)]
    values = [rng.uniform(-1, 1, shape).astype("float32") for shape in shapes]
    with use_kernels(table):
        arrays = [nd.array(value) for value in values]
        for array in arrays:
            array.attach_grad()
        more = () if lengths is None else (nd.array(lengths),)
        with autograd.record():
            y, state, memory = nd.RNN(
                *arrays,
                *more,
                state_size=size,
                num_layers=2,
                bidirectional=True,
                mode="lstm",
                state_outputs=True,
                **how,
            )
            total = (y * y).sum() + (state * 2).sum() + (memory * state).sum()
        total.backward()
        gradients = [array.grad for array in arrays]
        seen = y, state, memory, *(g for g in gradients if g is not None)
        return [each.asnumpy() for each in seen]


@pytest.mark.parametrize(
    ("how", "lengths"),
    [
        ({}, None),
        ({"lstm_state_clip_min": -0.1, "lstm_state_clip_max": 0.1}, None),
        ({"use_sequence_length": True}, [5, 2, 1]),
    ],
)
def test_lstm_layers_in_both_directions_agree_with_numpy(how: Any, lengths: Any) -> None:
    ours, theirs = _stacked("torch", how, lengths), _stacked("numpy", how, lengths)
    assert len(ours) == 7
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_an_lstm_of_few_and_of_many_steps_is_one_function() -> None:
    """Rows of one step alone are too few for oneDNN, those of all steps together are not."""
    rng, size = np.random.default_rng(4), 6
    values = [rng.uniform(-1, 1, shape) for shape in [(8, 1, 5), (4 * size * (5 + size + 2),)]]
    with use_kernels("torch"):
        data, parameters = (nd.array(value) for value in values)
        how: Any = {"state_size": size, "num_layers": 1, "mode": "lstm", "state_outputs": True}
        start = [nd.zeros((1, 1, size)) for _ in range(2)]
        whole, *ends = nd.RNN(data, parameters, *start, **how)
        states, steps = start, []
        for x in data:
            y, *states = nd.RNN(x.expand_dims(0), parameters, *states, **how)
            steps.append(y)
        for one, other in zip((whole, *ends), (nd.concat(*steps, dim=0), *states), strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_layer_runs_once_where_its_workspace_is_still_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = []
    forward = _fused_lstm._forward

    def counted(*args: Any, **how: Any) -> Any:
        runs.append(how["keep"])
        return forward(*args, **how)

    monkeypatch.setattr(_fused_lstm, "_forward", counted)
    once = _stacked("torch", {})
    assert runs == [True] * 4
    monkeypatch.setattr(_fused_lstm, "_workspaces", Workspaces(0))
    again = _stacked("torch", {})
    assert runs == [True] * 12
    for one, other in zip(once, again, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)


def test_gradients_may_be_asked_for_again_and_of_an_earlier_pass() -> None:
    how: Any = {"state_size": 4, "num_layers": 1, "mode": "lstm"}
    rng = np.random.default_rng(5)
    shapes = (7, 2, 3), (4 * 4 * (3 + 4 + 2),)
    with use_kernels("torch"):
        data, parameters = (nd.array(rng.uniform(-1, 1, shape)) for shape in shapes)
        start = [nd.zeros((1, 2, 4)) for _ in range(2)]
        parameters.attach_grad()
        found = []
        with autograd.record():
            first, second = (
                (nd.RNN(x, parameters, *start, **how) ** 2).sum() for x in (data, data * 2)
            )
        for loss in (first, second, first, second):
            loss.backward(retain_graph=True)
            assert parameters.grad is not None
            found.append(parameters.grad.asnumpy())
        np.testing.assert_allclose(found[0], found[2], rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(found[1], found[3], rtol=1e-6, atol=1e-7)
        assert not np.allclose(found[0], found[1])


def test_workspaces_are_dropped_from_the_oldest_on() -> None:
    workspaces = Workspaces(20)
    numbers = [workspaces.keep((torch.full((2,), float(i)),)) for i in range(4)]
    assert len(set(numbers)) == 4
    assert 0 not in numbers
    assert [workspaces.take(number) is None for number in numbers] == [True, True, False, False]
    large = workspaces.keep((torch.zeros(6),))
    assert workspaces.take(large) is None
