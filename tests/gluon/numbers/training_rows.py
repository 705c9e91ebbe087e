"""Rows of optimizers, metrics, schedules and initializers."""

from dataclasses import dataclass, field
from typing import Any

from tests.gluon.numbers.draw import Values, bits, chances, classes, normal, positive

__all__ = [
    "INITIALIZERS",
    "METRICS",
    "OPTIMIZERS",
    "SCHEDULES",
    "InitializerRow",
    "MetricRow",
    "OptimizerRow",
    "ScheduleRow",
]


def _title(name: str, kwargs: dict[str, Any], *more: object) -> str:
    inner = ",".join(f"{key}={value}" for key, value in kwargs.items())
    return "-".join([f"{name}({inner})", *(str(m) for m in more if m)])


@dataclass(frozen=True)
class OptimizerRow:
    """An optimizer that takes ten steps of a least-squares problem."""

    name: str
    kwargs: dict[str, Any] = field(default_factory=dict)
    schedule: tuple[str, dict[str, Any]] | None = None
    dtype: str = "float32"
    bias: bool = True
    """Whether there is a second parameter."""

    def __str__(self) -> str:
        dtype = "" if self.dtype == "float32" else self.dtype
        return _title(self.name, self.kwargs, self.schedule and self.schedule[0], dtype)


def _each(name: str, *kwargs: dict[str, Any]) -> list[OptimizerRow]:
    return [OptimizerRow(name, k) for k in kwargs]


_CLIPPED = {"wd": 0.05, "rescale_grad": 0.5, "clip_gradient": 0.2}
_QUICK = {"learning_rate": 0.1}
_HALF = {"learning_rate": 0.1, "multi_precision": True}

OPTIMIZERS = [
    *_each("sgd", _QUICK, {**_QUICK, "momentum": 0.9}, {**_QUICK, "momentum": 0.5, **_CLIPPED}),
    *_each("ccsgd", _QUICK),
    *_each("nag", _QUICK, {**_QUICK, "momentum": 0.9}, {**_QUICK, **_CLIPPED}),
    *_each("signum", {}, {"momentum": 0.0, **_CLIPPED}, {"wd_lh": 0.1, **_CLIPPED}),
    *_each("dcasgd", _QUICK, {**_QUICK, "lamda": 0.5, **_CLIPPED}),
    *_each("adam", {}, {**_QUICK, "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-3, **_CLIPPED}),
    *_each("adamw", _QUICK, {**_QUICK, "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-3, "wd": 0.05}),
    *_each("adamax", {}, {**_QUICK, "beta1": 0.8, "beta2": 0.9, **_CLIPPED}),
    *(
        OptimizerRow("nadam", kwargs, bias=False)  # MXNet's has one momentum for all parameters
        for kwargs in ({}, {**_QUICK, "schedule_decay": 0.1, **_CLIPPED})
    ),
    *_each("ftml", _QUICK, {**_QUICK, "beta1": 0.3, "beta2": 0.9, **_CLIPPED}),
    *_each("adagrad", _QUICK, {**_QUICK, "eps": 1e-2, **_CLIPPED}),
    *_each("groupadagrad", _QUICK, {**_QUICK, "eps": 1e-2, "clip_gradient": 0.2}),
    *_each("adadelta", {}, {"rho": 0.5, "epsilon": 1e-2, **_CLIPPED}),
    *_each(
        "rmsprop",
        {},
        {"centered": True},
        {**_QUICK, "gamma1": 0.5, "clip_weights": 0.8, **_CLIPPED},
        {**_QUICK, "gamma2": 0.5, "centered": True, **_CLIPPED},
    ),
    *_each("ftrl", _QUICK, {**_QUICK, "lamda1": 0.05, "beta": 0.1, **_CLIPPED}),
    *_each("lamb", _QUICK, {**_QUICK, "lower_bound": 0.5, "upper_bound": 1.5, **_CLIPPED},
           {**_QUICK, "bias_correction": False}),
    *_each("lars", _QUICK, {**_QUICK, "momentum": 0.9, "eta": 0.1, "eps": 0.1, **_CLIPPED}),
    *_each(
        "lbsgd",
        _QUICK,
        {**_QUICK, "momentum": 0.9, "warmup_epochs": 2, "updates_per_epoch": 2, "batch_scale": 2},
        {**_QUICK, "warmup_strategy": "lars", **_CLIPPED},
    ),
    *_each("test", {"rescale_grad": -0.1}),
    *(
        OptimizerRow(name, {}, schedule)
        for name in ("sgd", "adam")
        for schedule in (
            ("FactorScheduler", {"step": 3, "factor": 0.5, "base_lr": 0.2}),
            ("PolyScheduler", {"max_update": 8, "base_lr": 0.2}),
        )
    ),
    *(OptimizerRow(name, _HALF, dtype="float16") for name in ("sgd", "adam", "nag", "lamb")),
]  # fmt: skip


@dataclass(frozen=True)
class MetricRow:
    """A metric that sees pairs of labels and predictions, one after the other."""

    name: str
    kwargs: dict[str, Any]
    pairs: tuple[tuple[Values, Values], ...]
    whole: bool = True
    """Whether MXNet keeps the value since the beginning."""

    def __str__(self) -> str:
        shapes = "+".join(str(list(pred.shape)) for _, pred in self.pairs)
        return _title(self.name, self.kwargs, shapes.replace(" ", ""))


def _scores(count: int) -> tuple[tuple[Values, Values], ...]:
    return (classes(count, 7), chances(7, count)), (classes(count, 5), chances(5, count))


_NUMBERS = ((normal(4, 3), normal(4, 3)), (normal(2, 3), normal(2, 3)))

METRICS = [
    MetricRow("acc", {}, _scores(3)),
    MetricRow("acc", {"axis": 2}, ((classes(3, 2, 4), positive(2, 4, 3)),)),
    MetricRow("top_k_accuracy", {"top_k": 2}, _scores(5)),
    *(
        MetricRow(name, kwargs, ((bits(7), chances(7, 2)), (bits(5), chances(5, 2))))
        for name in ("f1", "mcc")
        for kwargs in ({}, {"average": "micro"})
    ),
    MetricRow("pcc", {}, _scores(4)),
    MetricRow("perplexity", {"ignore_label": None}, _scores(4)),
    MetricRow("perplexity", {"ignore_label": 1}, _scores(4)),
    MetricRow("ce", {}, _scores(4)),
    MetricRow("nll_loss", {}, _scores(4)),
    *(MetricRow(name, {}, _NUMBERS) for name in ("mae", "mse", "rmse", "loss", "torch", "caffe")),
    MetricRow("pearsonr", {}, _NUMBERS),
    MetricRow("pearsonr", {"average": "micro"}, _NUMBERS, whole=False),
    MetricRow("composite", {"metrics": ["acc", "ce"]}, _scores(3)),
    MetricRow("custommetric", {"feval": "largest difference"}, _NUMBERS),
]


@dataclass(frozen=True)
class ScheduleRow:
    """A schedule that is asked for the rates of updates 0 to 14."""

    name: str
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        return _title(self.name, self.kwargs)


_WARM = {"warmup_steps": 4, "warmup_begin_lr": 0.2}

SCHEDULES = [
    ScheduleRow(name, {**kwargs, "base_lr": 0.8, **warm})
    for name, kwargs in (
        ("FactorScheduler", {"step": 3, "factor": 0.5}),
        ("FactorScheduler", {"step": 2, "factor": 0.1, "stop_factor_lr": 0.05}),
        ("MultiFactorScheduler", {"step": [3, 6, 8], "factor": 0.1}),
        ("PolyScheduler", {"max_update": 10}),
        ("PolyScheduler", {"max_update": 10, "pwr": 1, "final_lr": 0.1}),
        ("CosineScheduler", {"max_update": 10, "final_lr": 0.1}),
    )
    for warm in ({}, _WARM, {**_WARM, "warmup_mode": "constant"})
]


@dataclass(frozen=True)
class InitializerRow:
    """An initializer that fills an array of this name and shape."""

    name: str
    kwargs: dict[str, Any]
    shape: tuple[int, ...]
    array: str = "fc_weight"
    drawn: bool = False
    """Random: quantiles are pinned instead of values."""
    plain: bool = False
    """Whether the name is a plain string instead of an InitDesc."""

    def __str__(self) -> str:
        shape = str(list(self.shape)).replace(" ", "")
        return _title(self.name, self.kwargs, shape, self.array, self.plain and "plain")


_SHAPES = ((200, 300), (40, 30, 5, 5), (300, 20, 9))
_NAMED = ("fc_bias", "bn_gamma", "bn_beta", "fc_weight_min", "fc_weight_max")
_PLAIN = (
    "fc_bias",
    "bn_gamma",
    "bn_moving_mean",
    "bn_moving_var",
    "bn_moving_avg",
)

INITIALIZERS = [
    InitializerRow("Zero", {}, (2, 3)),
    InitializerRow("One", {}, (2, 3)),
    InitializerRow("Constant", {"value": 2.5}, (2, 3)),
    InitializerRow("Bilinear", {}, (1, 1, 4, 4)),
    InitializerRow("Bilinear", {}, (2, 1, 3, 5)),
    InitializerRow("LSTMBias", {"forget_bias": 2.0}, (8,)),
    *(InitializerRow("Constant", {"value": 5.0}, (3,), name) for name in _NAMED),
    *(InitializerRow("Constant", {"value": 5.0}, (3,), name, plain=True) for name in _PLAIN),
    *(
        InitializerRow(
            "FusedRNN",
            {"init": "one", "num_hidden": 2, "num_layers": 2, "mode": mode, "bidirectional": both},
            (size,),
        )
        for mode, both, size in (
            ("lstm", False, 144), ("gru", True, 252), ("rnn_tanh", False, 36), ("lstm", True, 336),
        )
    ),
    InitializerRow(
        "Mixed", {"patterns": [".*bias", ".*"], "initializers": ["zeros", "ones"]}, (3,),
    ),
    InitializerRow("Load", {"param": {"arg:fc_weight": [1, 2, 3]}}, (3,)),
    *(
        InitializerRow(name, kwargs, shape, drawn=True)
        for shape in _SHAPES
        for name, kwargs in (
            ("Uniform", {"scale": 0.5}),
            ("Normal", {"sigma": 0.02}),
            ("Xavier", {}),
            ("Xavier", {"rnd_type": "gaussian", "factor_type": "in", "magnitude": 2}),
            ("Xavier", {"factor_type": "out", "magnitude": 2.34}),
            ("MSRAPrelu", {}),
            ("MSRAPrelu", {"factor_type": "in", "slope": 0.1}),
        )
    ),
    *(
        InitializerRow("Orthogonal", kwargs, shape, drawn=True)
        for shape in ((4, 6), (6, 4), (4, 3, 2, 1))
        for kwargs in ({}, {"scale": 2.0, "rand_type": "normal"})
    ),
    # arrays they refuse
    InitializerRow("Xavier", {}, (3,)),
    InitializerRow("MSRAPrelu", {}, (3,)),
    InitializerRow("Bilinear", {}, (3,)),
    InitializerRow("LSTMBias", {}, (8,), "lstm_unknown"),
    InitializerRow("Load", {"param": {"arg:fc_weight": [1, 2, 3]}}, (3,), "other_weight"),
    InitializerRow("Load", {"param": {"arg:fc_weight": [1, 2, 3]}}, (4,)),
    InitializerRow("Mixed", {"patterns": [".*bias"], "initializers": ["zeros"]}, (3,)),
]  # fmt: skip
