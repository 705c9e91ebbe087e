"""On CUDA devices recurrent layers are one call of cuDNN, whose numbers are those of the loop."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.torch import table
from hy_kernels.torch.nn.recurrent import _whole
from hy_ndarray.testing import TestedTable, check_operator
from hy_ndarray.testing.cases import CASES
from hy_ndarray.testing.op_case import OpCase

LAYERS: tuple[Callable[..., Any], ...] = (torch.rnn_relu, torch.rnn_tanh, torch.lstm, torch.gru)
LSTM = 2
HIDDEN, STEPS, BATCH, INPUTS = 5, 4, 3, 6
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}


class CuDNN:
    """Takes the calls of CUDA's tensors, on the CPU.

    What it keeps for the gradients tells whether it comes back unchanged.
    """

    def __init__(self, kept: int) -> None:
        self.kept = kept
        self.calls: list[str] = []

    def flat(self, weights: Any, *_: Any) -> torch.Tensor:
        return torch.cat([w.reshape(-1) for w in weights])

    def _run(self, x: Any, weights: Any, h: Any, c: Any, how: Any) -> Any:
        mode, _, _, layers, _, dropout, is_train, both, sizes, _ = how
        assert (dropout, is_train, sizes) == (0.0, True, [])
        state = h if mode != LSTM else (h, c)
        return LAYERS[mode](x, state, weights, True, layers, 0.0, False, both, False)

    def forward(self, x: Any, weights: Any, _: int, flat: Any, h: Any, c: Any, *how: Any) -> Any:
        self.calls.append("forward")
        assert torch.equal(flat, self.flat(weights))
        y, *ends = self._run(x, weights, h, c, how)
        saved = torch.arange(self.kept).remainder(251).to(torch.uint8)
        return y, ends[0], ends[1] if len(ends) > 1 else y.new_empty(0), saved, flat

    def backward(
        self, x: Any, weights: Any, _: int, __: Any, h: Any, c: Any, y: Any, *more: Any
    ) -> Any:
        self.calls.append("backward")
        dy, dh, dc, *how, saved, wanted = more
        assert wanted == [True, True, c is not None, True]
        assert torch.equal(saved, torch.arange(self.kept).remainder(251).to(torch.uint8))
        leaves = [
            t.detach().requires_grad_() for t in (x, h, *weights, *([] if c is None else [c]))
        ]
        own, rest = leaves[: 2 + len(weights)], leaves[2 + len(weights) :]
        with torch.enable_grad():
            result = self._run(own[0], own[2:], own[1], rest[0] if rest else None, how)
        torch.testing.assert_close(result[0], y)
        heads = [dy, dh, *([] if c is None else [dc])]
        grads = torch.autograd.grad(result, leaves, heads)
        dweights = list(grads[2 : 2 + len(weights)])
        return grads[0], grads[1], grads[-1] if c is not None else x.new_empty(0), dweights


@pytest.fixture(params=[64, 1 << 20], ids=["kept", "run again"])
def cudnn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> CuDNN:
    made = CuDNN(request.param)
    monkeypatch.setattr(_whole, "has_cudnn", lambda _: True)
    monkeypatch.setattr(_whole, "_saved_sizes", {})
    for name, function in (
        ("_cudnn_rnn", made.forward),
        ("_cudnn_rnn_backward", made.backward),
        ("_cudnn_rnn_flatten_weight", made.flat),
    ):
        monkeypatch.setattr(torch.ops.aten, name, function)
    return made


def rows() -> list[Any]:
    names = ("RNN", "_rnn_backward")
    return [pytest.param(case, id=str(case)) for case in CASES if case.op in names]


@pytest.mark.parametrize("case", rows())
def test_layers_of_cudnn_pass_the_suite(case: OpCase, cudnn: CuDNN) -> None:
    if case.op == "_rnn_backward":  # the row's reserve is the loop's
        cudnn.kept = 1 << 20
    assert check_operator(TestedTable("torch"), case)
    assert cudnn.calls or "projection" in str(case) or "clip" in str(case) or "length" in str(case)


@pytest.mark.parametrize("p", [0.0, 0.4])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("mode", GATES)
def test_one_call_gives_what_the_loop_gives(
    mode: str, both: bool, p: float, cudnn: CuDNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers, ways = 3, 1 + both
    draws = np.random.default_rng(3)
    rows = GATES[mode] * HIDDEN
    count = sum(
        ways * rows * ((ways * HIDDEN if k else INPUTS) + HIDDEN + 2) for k in range(layers)
    )
    shapes = [(STEPS, BATCH, INPUTS), (count,), *[(layers * ways, BATCH, HIDDEN)] * 2]
    inputs = [torch.from_numpy(draws.normal(size=s)) for s in shapes]
    data, parameters, state, memory = inputs
    more = (memory,) if mode == "lstm" else ()
    how = {
        "state_size": HIDDEN,
        "num_layers": layers,
        "bidirectional": both,
        "mode": mode,
        "p": p,
        "state_outputs": True,
        "projection_size": None,
        "lstm_state_clip_min": None,
        "lstm_state_clip_max": None,
        "lstm_state_clip_nan": False,
        "use_sequence_length": False,
    }

    def step() -> list[torch.Tensor]:
        forward, backward = (table().find(name) for name in ("rnn", "rnn_backward"))
        assert forward is not None
        assert backward is not None
        rng = torch.Generator().manual_seed(1)
        *ys, reserve = forward.function(
            data, parameters, state, *more, **how, is_train=True, rng=rng
        )
        dy, dh = torch.ones_like(ys[0]).cumsum(0), torch.ones_like(ys[1])
        ends = {"dstate": dh, **({"dstate_cell": 2 * dh} if more else {})}
        cell = {"state_cell": memory} if more else {}
        return [
            *ys,
            *backward.function(dy, data, parameters, state, reserve, **cell, **ends, **how),
        ]

    results = step()
    calls = layers if p else 1
    assert cudnn.calls.count("forward") >= calls
    assert cudnn.calls.count("backward") == calls
    if cudnn.kept == 64:
        assert cudnn.calls.count("forward") == calls, "nothing runs again"
    monkeypatch.setattr(_whole, "has_cudnn", lambda _: False)
    for one, other in zip(results, step(), strict=True):
        torch.testing.assert_close(one, other)
