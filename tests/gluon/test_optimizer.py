"""Optimizers: trajectories against the rules in numpy, settings by parameter, counts, precision."""

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hy_gluon import optimizer
from hy_gluon.lr_scheduler import CosineScheduler, FactorScheduler
from hy_gluon.optimizer import LBSGD, SGD, SGLD, Adam, Optimizer, OptimizerError, Updater
from hy_ndarray import NDArray, autograd, cpu, nd, random
from hy_symbol import sym
from tests.gluon.optimizer_rules import RULES, Settings

CASES: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {}),
    ("sgd", {"momentum": 0.9}),
    ("nag", {}),
    ("nag", {"momentum": 0.9}),
    ("signum", {}),
    ("signum", {"momentum": 0.0, "wd_lh": 0.0}),
    ("signum", {"momentum": 0.5, "wd_lh": 0.1}),
    ("dcasgd", {}),
    ("dcasgd", {"momentum": 0.5, "lamda": 0.5}),
    ("adam", {}),
    ("adam", {"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-3}),
    ("adabelief", {}),
    ("adabelief", {"correct_bias": False}),
    ("adamw", {}),
    ("adamax", {}),
    ("adamax", {"beta1": 0.5, "beta2": 0.5}),
    ("nadam", {}),
    ("nadam", {"schedule_decay": 0.5}),
    ("ftml", {}),
    ("ftml", {"beta1": 0.3}),
    ("adagrad", {}),
    ("adagrad", {"eps": 1e-2}),
    ("groupadagrad", {}),
    ("adadelta", {}),
    ("adadelta", {"rho": 0.5, "epsilon": 1e-2}),
    ("rmsprop", {}),
    ("rmsprop", {"centered": True, "gamma2": 0.5}),
    ("rmsprop", {"clip_weights": 0.5}),
    ("rmsprop", {"centered": True, "clip_weights": 0.5}),
    ("ftrl", {}),
    ("ftrl", {"lamda1": 0.5, "beta": 0.1}),
    ("lans", {}),
    ("lans", {"lower_bound": 0.5, "upper_bound": 1.5}),
    ("lamb", {}),
    ("lamb", {"lower_bound": 0.5, "upper_bound": 1.5}),
    ("lamb", {"bias_correction": False}),
    ("lars", {}),
    ("lars", {"momentum": 0.9, "eta": 0.1, "eps": 0.5}),
    ("lars", {"momentum": 0.9, "momentum_correction": False}),
]
COMMON: list[dict[str, Any]] = [
    {},
    {"wd": 0.05},
    {"wd": 0.05, "rescale_grad": 0.25, "clip_gradient": 0.15},
]


def defaults(made: Optimizer) -> SimpleNamespace:
    """The settings an optimizer has, under the names of its arguments."""
    own = dict(vars(made))
    if "float_stable_eps" in own:
        own["eps"] = own["float_stable_eps"]
    return SimpleNamespace(**own)


@pytest.mark.parametrize("common", COMMON, ids=["plain", "decay", "clipped"])
@pytest.mark.parametrize(("name", "kwargs"), CASES)
def test_weights_follow_the_rule(
    name: str, kwargs: dict[str, Any], common: dict[str, Any], rng: np.random.Generator
) -> None:
    if name == "groupadagrad":
        common = {**common, "wd": 0.0}
    made = optimizer.create(name, learning_rate=0.1, **kwargs, **common)
    settings = Settings(wd=common.get("wd", 0.0), clip=common.get("clip_gradient"))
    settings.own = defaults(made)
    update = optimizer.get_updater(made)
    expected = rng.normal(size=(3, 4))
    weight = nd.array(expected, dtype="float64")
    kept: dict[str, Any] = {}
    for t in range(1, 6):
        if t == 4:
            made.set_learning_rate(0.04)
            settings.lr = 0.04
        gradient = rng.normal(size=(3, 4))
        gradient[0, 0] = 0.0  # Adamax: no gradient has been there
        rescaled = gradient * common.get("rescale_grad", 1.0)
        expected = RULES[name](settings, kept, t, expected, rescaled)
        update("fc_weight", nd.array(gradient, dtype="float64"), weight)
        np.testing.assert_allclose(weight.asnumpy(), expected, rtol=2e-6, atol=2e-7)


def test_every_optimizer_has_a_rule() -> None:
    others = {"ccsgd", "lbsgd", "sgld", "test"}
    others |= {"adafactor", "lion", "muon", "schedulefreeadamw", "schedulefreesgd"}  # recorded
    own = {n for n, kind in Optimizer.opt_registry.items() if kind.__module__[:3] == "hy_"}
    assert own - others == set(RULES) == {name for name, _ in CASES}


@pytest.mark.parametrize("name", [*RULES, "lbsgd", "test"])
@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_multi_precision_follows_a_float32_copy(
    name: str, half: str, rng: np.random.Generator
) -> None:
    gradients = [nd.array(rng.normal(size=(3, 4)), dtype=half) for _ in range(3)]
    start = nd.array(rng.normal(size=(3, 4)), dtype=half)
    kwargs: dict[str, Any] = {"momentum": 0.9} if name in ("sgd", "nag", "lars") else {}
    exact, rounded = start.astype("float32"), start.copy()
    reference = optimizer.get_updater(optimizer.create(name, **kwargs))
    update = optimizer.get_updater(optimizer.create(name, multi_precision=True, **kwargs))
    for gradient in gradients:
        reference(0, gradient.astype("float32"), exact)
        update(0, gradient, rounded)
    assert (rounded.asnumpy() == exact.astype(half).asnumpy()).all()


def test_half_precision_without_copies_is_a_warning() -> None:
    weight = nd.ones((2,), dtype="float16")
    with pytest.warns(UserWarning, match="Adam updates float16 .* multi_precision=True"):
        optimizer.get_updater(Adam())(0, weight, weight)


@pytest.mark.parametrize("name", [*RULES, "lbsgd", "sgld", "test"])
def test_updates_stay_out_of_the_recorded_graph(name: str) -> None:
    weight = nd.ones((2, 2))
    weight.attach_grad()
    with autograd.record():
        optimizer.get_updater(optimizer.create(name))("fc_weight", nd.ones((2, 2)), weight)
        loss = (weight * 3).sum()
    loss.backward()
    assert weight.grad is not None
    assert (weight.grad.asnumpy() == 3).all()


def test_sgld_takes_half_a_step_and_adds_noise() -> None:
    random.seed(3)
    weight = nd.zeros((400, 400))
    SGLD(learning_rate=0.01).update(0, weight, nd.ones((400, 400)), None)
    values = weight.asnumpy()
    assert values.mean() == pytest.approx(-0.005, abs=1e-3)
    assert values.std() == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize(
    ("strategy", "factors"),
    [
        ("linear", [0, 1 + 1 / 3, 0, 1 + 2 / 3, 0, 2, 0, 2]),
        ("power2", [0, 1 + 1 / 9, 0, 1 + 4 / 9, 0, 2, 0, 2]),
        ("sqrt", [0, 1 + 3**-0.5, 0, 1 + (2 / 3) ** 0.5, 0, 2, 0, 2]),
        ("none", [0, 1, 0, 1, 0, 2, 0, 2]),
    ],
)
def test_lbsgd_steps_once_per_macro_batch(strategy: str, factors: list[float]) -> None:
    made = LBSGD(
        learning_rate=0.1,
        warmup_strategy=strategy,
        warmup_epochs=2,
        updates_per_epoch=3,
        batch_scale=2,
    )
    update, weight = optimizer.get_updater(made), nd.zeros((2,))
    for factor in factors:
        before = weight.asnumpy()
        update(0, nd.ones((2,)), weight)
        np.testing.assert_allclose(weight.asnumpy() - before, -0.1 * factor, rtol=1e-6)


def test_lbsgd_lars_takes_the_factor_from_norms_within_bounds() -> None:
    made = LBSGD(learning_rate=0.1, warmup_strategy="lars", wd=0.25)
    weight = nd.array([3.0, 4.0])
    made.update(0, weight, nd.array([0.0, 1.0]), None)
    factor = 5 / np.sqrt(1 + 0.25 * 25)
    expected = np.array([3.0, 4.0]) - 0.1 * factor * (np.array([0, 1]) + 0.25 * np.array([3, 4]))
    np.testing.assert_allclose(weight.asnumpy(), expected, rtol=1e-6)
    weight = nd.array([1e-6])
    LBSGD(learning_rate=0.1, warmup_strategy="lars").update(1, weight, nd.array([1.0]), None)
    np.testing.assert_allclose(weight.asnumpy(), [1e-6 - 0.1 * 0.01], rtol=1e-5)


def test_lars_leaves_biases_at_the_plain_rate() -> None:
    for name, factor in (("a_weight", 0.001), ("a_bias", 1.0), ("bn_gamma", 1.0)):
        made = optimizer.create("lars", learning_rate=0.5, param_idx2name={0: name})
        weight = nd.array([1.0, 0.0])
        made.update(0, weight, nd.array([1.0, 0.0]), None)
        assert weight.asnumpy()[0] == pytest.approx(1 - 0.5 * factor)


def test_groupadagrad_refuses_vectors_and_weight_decay() -> None:
    made = optimizer.create("groupadagrad", wd=0.1)
    with pytest.raises(OptimizerError, match=r"weight 0 \(2,\) must be a matrix"):
        made.create_state(0, nd.ones((2,)))
    with pytest.raises(OptimizerError, match="no weight decay"):
        made.update(0, nd.ones((2, 2)), nd.ones((2, 2)), nd.zeros((2, 1)))


# --- settings ---------------------------------------------------------------------------------


def test_create_finds_names_of_any_case() -> None:
    assert isinstance(optimizer.create("AdaGrad"), optimizer.AdaGrad)
    with pytest.raises(OptimizerError, match=r"Cannot find optimizer adan; known: .*adadelta"):
        optimizer.create("adan")


def test_registering_over_a_name_is_a_warning() -> None:
    @optimizer.register
    class Twice(Optimizer):
        pass

    try:
        assert isinstance(optimizer.create("twice"), Twice)
        with pytest.warns(UserWarning, match="optimizer 'twice' is now"):
            optimizer.register(type("Twice", (Optimizer,), {}))
    finally:
        del Optimizer.opt_registry["twice"]


def test_the_base_class_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="Optimizer must define update"):
        Optimizer().update(0, nd.ones((1,)), nd.ones((1,)), None)


def rates(made: Optimizer, count: int) -> list[tuple[float, float]]:
    return [(made._get_lr(i), made._get_wd(i)) for i in range(count)]


def test_names_decide_about_weight_decay() -> None:
    names = {0: "a_weight", 1: "a_bias", 2: "bn_gamma", 3: "bn_beta"}
    made = SGD(learning_rate=0.5, wd=0.25, param_idx2name=names)
    assert [wd for _, wd in rates(made, 5)] == [0.25, 0, 0.25, 0, 0.25]
    made.set_wd_mult({"a_bias": 2.0, 4: 0.0})
    made.set_lr_mult({"a_weight": 4.0, 1: 0.0})
    expected = [(2.0, 0.25), (0.0, 0.5), (0.5, 0.25), (0.5, 0.0), (0.5, 0.0)]
    assert rates(made, 5) == expected


def test_parameters_decide_before_names() -> None:
    bias = SimpleNamespace(lr_mult=2.0, wd_mult=4.0)
    made = SGD(learning_rate=0.5, wd=0.25, param_idx2name={0: "a_bias"}, param_dict={0: bias})
    assert rates(made, 1) == [(1.0, 1.0)]


def test_variables_of_a_symbol_declare_factors() -> None:
    weight = sym.var("fc_weight", lr_mult=2.0, wd_mult=3.0)
    net = sym.FullyConnected(sym.var("data"), weight, num_hidden=2, name="fc")
    names = {0: "fc_weight", 1: "fc_bias"}
    made = SGD(learning_rate=0.5, wd=0.25, sym=net, param_idx2name=names)
    assert rates(made, 2) == [(1.0, 0.75), (0.5, 0.0)]


def test_a_schedule_decides_the_rate() -> None:
    made = SGD(lr_scheduler=FactorScheduler(2, 0.5, base_lr=0.3))
    update, weight = Updater(made), nd.zeros((1,))
    seen = []
    for _ in range(5):
        before = weight.asscalar()
        update(0, nd.ones((1,)), weight)
        seen.append(round(float(before - weight.asscalar()), 4))
    assert seen == [0.3, 0.3, 0.15, 0.15, 0.075]
    assert made.learning_rate == 0.075
    with pytest.raises(
        OptimizerError, match="LRScheduler of the optimizer has already been defined"
    ) as caught:
        made.set_learning_rate(1.0)
    assert isinstance(caught.value, UserWarning)  # what MXNet raises


@pytest.mark.parametrize(
    ("several", "asked"), [(0, [1, 2, 3]), (1, [[1], [2], [3]]), (2, [[1, 2], [3]])]
)
def test_own_rates_are_asked_about_as_many_weights_as_an_update_takes(
    several: int, asked: list[Any]
) -> None:
    calls: list[Any] = []

    class Own(Adam):  # as Keras has them
        def _get_lr(self, index: Any) -> float:
            calls.append(index)
            return 0.5

        def _get_lrs(self, indices: Any) -> list[float]:
            calls.append(list(indices))
            return [0.5] * min(self.aggregate_num, len(indices))

    own = Own()
    own.aggregate_num = several
    weights, grads = [nd.ones((2,)) for _ in range(3)], [nd.ones((2,)) for _ in range(3)]
    Updater(own)([1, 2, 3], grads, weights)
    assert calls == asked
    for weight in weights:
        np.testing.assert_allclose(weight.asnumpy(), 0.5, rtol=1e-6)


def test_a_rate_beside_a_schedule_is_where_it_begins() -> None:
    with pytest.warns(UserWarning, match="``lr_scheduler`` has been overwritten by"):
        made = SGD(learning_rate=0.2, lr_scheduler=FactorScheduler(2, 0.5, base_lr=0.3))
    assert made.learning_rate == 0.2


# Weights of [1, 2] after a step by [1, -3] at a rate of 0.1, of MXNet 1.9.1.
UNBOUND: dict[str, tuple[list[float], dict[str, Any]]] = {
    "sgd": ([0.9, 2.3], {}),
    "nag": ([0.81, 2.57], {"momentum": 0.9}),
    "lbsgd": ([0.9, 2.3], {}),
    "adam": ([0.9, 2.1], {}),
    "rmsprop": ([0.683772, 2.316228], {"clip_weights": 0}),
    "ftrl": ([0.4495, 1.57475], {}),
    "lamb": ([0.841886, 2.158114], {"lower_bound": 0, "upper_bound": 0}),
}


@pytest.mark.parametrize("bound", [0, -1, None])
@pytest.mark.parametrize("name", UNBOUND)
def test_bounds_that_are_not_above_0_have_no_effect(name: str, bound: int | None) -> None:
    expected, more = UNBOUND[name]
    weight = nd.array([1, 2])
    made = optimizer.create(name, learning_rate=0.1, clip_gradient=bound, **more)
    Updater(made)(0, nd.array([1, -3]), weight)
    np.testing.assert_allclose(weight.asnumpy(), expected, rtol=1e-5)
    assert made.clip_gradient == bound


def test_a_bound_may_become_0_between_steps() -> None:
    weight = nd.array([1, 2])
    updater = Updater(optimizer.create("sgd", learning_rate=0.1, clip_gradient=0.5))
    updater(0, nd.array([1, -3]), weight)
    updater.optimizer.clip_gradient = 0
    updater(0, nd.array([1, -3]), weight)
    np.testing.assert_allclose(weight.asnumpy(), [0.85, 2.35], rtol=1e-6)


def test_ftml_stays_where_a_rate_is_zero() -> None:
    weights = [nd.array([1, -2]) for _ in range(2)]
    for weight, zeros in zip(weights, (0, 2), strict=True):
        updater = Updater(optimizer.create("ftml", learning_rate=0.1))
        for rate in (0.1, *[0.0] * zeros, 0.1):
            updater.optimizer.set_learning_rate(rate)
            before = weight.asnumpy()
            updater(0, nd.array([0.5, 0.25]), weight)
            assert (weight.asnumpy() == before).all() == (rate == 0)
    found = [weight.asnumpy() for weight in weights]
    np.testing.assert_allclose(found[0], found[1], rtol=0.05)  # the steps were counted


@pytest.mark.parametrize("rate", [{}, {"learning_rate": 0.3}])
def test_a_schedule_of_ftrl_begins_at_its_own_rate(rate: dict[str, float]) -> None:
    made = optimizer.create("ftrl", lr_scheduler=FactorScheduler(100, base_lr=0.2), **rate)
    weight = nd.ones((2,))
    Updater(made)(0, nd.ones((2,)), weight)
    assert (made.learning_rate, made.lr) == (0.2, rate.get("learning_rate", 0.1))
    assert weight.asnumpy().tolist() == pytest.approx([0.399] * 2)


def test_updates_are_counted_by_parameter_and_device() -> None:
    made = SGD(begin_num_update=5)
    made._update_count(0)
    made._update_count([0, 1])
    assert (made.num_update, made._index_update_count) == (7, {0: 7, 1: 6})
    made._set_current_context(1)
    made._update_count([0])
    assert (made.num_update, made._index_update_count) == (7, {0: 6})


def test_wrong_settings_are_named() -> None:
    with pytest.raises(OptimizerError, match="a dict of names by index, not list"):
        SGD(param_idx2name=["a_weight"])
    with pytest.raises(OptimizerError, match="use set_lr_mult"):
        SGD().set_lr_scale({})
    with pytest.raises(TypeError, match="moomentum"):
        SGD(moomentum=0.9)


def test_copies_leave_the_parameters_out() -> None:
    made = SGD(learning_rate=0.5, momentum=0.9, param_dict={0: SimpleNamespace(lr_mult=2.0)})
    for copied in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):  # noqa: S301  # made here
        assert (copied.lr, copied.momentum, copied.param_dict) == (0.5, 0.9, {})


# --- updaters ---------------------------------------------------------------------------------


class Recorder(Optimizer):
    """Notes what it is called with."""

    def __init__(self, aggregate_num: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.aggregate_num = aggregate_num
        self.calls: list[Any] = []

    def create_state(self, index: Any, weight: NDArray) -> Any:  # noqa: ARG002  # MXNet's signature
        return f"state {index}"

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:  # noqa: ARG002  # MXNet's signature
        self.calls.append((index, state))


@pytest.mark.parametrize(
    ("count", "groups"),
    [
        (0, [0, 1, 2, 3]),
        (1, [(0,), (1,), (2,), (3,)]),
        (2, [(0, 1), (2,), (3,)]),
        (9, [(0, 1, 2), (3,)]),
    ],
)
def test_weights_of_one_dtype_are_handed_over_together(count: int, groups: list[Any]) -> None:
    made = Recorder(count)
    weights = [nd.ones((2,))] * 3 + [nd.ones((2,), dtype="float64")]
    Updater(made)([0, 1, 2, 3], weights, weights)
    assert [index for index, _ in made.calls] == groups
    states = [s for _, state in made.calls for s in (state if count else [state])]
    assert states == ["state 0", "state 1", "state 2", "state 3"]


def test_several_half_precision_weights_are_updated_on_their_copies() -> None:
    made = Recorder(4, multi_precision=True)
    weights = [nd.ones((2,), dtype="float16"), nd.ones((2,))]
    Updater(made)([0, 1], weights, weights)
    assert made.calls == [((0,), ["state 0"]), ((1,), ["state 1"])]


@pytest.mark.parametrize("half", [False, True])
def test_an_update_in_the_place_of_a_rule_takes_one_weight_at_a_time(half: bool) -> None:
    class Doubled(SGD):  # as programs for MXNet have it; SGD itself is handed four at once
        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            super().update(index, weight, grad * 2.0, state)

    made = Doubled(learning_rate=0.25, momentum=0.5, multi_precision=half)
    weights = [nd.ones((2,), dtype="float16" if half else "float32") for _ in range(3)]
    gradients = [nd.ones_like(weight) for weight in weights]
    Updater(made)([0, 1, 2], gradients, weights)
    assert [weight.asnumpy().tolist() for weight in weights] == [[0.5, 0.5]] * 3


@pytest.mark.parametrize("count", [0, 4])
def test_no_weights_are_no_work(count: int) -> None:
    made = Recorder(count)
    updater = Updater(made)
    updater([], [], [])
    assert (made.calls, updater.states) == ([], {})


SAVED = [
    ("sgd", {"momentum": 0.9}),
    ("adam", {}),
    ("nadam", {}),
    ("rmsprop", {"centered": True}),
    ("lbsgd", {"batch_scale": 2, "momentum": 0.9}),
    ("lars", {"momentum": 0.9}),
    ("dcasgd", {}),
]


@pytest.mark.parametrize(("name", "kwargs"), SAVED)
@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_saved_states_continue_the_trajectory(
    name: str, kwargs: dict[str, Any], precision: str, rng: np.random.Generator
) -> None:
    half = precision == "float16"
    first = optimizer.get_updater(optimizer.create(name, multi_precision=half, **kwargs))
    weight = nd.array(rng.normal(size=(2, 3)), dtype=precision)
    gradients = [nd.array(rng.normal(size=(2, 3)), dtype=precision) for _ in range(6)]
    for gradient in gradients[:3]:
        first("a_weight", gradient, weight)
    saved, copied = first.get_states(dump_optimizer=True), weight.copy()
    second = optimizer.get_updater(optimizer.create(name, learning_rate=9.0))
    second.set_states(saved)
    assert second.optimizer.lr == first.optimizer.lr
    for gradient in gradients[3:]:
        first("a_weight", gradient, weight)
        second("a_weight", gradient, copied)
    assert (weight.asnumpy() == copied.asnumpy()).all()


def test_states_bring_their_optimizer_along() -> None:
    first = Updater(SGD(momentum=0.9, learning_rate=0.25))
    first(3, nd.ones((2,)), nd.ones((2,)))
    second = Updater(Adam())
    second.set_states(first.get_states(dump_optimizer=True))
    assert isinstance(second.optimizer, SGD)
    assert second.optimizer.momentum == 0.9
    assert second.optimizer.num_update == 1
    second(3, nd.ones((2,)), nd.ones((2,)))
    assert second.optimizer._all_index_update_counts == {0: {3: 2}}


def test_states_alone_leave_the_optimizer() -> None:
    first = Updater(SGD(momentum=0.9))
    first(0, nd.ones((2,)), nd.ones((2,)))
    second = Updater(SGD(momentum=0.5))
    second.set_states(first.get_states())
    assert second.optimizer.momentum == 0.5  # type: ignore[attr-defined]  # it is an SGD
    assert second.states_synced == {0: False}


def test_loaded_states_move_to_the_weight() -> None:
    first = Updater(SGD(momentum=0.9))
    first(0, nd.ones((2,)), nd.ones((2,)))
    second = Updater(SGD(momentum=0.9))
    second.set_states(first.get_states())
    weight = nd.ones((2,), ctx=cpu(1))
    second(0, weight, weight)
    assert second.states[0].context == cpu(1)


def test_schedules_are_saved() -> None:
    schedule = FactorScheduler(1, 0.5, base_lr=1.0)
    first = Updater(SGD(lr_scheduler=schedule))
    for _ in range(3):
        first(0, nd.ones((1,)), nd.ones((1,)))
    saved = first.get_states(dump_optimizer=True)
    for second in (Updater(SGD()), Updater(SGD(lr_scheduler=CosineScheduler(9)))):
        second.set_states(saved)
        assert isinstance(second.optimizer.lr_scheduler, FactorScheduler)
        assert vars(second.optimizer.lr_scheduler) == vars(schedule)


def test_what_cannot_be_saved_is_named() -> None:
    made = SGD()
    made.callback = print  # type: ignore[attr-defined]  # users add attributes
    with pytest.raises(
        optimizer.StatesError, match=r"states\['optimizer'\].*'callback'\] is a builtin_function"
    ):
        Updater(made).get_states(dump_optimizer=True)
    Updater(made).get_states()


def test_unknown_kinds_in_states_are_named() -> None:
    class Step(FactorScheduler):
        pass

    @optimizer.register
    class Passing(SGD):
        pass

    scheduled = Updater(SGD(lr_scheduler=Step(2))).get_states(dump_optimizer=True)
    with pytest.raises(optimizer.StatesError, match="schedule Step, which is not hy's own"):
        Updater(SGD()).set_states(scheduled)
    Updater(SGD(lr_scheduler=Step(3))).set_states(scheduled)
    unknown = Updater(Passing()).get_states(dump_optimizer=True)
    del Optimizer.opt_registry["passing"]
    with pytest.raises(optimizer.StatesError, match="of an optimizer 'passing', not one of"):
        Updater(SGD()).set_states(unknown)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps({0: print}), "damaged: .*pickle"),
        (b"", "damaged"),
        (b"nothing", "damaged"),
    ],
)
def test_foreign_states_are_refused(content: bytes, message: str) -> None:
    with pytest.raises(optimizer.StatesError, match=message):
        Updater(SGD()).set_states(content)


def test_cut_and_changed_states_raise_one_error_or_say_the_same(rng: np.random.Generator) -> None:
    updater = Updater(SGD(momentum=0.9))
    updater(0, nd.ones((2,)), nd.ones((2,)))
    saved = updater.get_states(dump_optimizer=True)
    variants = [saved[:n] for n in range(0, len(saved), 7)]
    for _ in range(500):
        changed = bytearray(saved)
        changed[rng.integers(len(saved))] ^= 1 << int(rng.integers(8))
        variants.append(bytes(changed))
    for variant in variants:
        other = Updater(SGD(momentum=0.5))
        try:
            other.set_states(variant)
        except optimizer.StatesError:
            continue
        assert vars(other.optimizer) == vars(updater.optimizer)  # a field that nothing reads
        assert (other.states[0].asnumpy() == updater.states[0].asnumpy()).all()
