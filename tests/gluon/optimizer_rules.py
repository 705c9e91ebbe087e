"""The optimizers' rules in plain numpy, float64: what the tests hold the optimizers to.

A rule takes the settings, a dictionary for what it keeps, the number of the step from 1, the
weight and the rescaled and clipped gradient; it returns the new weight.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

__all__ = ["RULES", "Rule", "Settings", "clipped"]

Array: TypeAlias = Any


@dataclass
class Settings:
    """What every optimizer has; ``own`` holds the arguments of one."""

    lr: float = 0.1
    wd: float = 0.0
    clip: float | None = None
    own: SimpleNamespace = field(default_factory=SimpleNamespace)


Rule: TypeAlias = Callable[[Settings, dict[str, Any], int, Array, Array], Array]


def clipped(s: Settings, g: Array) -> Array:
    return g if s.clip is None else np.clip(g, -s.clip, s.clip)


def sgd(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    v = s.own.momentum * kept.get("v", 0 * w) - s.lr * (clipped(s, g) + s.wd * w)
    kept["v"] = v
    return w + v


def nag(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    step = s.lr * (clipped(s, g) + s.wd * w)
    v = s.own.momentum * kept.get("v", 0 * w) - step
    kept["v"] = v
    return w + s.own.momentum * v - step


def signum(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    m = s.own.momentum
    if m == 0.0:  # the operator without a velocity keeps the decay apart
        return (1 - s.lr * s.wd) * w - s.lr * np.sign(clipped(s, g))
    v = m * kept.get("v", 0 * w) - (1 - m) * (clipped(s, g) + s.wd * w)
    kept["v"] = v
    return (1 - s.lr * s.own.wd_lh) * w + s.lr * np.sign(v)


def dcasgd(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g)
    delay = s.own.lamda * g * g * (w - kept.get("before", w))
    v = s.own.momentum * kept.get("v", 0 * w) - s.lr * (g + s.wd * w + delay)
    kept.update(v=v, before=w)
    return w + v


def means(s: Settings, kept: dict[str, Any], g: Array) -> tuple[Array, Array]:
    b1, b2 = s.own.beta1, s.own.beta2
    kept["m"] = b1 * kept.get("m", 0 * g) + (1 - b1) * g
    kept["v"] = b2 * kept.get("v", 0 * g) + (1 - b2) * g * g
    return kept["m"], kept["v"]


def adam(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    m, v = means(s, kept, clipped(s, g + s.wd * w))
    rate = s.lr * np.sqrt(1 - s.own.beta2**t) / (1 - s.own.beta1**t)
    return w - rate * m / (np.sqrt(v) + s.own.epsilon)


def adamw(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    m, v = means(s, kept, clipped(s, g))
    root = np.sqrt(v / (1 - s.own.beta2**t)) + s.own.epsilon
    return w - s.lr * (m / (1 - s.own.beta1**t) / root + s.wd * w)


def adamax(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g + s.wd * w)
    m, _ = means(s, kept, g)
    u = np.maximum(s.own.beta2 * kept.get("u", 0 * w), np.abs(g))
    kept["u"] = u
    return w - s.lr / (1 - s.own.beta1**t) * np.divide(m, u, out=0 * m, where=u > 0)


def nadam(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g + s.wd * w)
    m, v = means(s, kept, g)
    now, later = (s.own.beta1 * (1 - 0.5 * 0.96 ** (n * s.own.schedule_decay)) for n in (t, t + 1))
    product = kept.get("product", 1.0) * now
    kept["product"] = product
    ahead = (1 - now) * g / (1 - product) + later * m / (1 - product * later)
    return w - s.lr * ahead / (np.sqrt(v / (1 - s.own.beta2**t)) + s.own.epsilon)


def ftml(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g + s.wd * w)
    b1, b2 = s.own.beta1, s.own.beta2
    v = b2 * kept.get("v", 0 * w) + (1 - b2) * g * g
    d = (1 - b1**t) / s.lr * (np.sqrt(v / (1 - b2**t)) + s.own.epsilon)
    z = b1 * kept.get("z", 0 * w) + (1 - b1) * g - (d - b1 * kept.get("d", 0 * w)) * w
    kept.update(v=v, d=d, z=z)
    return -z / d


def adagrad(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g)
    kept["h"] = kept.get("h", 0 * w) + g * g
    return w - s.lr * (g / np.sqrt(kept["h"] + s.own.eps) + s.wd * w)


def groupadagrad(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g)
    kept["h"] = kept.get("h", 0.0) + (g * g).mean(axis=1, keepdims=True)
    return w - s.lr * g / np.sqrt(kept["h"] + s.own.eps)


def adadelta(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g, rho, eps = clipped(s, g), s.own.rho, s.own.epsilon
    kept["g"] = rho * kept.get("g", 0 * w) + (1 - rho) * g * g
    step = np.sqrt(kept.get("d", 0 * w) + eps) / np.sqrt(kept["g"] + eps) * g
    kept["d"] = rho * kept.get("d", 0 * w) + (1 - rho) * step * step
    return w - step - s.wd * w


def rmsprop(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g, rho = clipped(s, g + s.wd * w), s.own.gamma1
    kept["n"] = rho * kept.get("n", 0 * w) + (1 - rho) * g * g
    if not s.own.centered:
        w = w - s.lr * g / np.sqrt(kept["n"] + s.own.epsilon)
    else:
        kept["m"] = rho * kept.get("m", 0 * w) + (1 - rho) * g
        root = np.sqrt(kept["n"] - kept["m"] ** 2 + s.own.epsilon)
        kept["d"] = s.own.gamma2 * kept.get("d", 0 * w) - s.lr * g / root
        w = w + kept["d"]
    bound = s.own.clip_weights
    return w if bound is None else np.clip(w, -bound, bound)


def ftrl(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g)
    n = kept.get("n", 0 * w)
    sigma = (np.sqrt(n + g * g) - np.sqrt(n)) / s.lr
    z = kept.get("z", 0 * w) + g - sigma * w
    kept.update(n=n + g * g, z=z)
    curve = (s.own.beta + np.sqrt(kept["n"])) / s.lr + s.wd
    return np.where(np.abs(z) > s.own.lamda1, (np.sign(z) * s.own.lamda1 - z) / curve, 0.0)


def lamb(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    m, v = means(s, kept, clipped(s, g))
    if s.own.bias_correction:
        m, v = m / (1 - s.own.beta1**t), v / (1 - s.own.beta2**t)
    direction = m / (np.sqrt(v) + s.own.epsilon) + s.wd * w
    length, turn = np.linalg.norm(w), np.linalg.norm(direction)
    low, high = s.own.lower_bound, s.own.upper_bound
    length = length if low is None else max(length, low)
    length = length if high is None else min(length, high)
    return w - s.lr * (length / turn if length and turn else 1.0) * direction


def lans(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g / np.linalg.norm(g))
    m, v = means(s, kept, g)
    root = np.sqrt(v / (1 - s.own.beta2**t)) + s.own.epsilon
    length = np.linalg.norm(w)
    low, high = s.own.lower_bound, s.own.upper_bound
    length = length if low is None else max(length, low)
    length = length if high is None else min(length, high)
    of_mean, of_slope = (x / root + s.wd * w for x in (m / (1 - s.own.beta1**t), g))
    step = s.own.beta1 * of_mean / np.linalg.norm(of_mean)
    step += (1 - s.own.beta1) * of_slope / np.linalg.norm(of_slope)
    return w - s.lr * length * step


def adabelief(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    g = clipped(s, g) + s.wd * w
    beta1, beta2 = s.own.beta1, s.own.beta2
    m = beta1 * kept.get("m", 0 * w) + (1 - beta1) * g
    v = beta2 * kept.get("v", 0 * w) + (1 - beta2) * (g - m) ** 2 + s.own.epsilon
    kept.update(m=m, v=v)
    rate = s.lr * (np.sqrt(1 - beta2**t) / (1 - beta1**t) if s.own.correct_bias else 1.0)
    return w - rate * m / (np.sqrt(v) + s.own.epsilon)


def lars(s: Settings, kept: dict[str, Any], t: int, w: Array, g: Array) -> Array:
    of_w, of_g = np.linalg.norm(w), np.linalg.norm(g)
    ratio = s.own.eta * of_w / (of_g + s.wd * of_w + s.own.eps) if of_w and of_g else 1.0
    scale = s.lr / kept.get("lr", s.lr) if s.own.momentum_correction else 1.0
    step = s.lr * ratio * (clipped(s, g) + s.wd * w)
    v = scale * s.own.momentum * kept.get("v", 0 * w) - step
    kept.update(v=v, lr=s.lr)
    return w + v


RULES: dict[str, Rule] = {
    "adabelief": adabelief,
    "adadelta": adadelta,
    "adagrad": adagrad,
    "adam": adam,
    "adamax": adamax,
    "adamw": adamw,
    "dcasgd": dcasgd,
    "ftml": ftml,
    "ftrl": ftrl,
    "groupadagrad": groupadagrad,
    "lamb": lamb,
    "lans": lans,
    "lars": lars,
    "nadam": nadam,
    "nag": nag,
    "rmsprop": rmsprop,
    "sgd": sgd,
    "signum": signum,
}
"""By the name an optimizer is registered under."""
