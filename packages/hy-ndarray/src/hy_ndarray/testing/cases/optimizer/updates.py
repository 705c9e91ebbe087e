"""Cases of optimizers' updates: the returned weights; ``test_update`` checks the states."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

DRAW = np.random.default_rng(3)


def _g(grad: Any, *, rescale_grad: float = 1, clip_gradient: float = -1, plus: Any = 0.0) -> Any:
    g = grad * rescale_grad + plus
    return np.clip(g, -clip_gradient, clip_gradient) if clip_gradient >= 0 else g


def _sgd(w: Any, grad: Any, *, lr: float, wd: float = 0, **rest: Any) -> Any:
    return w - lr * (_g(grad, **rest) + wd * w)


def _sgd_mom(
    w: Any, grad: Any, mom: Any, *, lr: float, momentum: float = 0, wd: float = 0, **rest: Any
) -> Any:
    return w + momentum * mom - lr * (_g(grad, **rest) + wd * w)


def _nag(
    w: Any, grad: Any, mom: Any, *, lr: float, momentum: float = 0, wd: float = 0, **rest: Any
) -> Any:
    g = lr * (_g(grad, **rest) + wd * w)
    return w + momentum * (momentum * mom - g) - g


def _signum(w: Any, grad: Any, mom: Any, *, lr: float, momentum: float, wd_lh: float) -> Any:
    return (1 - lr * wd_lh) * w + lr * np.sign(momentum * mom - (1 - momentum) * grad)


def _direction(
    w: Any, g: Any, mean: Any, var: Any, wd: float, t: int = 0, eps: float = 1e-6
) -> Any:
    mean, var = 0.9 * mean + 0.1 * g, 0.999 * var + 0.001 * g * g
    first, second = (1 - 0.9**t, 1 - 0.999**t) if t else (1, 1)
    return mean / first / (np.sqrt(var / second) + eps) + wd * w


def _adam(w: Any, grad: Any, mean: Any, var: Any, *, lr: float, wd: float = 0, **rest: Any) -> Any:
    g = _g(grad, plus=wd * w, **rest)
    return w - lr * _direction(w, g, mean, var, 0, 0, 1e-8)


def _adamw(
    w: Any,
    grad: Any,
    mean: Any,
    var: Any,
    scale: Any,
    *,
    lr: float,
    eta: float,
    wd: float = 0,
    clip_gradient: float = -1,
) -> Any:
    if not np.isfinite(scale) or scale == 0:
        return w
    g = _g(grad, rescale_grad=scale, clip_gradient=clip_gradient)
    return w - eta * lr * _direction(w, g, mean, var, 0, 0, 1e-8) - eta * wd * w


def _ftml(w: Any, grad: Any, d: Any, v: Any, z: Any, *, lr: float, t: int, wd: float = 0) -> Any:
    g = grad + wd * w
    v = 0.999 * v + 0.001 * g * g
    new = (1 - 0.6**t) / lr * (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return -(0.6 * z + 0.4 * g - (new - 0.6 * d) * w) / new


def _ftrl(
    w: Any, grad: Any, z: Any, n: Any, *, lr: float, lamda1: float = 0.01, wd: float = 0
) -> Any:
    z = z + grad - (np.sqrt(n + grad**2) - np.sqrt(n)) * w / lr
    new = (np.sign(z) * lamda1 - z) / ((1 + np.sqrt(n + grad**2)) / lr + wd)
    return np.where(np.abs(z) > lamda1, new, 0)


def _rmsprop(
    w: Any, grad: Any, n: Any, *, lr: float, wd: float = 0, clip_weights: float = -1
) -> Any:
    g = grad + wd * w
    new = w - lr * g / np.sqrt(0.95 * n + 0.05 * g * g + 1e-8)
    return np.clip(new, -clip_weights, clip_weights) if clip_weights >= 0 else new


def _rmspropalex(w: Any, grad: Any, n: Any, mean: Any, delta: Any, *, lr: float) -> Any:
    n, mean = 0.95 * n + 0.05 * grad**2, 0.95 * mean + 0.05 * grad
    return w + 0.9 * delta - lr * grad / np.sqrt(n - mean**2 + 1e-8)


def _adagrad(w: Any, grad: Any, history: Any, *, lr: float, wd: float = 0) -> Any:
    return w - lr * (grad / np.sqrt(history + grad**2 + 1e-7) + wd * w)


def _group_adagrad(w: Any, grad: Any, history: Any, *, lr: float) -> Any:
    return w - lr * grad / np.sqrt(history + (grad**2).mean(1, keepdims=True) + 1e-5)


def _lamb1(w: Any, grad: Any, mean: Any, var: Any, *, t: int, wd: float, **rest: Any) -> Any:
    bias = rest.pop("bias_correction", True)
    return _direction(w, _g(grad, **rest), mean, var, wd, t if bias else 0)


def _lamb2(
    w: Any,
    g: Any,
    r1: Any,
    r2: Any,
    *,
    lr: float,
    lower_bound: float = 0.0,
    upper_bound: float = np.inf,
) -> Any:
    r1 = np.clip(r1, lower_bound, upper_bound)
    return w - lr * g * (r1 / r2 if r1 * r2 else 1)


def _lamb(w: Any, grad: Any, mean: Any, var: Any, *, lr: float, t: int, wd: float) -> Any:
    d = _lamb1(w, grad, mean, var, t=t, wd=wd)
    return _lamb2(w, d, np.linalg.norm(w), np.linalg.norm(d), lr=lr)


def _mp_lamb(
    w: Any, grad: Any, mean: Any, var: Any, half: Any, *, lr: float, t: int, wd: float
) -> Any:
    """Return LAMB's results as measured in MXNet 1.9.1, with the norm of the 16-bit weight."""
    d = _lamb1(w, grad, mean, var, t=t, wd=wd)
    return _lamb2(w, d, np.linalg.norm(half), np.linalg.norm(d), lr=lr)


def _lars(lrs: Any, w: Any, g: Any, wds: Any, *, eta: float, eps: float) -> Any:
    trust = eta * np.sqrt(w) / (np.sqrt(g) + wds * np.sqrt(w) + eps)
    return lrs * np.where((w > 0) & (g > 0), trust, 1)


def _mixed(*kinds: str) -> dict[int, Any]:
    """Return inputs by kind: ``h`` float16, ``f`` float32, ``p`` positive float32, ``1`` number."""
    states: dict[int, Any] = {}
    for i, kind in enumerate(kinds):
        values = DRAW.uniform(0.5, 2, 1) if kind == "1" else DRAW.uniform(-2, 2, (2, 3))
        values = np.abs(values) if kind == "p" else values
        states[i] = values.astype(np.float16 if kind == "h" else np.float32)
    return states


def _unlike(inputs: dict[int, Any]) -> dict[int, Any]:
    """Return the inputs with the second half cut to another shape."""
    return {i: x if 2 * i < len(inputs) else x[:1] for i, x in inputs.items()}


def _half(step: Any, *order: int) -> Any:
    """Return the expected-value function of ``step``: computed in float64, rounded to float16."""

    def expected(*inputs: Any, **params: Any) -> Any:
        wide = [inputs[i].astype(np.float64) for i in order]
        return np.asarray(step(*wide, **params)).astype(np.float16)

    return expected


def _many(step: Any, group: int, *order: int, tail: int = 0) -> Any:
    """Return the expected-value function of ``step`` applied to each group of inputs.

    The last ``tail`` inputs are passed with every group.
    """

    def expected(*inputs: Any, **params: Any) -> Any:
        del params[next(name for name in params if name.startswith("num_"))]
        results = []
        end = len(inputs) - tail
        for k in range(end // group):
            own = inputs[k * group : (k + 1) * group]
            arrays = [own[i].astype(np.float64) for i in order] + list(inputs[end:])
            numbers = {
                SINGULAR.get(name, name): value[k] if name in SINGULAR else value
                for name, value in params.items()
            }
            results.append(step(*arrays, **numbers).astype(own[0].dtype))
        return tuple(results)

    return expected  # fmt: skip


SINGULAR = {
    "lrs": "lr", "learning_rates": "lr", "wds": "wd", "etas": "eta", "step_count": "t",
}  # fmt: skip


def _preloaded(step: Any, group: int, *order: int) -> Any:
    def expected(*inputs: Any, num_weights: int, **params: Any) -> Any:
        numbers = {"lrs": inputs[-2], "wds": inputs[-1], "num_weights": num_weights}
        return _many(step, group, *order)(*inputs[:-2], **numbers, **params)

    return expected


A, B = (2, 3), (4,)
RATES: dict[str, Any] = {"lrs": (0.1, 0.2), "wds": (0.0, 0.02), "num_weights": 2}
TWO: dict[int, Any] = {
    8: np.array([0.1, 0.2], np.float32), 9: np.array([0.0, 0.02], np.float32),
}  # fmt: skip
LAMB: dict[str, Any] = {
    "learning_rates": (0.1, 0.2), "wds": (0.01, 0.0), "step_count": (2, 3), "num_tensors": 2,
}  # fmt: skip
CLIP = {"rescale_grad": 0.5, "clip_gradient": 0.4}
POSITIVE = np.array([[1.5, 0.5, 2.0], [1.0, 3.0, 0.25]])
OFF = np.array([np.inf])

CASES = (
    OpCase("sgd_update", (A, A), _sgd, {"lr": 0.1, "wd": 0.1}),
    OpCase("sgd_update", ((0, 2), (0, 2)), _sgd, {"lr": 0.1}),
    OpCase("sgd_update", (A, A), _sgd, {"lr": 0.1, **CLIP}),
    OpCase("sgd_mom_update", (A, A, A), _sgd_mom, {"lr": 0.1, "momentum": 0.9, "wd": 0.1}),
    OpCase("nag_mom_update", (A, A, A), _nag, {"lr": 0.1, "momentum": 0.9, "wd": 0.1, **CLIP}),
    OpCase("signsgd_update", (A, A), lambda w, g, lr: w - lr * np.sign(g), {"lr": 0.1}),
    OpCase("signum_update", (A, A, A), _signum, {"lr": 0.1, "momentum": 0.9, "wd_lh": 0.1}),
    OpCase("adam_update", (A, A, A, A), _adam, {"lr": 0.1, "wd": 0.1, **CLIP}, low=0.0),
    OpCase("_adamw_update", (A, A, A, A, (1,)), _adamw, {"lr": 0.1, "eta": 0.5, "wd": 0.1}, low=0),
    OpCase("_adamw_update", (A, A, A, A, (1,)), _adamw, {"lr": 0.1, "eta": 1.0}, inputs={4: OFF}),
    OpCase("ftml_update", (A, A, A, A, A), _ftml, {"lr": 0.1, "t": 3, "wd": 0.1}, low=0.1),
    OpCase("ftrl_update", (A, A, A, A), _ftrl, {"lr": 0.1, "wd": 0.1}, inputs={3: POSITIVE}),
    OpCase("ftrl_update", (A, A, A, A), _ftrl, {"lr": 0.1, "lamda1": 9.0}, inputs={3: POSITIVE}),
    OpCase("rmsprop_update", (A, A, A), _rmsprop, {"lr": 0.1, "wd": 0.1}, inputs={2: POSITIVE}),
    OpCase("rmsprop_update", (A, A, A), _rmsprop, {"lr": 0.1, "clip_weights": 0.5}, low=0.0),
    OpCase("rmspropalex_update", (A, A, A, A, A), _rmspropalex, {"lr": 0.1},
           inputs={2: POSITIVE + 4}),
    OpCase("_sparse_adagrad_update", (A, A, A), _adagrad, {"lr": 0.1, "wd": 0.1}, low=0.0),
    OpCase("_contrib_group_adagrad_update", (A, A, (2, 1)), _group_adagrad, {"lr": 0.1}, low=0.0),
    OpCase("lamb_update_phase1", (A, A, A, A), _lamb1, {"t": 2, "wd": 0.1, **CLIP}, low=0.0),
    OpCase("lamb_update_phase1", (A, A, A, A), _lamb1,
           {"t": 2, "wd": 0.0, "bias_correction": False}, low=0.0),
    OpCase("lamb_update_phase2", (A, A, (1,), (1,)), _lamb2, {"lr": 0.1}, low=0.5),
    OpCase("lamb_update_phase2", (A, A, (1,), (1,)), _lamb2,
           {"lr": 0.1, "lower_bound": 0.1, "upper_bound": 0.3}, low=0.5),
    OpCase("lamb_update_phase2", (A, A, (1,), (1,)), _lamb2, {"lr": 0.1}, inputs={2: np.zeros(1)}),
    OpCase("mp_sgd_update", (A, A, A), _half(_sgd, 2, 1), {"lr": 0.1, "wd": 0.1},
           inputs=_mixed("h", "h", "f")),
    OpCase("mp_sgd_mom_update", (A, A, A, A), _half(_sgd_mom, 3, 1, 2),
           {"lr": 0.1, "momentum": 0.9}, inputs=_mixed("h", "h", "f", "f")),
    OpCase("mp_nag_mom_update", (A, A, A, A), _half(_nag, 3, 1, 2),
           {"lr": 0.1, "momentum": 0.9, "wd": 0.1}, inputs=_mixed("h", "h", "f", "f")),
    OpCase("_mp_adamw_update", (A, A, A, A, A, (1,)), _half(_adamw, 4, 1, 2, 3, 5),
           {"lr": 0.1, "eta": 0.5, "wd": 0.1}, inputs=_mixed("h", "h", "f", "p", "f", "1")),
    OpCase("mp_lamb_update_phase1", (A, A, A, A, A),
           lambda w, g, mean, var, w32, **p: _lamb1(*map(np.float64, (w32, g, mean, var)), **p),
           {"t": 2, "wd": 0.1}, inputs=_mixed("h", "h", "f", "p", "f")),
    OpCase("mp_lamb_update_phase2", (A, A, (1,), (1,), A), _half(_lamb2, 4, 1, 2, 3),
           {"lr": 0.1}, inputs=_mixed("h", "f", "1", "1", "f")),
    OpCase("multi_sgd_update", (A, A, B, B), _many(_sgd, 2, 0, 1), {**RATES, **CLIP}),
    OpCase("multi_sgd_update", (A, A), lambda w, g, **_: w - 0.5 * g,
           {"lrs": (0.5,), "wds": (0.0,)}),
    OpCase("multi_sgd_mom_update", (A, A, A, B, B, B), _many(_sgd_mom, 3, 0, 1, 2),
           {**RATES, "momentum": 0.9}),
    OpCase("_multi_adam_update", (A, A, A, A, B, B, B, B), _many(_adam, 4, 0, 1, 2, 3),
           {**RATES, **CLIP}, low=0.0),
    OpCase("_multi_adam_update", (A, A, A, A, A, A, A, A), _many(_adam, 4, 0, 1, 2, 3),
           {"lrs": (0.1, 0.1), "wds": (0.01, 0.01), "num_weights": 2}, low=0.0),
    OpCase("multi_mp_sgd_update", (A, A, A) * 2, _many(_sgd, 3, 2, 1), RATES,
           inputs=_mixed(*"hhfhhf")),
    OpCase("multi_mp_sgd_update", (A, A, A) * 2, _many(_sgd, 3, 2, 1), RATES,
           inputs=_unlike(_mixed(*"hhfhhf"))),
    OpCase("multi_mp_sgd_mom_update", (A, A, A, A) * 2, _many(_sgd_mom, 4, 3, 1, 2),
           {**RATES, "momentum": 0.9}, inputs=_mixed(*"hhffhhff")),
    OpCase("multi_mp_sgd_mom_update", (A, A, A, A) * 2, _many(_sgd_mom, 4, 3, 1, 2),
           {**RATES, "momentum": 0.9}, inputs=_unlike(_mixed(*"hhffhhff"))),
    OpCase("preloaded_multi_sgd_update", (A, A, B, B, (2,), (2,)), _preloaded(_sgd, 2, 0, 1),
           {"num_weights": 2}),
    OpCase("preloaded_multi_sgd_mom_update", (A, A, A, B, B, B, (2,), (2,)),
           _preloaded(_sgd_mom, 3, 0, 1, 2), {"num_weights": 2, "momentum": 0.9}),
    OpCase("_preloaded_multi_adam_update", (A, A, A, A, B, B, B, B, (2,), (2,)),
           _preloaded(_adam, 4, 0, 1, 2, 3), {"num_weights": 2, **CLIP}, low=0.0, inputs=TWO),
    OpCase("preloaded_multi_mp_sgd_update", (A,) * 6 + ((2,), (2,)), _preloaded(_sgd, 3, 2, 1),
           {"num_weights": 2}, inputs={**_mixed(*"hhfhhf"), 6: TWO[8], 7: TWO[9]}),
    OpCase("preloaded_multi_mp_sgd_mom_update", (A,) * 8 + ((2,), (2,)),
           _preloaded(_sgd_mom, 4, 3, 1, 2), {"num_weights": 2, "momentum": 0.9},
           inputs={**_mixed(*"hhffhhff"), **TWO}),
    OpCase("_multi_adamw_update", (A, A, A, A, B, B, B, B, (1,)),
           _many(_adamw, 4, 0, 1, 2, 3, tail=1), {**RATES, "etas": (1.0, 0.5)}, low=0.0),
    OpCase("_multi_mp_adamw_update", (A,) * 10 + ((1,),),
           _many(_adamw, 5, 4, 1, 2, 3, tail=1), {**RATES, "etas": (1.0, 0.5)},
           inputs=_mixed(*"hhfpfhhfpf1")),
    OpCase("_multi_lamb_update", (A, A, A, A, B, B, B, B), _many(_lamb, 4, 0, 1, 2, 3), LAMB,
           low=0.1),
    OpCase("_multi_mp_lamb_update", (A,) * 10, _many(_mp_lamb, 5, 4, 1, 2, 3, 0), LAMB,
           inputs=_mixed(*"hhfpfhhfpf")),
    OpCase("multi_lars", ((3,), (3,), (3,), (3,)), _lars, {"eta": 0.1, "eps": 0.01},
           inputs={1: np.array([1.0, 0.0, 4.0]), 2: np.array([2.0, 3.0, 0.0])}),
    OpCase("reset_arrays", (A, B), lambda *_, **__: (), {"num_arrays": 2}),
)  # fmt: skip
