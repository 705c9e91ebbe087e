"""Cases of batch, layer, group and instance normalization and their gradients."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _shaped(vector: Any, rank: int, axis: int) -> Any:
    shape = [1] * rank
    shape[axis] = -1
    return vector.reshape(shape)


def _batch(
    data: Any,
    gamma: Any,
    beta: Any,
    mean: Any,
    var: Any,
    *,
    axis: int = 1,
    eps: float = 1e-3,
    fix_gamma: bool = True,
    output_mean_var: bool = False,
    trained: bool = False,
    ndev: int = 0,
    **_: Any,
) -> Any:
    if trained:
        others = tuple(i for i in range(data.ndim) if i != axis % data.ndim)
        mean, var = data.mean(others), data.var(others)
    gamma, inverse = np.ones_like(gamma) if fix_gamma else gamma, 1 / np.sqrt(var + eps)
    scale, shift, middle = (_shaped(v, data.ndim, axis) for v in (gamma * inverse, beta, mean))
    y = (data - middle) * scale + shift
    return (y, mean, var if ndev else inverse) if output_mean_var else y


def _trained(*arrays: Any, **params: Any) -> Any:
    return _batch(*arrays, trained=True, **params)


def _over(
    data: Any, gamma: Any, beta: Any, axes: tuple[int, ...], eps: float
) -> tuple[Any, Any, Any]:
    mean = data.mean(axes, keepdims=True)
    std = np.sqrt(data.var(axes, keepdims=True) + eps)
    return (data - mean) / std * gamma + beta, mean, std


def _layer(
    data: Any,
    gamma: Any,
    beta: Any,
    *,
    axis: int = -1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Any:
    scale, shift = _shaped(gamma, data.ndim, axis), _shaped(beta, data.ndim, axis)
    outputs = _over(data, scale, shift, (axis,), eps)
    return outputs if output_mean_var else outputs[0]


def _group(
    data: Any,
    gamma: Any,
    beta: Any,
    *,
    num_groups: int = 1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Any:
    x = data.reshape(len(data), num_groups, -1)
    y, mean, std = _over(x, gamma[:, None], beta[:, None], (2,), eps)
    outputs = y.reshape(data.shape), mean[..., 0], std[..., 0]
    return outputs if output_mean_var else outputs[0]


def _instance(data: Any, gamma: Any, beta: Any, *, eps: float = 1e-3) -> Any:
    axes = tuple(range(2, data.ndim))
    return _over(data, _shaped(gamma, data.ndim, 1), _shaped(beta, data.ndim, 1), axes, eps)[0]


def _batch_cases(shape: tuple[int, ...], op: str = "BatchNorm", **params: Any) -> Any:
    channels = shape[params.get("axis", 1)]
    shapes = (shape, *((channels,),) * 4)
    relu = op.endswith("ReLU")
    for trained in (False, True):
        known = _trained if trained and not params.get("use_global_stats") else _batch
        yield OpCase(
            op,
            shapes,
            (lambda *a, known=known, **p: np.maximum(known(*a, **p), 0)) if relu else known,
            params,
            low=0.3,
            grad_inputs=(0, 2) if params.get("fix_gamma", True) else (0, 1, 2),
            is_train=trained,
        )


def _backward_cases() -> Any:
    """Yield cases of the first and second gradients of normalizations."""
    rng = np.random.default_rng(5)
    forms: tuple[tuple[dict[str, Any], tuple[int, ...], tuple[int, ...]], ...] = (
        ({"kind": "batch", "axis": 1}, (2, 3, 4), (0, 2)),
        ({"kind": "batch", "axis": -1, "fix_gamma": True}, (4, 3), (0,)),
        ({"kind": "batch", "axis": 1, "frozen": True}, (2, 3, 4), (0, 2)),
        ({"kind": "layer", "axis": -1}, (3, 4), (1,)),
        ({"kind": "layer", "axis": 1}, (2, 3, 4), (1,)),
        ({"kind": "instance"}, (2, 3, 4), (2,)),
    )
    for params, shape, axes in forms:
        data = rng.standard_normal(shape)
        keep = params["kind"] == "layer"
        mean, std = data.mean(axes, keepdims=keep), np.sqrt(data.var(axes, keepdims=keep) + 0.1)
        deviation = 1 / std if params["kind"] == "batch" else std
        vector = (3,) if params["kind"] == "instance" else (shape[params["axis"]],)
        yield OpCase(
            "_normalize_backward",
            (shape, shape, vector, mean.shape, mean.shape),
            None,
            params,
            inputs={1: data, 3: mean, 4: deviation},
            grad_inputs=(0,) if params.get("fix_gamma") else (0, 2),
        )
        yield OpCase(
            "_normalize_backward_backward",
            (shape, vector, vector, shape, shape, vector, mean.shape, mean.shape),
            None,
            params,
            inputs={4: data, 6: mean, 7: deviation},
        )
        if not params.get("frozen"):
            yield from _statistics_cases(params, data, mean, deviation)


def _statistics_cases(params: Any, data: Any, mean: Any, deviation: Any) -> Any:
    """Yield cases of the gradients of a normalization's mean and deviation."""
    where = {name: value for name, value in params.items() if name != "fix_gamma"}
    yield OpCase(
        "_normalize_statistics_backward",
        (mean.shape, mean.shape, data.shape, mean.shape, mean.shape),
        None,
        where,
        inputs={2: data, 3: mean, 4: deviation},
    )
    yield OpCase(
        "_normalize_statistics_backward_backward",
        (data.shape, mean.shape, data.shape, mean.shape, mean.shape),
        None,
        where,
        inputs={2: data, 3: mean, 4: deviation},
    )


CASES = (
    *_batch_cases((4, 3), fix_gamma=False),
    *_batch_cases((2, 3, 4), fix_gamma=False, eps=0.1),
    *_batch_cases((2, 3, 2, 5), axis=-1),
    *_batch_cases((2, 3, 2, 5), axis=0, fix_gamma=False),
    *_batch_cases((2, 3, 4), fix_gamma=False, use_global_stats=True),
    *_batch_cases((3, 2, 2), fix_gamma=False, output_mean_var=True),
    *_batch_cases((2, 3, 4), "BatchNorm_v1", fix_gamma=False),
    *_batch_cases((2, 3, 4), "_contrib_SyncBatchNorm", fix_gamma=False, key="k"),
    *_batch_cases(
        (2, 3, 4), "_contrib_SyncBatchNorm", fix_gamma=False, output_mean_var=True, ndev=1, key="k"
    ),
    *_batch_cases((2, 3, 4), "_contrib_BatchNormWithReLU", fix_gamma=False),
    OpCase("LayerNorm", ((3, 5), (5,), (5,)), _layer),
    OpCase("LayerNorm", ((2, 3, 4), (3,), (3,)), _layer, {"axis": 1, "eps": 0.1}),
    OpCase("LayerNorm", ((2, 3, 4), (2,), (2,)), _layer, {"axis": -3}),
    OpCase("LayerNorm", ((3, 4), (4,), (4,)), _layer, {"output_mean_var": True}),
    OpCase("LayerNorm", ((2, 3, 4), (3,), (3,)), _layer, {"output_mean_var": True, "axis": 1}),
    OpCase("LayerNorm", ((0, 4), (4,), (4,)), _layer),
    OpCase("GroupNorm", ((2, 4, 3), (2,), (2,)), _group, {"num_groups": 2}),
    OpCase("GroupNorm", ((2, 4, 3, 2), (1,), (1,)), _group),
    OpCase(
        "GroupNorm", ((2, 4, 3), (2,), (2,)), _group, {"num_groups": 2, "output_mean_var": True}
    ),
    OpCase("InstanceNorm", ((2, 3, 5), (3,), (3,)), _instance),
    OpCase("InstanceNorm", ((2, 3, 2, 3), (3,), (3,)), _instance, {"eps": 0.1}),
    *_backward_cases(),
    OpCase(
        "_normalize_statistics_backward",
        ((3,), (3,), (2, 3), (3,), (3,)),
        lambda dm, dr, x, m, r, **_: (dm - dr * r**3 * (x - m)) / 2,
        {"kind": "batch"},
        low=0.5,
        grad_inputs=(0, 1),
    ),
)
