"""Recurrent layers large enough for packed weights give what the numpy table gives."""

from typing import Any

import numpy as np
import pytest

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
