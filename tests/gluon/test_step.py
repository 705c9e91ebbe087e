"""Steps as programs: what `update` gives, in place, one program for many steps; users' rules."""

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from hy_gluon import Parameter, Trainer, loss, nn, optimizer
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.optimizer import SGD, Adam, Optimizer, Updater
from hy_kernels.numpy import table as numpy_table
from hy_ndarray import (
    ArgumentError,
    AutogradError,
    DTypeError,
    NDArray,
    ShapeError,
    autograd,
    cpu,
    nd,
    np as np_array,
    use_kernels,
)
from hy_ndarray.core.semantics import reset_np, set_np
from tests.kernels.tiny_table import TinyTable

CASES: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {}),
    ("sgd", {"momentum": 0.9}),
    ("nag", {}),
    ("nag", {"momentum": 0.9}),
    ("signum", {}),
    ("signum", {"momentum": 0.0}),
    ("signum", {"momentum": 0.5, "wd_lh": 0.1}),
    ("dcasgd", {}),
    ("dcasgd", {"momentum": 0.5}),
    ("adam", {}),
    ("adabelief", {}),
    ("adamw", {}),
    ("adamax", {}),
    ("nadam", {}),
    ("ftml", {}),
    ("adagrad", {}),
    ("groupadagrad", {}),
    ("adadelta", {}),
    ("rmsprop", {}),
    ("rmsprop", {"centered": True}),
    ("rmsprop", {"clip_weights": 0.5}),
    ("ftrl", {}),
    ("lamb", {}),
    ("lans", {"lower_bound": 0.5, "upper_bound": 1.5}),
    ("lamb", {"lower_bound": 0.5, "upper_bound": 1.5, "bias_correction": False}),
    ("lars", {}),
    ("lars", {"momentum": 0.9, "eps": 0.5}),
    ("lbsgd", {"momentum": 0.9}),
    ("lion", {}),
    ("muon", {}),
    ("adafactor", {}),
    ("schedulefreesgd", {}),
    ("schedulefreeadamw", {}),
    ("test", {}),
]
COMMON: list[dict[str, Any]] = [{}, {"wd": 0.05}, {"wd": 0.05, "clip_gradient": 0.15}]
SHAPES = [(3, 4), (300, 250), (5, 1), (2, 7)]
"""The second one is more than a block that goes through a rule at a time."""
WITHOUT_RULE = {"lbsgd", "sgld"}


def drawn(rng: np.random.Generator, dtype: str) -> list[NDArray]:
    return [nd.array(rng.normal(size=shape), dtype=dtype) for shape in SHAPES]


def arrays_in(state: Any) -> list[NDArray]:
    if isinstance(state, list | tuple):
        return [x for part in state for x in arrays_in(part)]
    return [] if state is None else [state]


def assert_same(found: list[NDArray], expected: list[NDArray]) -> None:
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x.asnumpy(), y.asnumpy())


def traced(updater: Updater) -> int:
    """How many programs an updater has made."""
    return updater._step.traced


@pytest.mark.parametrize("common", COMMON, ids=["plain", "decay", "clipped"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(("name", "kwargs"), CASES)
def test_a_program_gives_what_update_gives(
    name: str,
    kwargs: dict[str, Any],
    dtype: str,
    common: dict[str, Any],
    rng: np.random.Generator,
) -> None:
    settings = {**kwargs, **common, "multi_precision": True}
    if name == "groupadagrad":
        settings["wd"] = 0.0
    together, alone = (optimizer.create(name, learning_rate=0.1, **settings) for _ in range(2))
    for made in (together, alone):
        made.set_lr_mult({1: 0.5})
        made.set_wd_mult({0: 0.0, 2: 3.0})
    updater = Updater(together)
    weights = drawn(rng, dtype)
    copies = [weight.copy() for weight in weights]
    states = [alone.create_state_multi_precision(i, w) for i, w in enumerate(copies)]
    for step in range(5):
        grads = drawn(rng, dtype)
        for made in (together, alone):
            made.set_learning_rate(0.1 / (1 + step))
            made.rescale_grad = 0.5 if step < 3 else 0.0625
        updater([0, 1, 2, 3], grads, weights)
        for i, grad in enumerate(grads):
            with autograd.record():  # where no program is used
                alone.update_multi_precision(i, copies[i], grad, states[i])
    assert_same(weights, copies)
    assert_same(arrays_in([updater.states[i] for i in range(4)]), arrays_in(states))
    assert together.__getstate__().keys() == alone.__getstate__().keys()
    assert (together.num_update, together._index_update_count) == (5, dict.fromkeys(range(4), 5))
    if name not in WITHOUT_RULE:
        asks = name in ("adamw", "lars") and "wd" in common  # of one weight there is no decay
        assert traced(updater) == (2 if asks or name == "muon" else 1)  # tall and wide matrices
    assert {np.dtype(weight.dtype).name for weight in weights} == {dtype}


def test_every_other_optimizer_has_a_rule() -> None:
    own = {n: k for n, k in Optimizer.opt_registry.items() if k.__module__[:3] == "hy_"}
    assert {n for n, k in own.items() if not k()._hy_uses_rule()} == WITHOUT_RULE
    assert set(own) - {name for name, _ in CASES} == {"ccsgd", "sgld"}


@pytest.mark.parametrize(("name", "kwargs"), CASES)
def test_a_rule_reads_no_other_settings_than_it_names(name: str, kwargs: dict[str, Any]) -> None:
    kind = type(optimizer.create(name))
    if name in WITHOUT_RULE:
        assert kind.rule is Optimizer.rule
        return

    class Watched(kind):  # type: ignore[misc, valid-type]  # a class found at run time
        reads: ClassVar[set[str]] = set()

        def __getattribute__(self, attribute: str) -> Any:
            if attribute in object.__getattribute__(self, "__dict__"):
                Watched.reads.add(attribute)
            return super().__getattribute__(attribute)

    updater, weight = Updater(Watched(clip_gradient=1.0, **kwargs)), nd.ones((2, 2))
    updater(0, weight.copy(), weight)
    made, state = updater.optimizer, updater.states[0]
    variant = made.rule_variant(0, made.wd)
    seen: list[Any] = []

    class Told:
        def __getattr__(self, attribute: str) -> Any:
            seen.append(attribute)
            return {"variant": variant, "dtype": "float32", "t": 1}.get(attribute, 0.5)

    Watched.reads.clear()
    made.rule(weight, weight.copy(), state, Told())
    assert Watched.reads == set()
    assert "clip_gradient" in seen or name == "test"


# --- one program for many steps ---------------------------------------------------------------


def parameters(count: int = 3, ctx: Any = None, **kwargs: Any) -> list[Parameter]:
    made = [Parameter(f"{i}_weight", shape=(i + 2, 2), init="ones", **kwargs) for i in range(count)]
    for parameter in made:
        parameter.initialize(ctx=ctx)
    return made


def backward(learned: list[Parameter], *chosen: int) -> None:
    contexts = learned[0].list_ctx()
    with autograd.record():
        losses = [
            sum(
                (p.data(ctx) * p.data(ctx)).sum()
                for i, p in enumerate(learned)
                if not chosen or i in chosen
            )
            for ctx in contexts
        ]
    autograd.backward(losses)


def values(learned: list[Parameter]) -> list[Any]:
    return [parameter.data().asnumpy().ravel().tolist() for parameter in learned]


def test_what_changes_from_step_to_step_needs_no_other_program() -> None:
    learned = parameters(wd_mult=1.0)
    trainer = Trainer(learned, "sgd", {"momentum": 0.9, "clip_gradient": 5.0})
    for step in range(8):
        trainer.set_learning_rate(0.1 / (step + 1))
        trainer.optimizer.momentum = 0.5 + step / 20  # type: ignore[attr-defined]  # it is an SGD
        trainer.optimizer.wd = step / 100
        trainer.optimizer.clip_gradient = 5.0 - step / 10
        learned[1].lr_mult = 1.0 + step
        backward(learned)
        trainer.step(step + 1)
    assert traced(trainer._updaters[0]) == 1


def test_changed_settings_count_at_once() -> None:
    found = []
    for settings in ({"momentum": 0.9}, {"momentum": 0.9, "clip_gradient": 0.5}):
        weight = nd.ones((2,))
        updater = Updater(SGD(learning_rate=1.0, momentum=0.5, clip_gradient=None))
        updater(0, nd.ones((2,)), weight)  # velocity -1
        for name, value in settings.items():
            setattr(updater.optimizer, name, value)
        updater(0, nd.ones((2,)), weight)
        found.append(weight.asnumpy().tolist())
    np.testing.assert_allclose(found, [[-1.9] * 2, [-1.4] * 2], rtol=1e-6)


def test_counts_that_differ_follow_a_schedule_one_by_one(rng: np.random.Generator) -> None:
    schedules = [FactorScheduler(2, 0.5, base_lr=0.001) for _ in range(2)]
    together, alone = (Adam(lr_scheduler=schedule) for schedule in schedules)
    updater = Updater(together)
    weights = drawn(rng, "float32")
    copies = [weight.copy() for weight in weights]
    states = [alone.create_state(i, w) for i, w in enumerate(copies)]
    for count in (2, 2, 4, 3, 4):
        grads = drawn(rng, "float32")
        chosen = list(range(count))[::-1]
        updater(chosen, [grads[i] for i in chosen], [weights[i] for i in chosen])
        for i in chosen:
            with autograd.record():  # where no program is used
                alone.update(i, copies[i], grads[i], states[i])
    assert_same(weights, copies)


def test_parts_of_the_parameters_are_updated_by_the_same_program() -> None:
    learned = parameters(3)
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25})
    for chosen in ((0,), (0, 1), (2,), (1, 2), (0, 1, 2)):
        backward(learned, *chosen)
        trainer.step(1, ignore_stale_grad=True)
    assert [row[0] for row in values(learned)] == [0.5**3] * 3
    assert traced(trainer._updaters[0]) == 1


# --- in place ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sgd", "adam", "adamax", "lamb"])
def test_weights_and_states_stay_where_they_are(name: str) -> None:
    updater, weight = Updater(optimizer.create(name)), nd.ones((3, 2))
    weight.attach_grad()
    updater(0, nd.ones((3, 2)), weight)
    kept = [weight, *arrays_in(updater.states[0])]
    buffers, gradient = [x.buffer for x in kept], weight.grad
    updater(0, nd.ones((3, 2)), weight)
    assert [weight, *arrays_in(updater.states[0])][0] is kept[0]
    assert all(x.buffer is buffer for x, buffer in zip(kept, buffers, strict=True))
    assert weight.grad is gradient
    assert weight.asnumpy()[0, 0] != 1


def test_planned_prediction_sees_the_weights_that_a_step_changed() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=4), nn.BatchNorm(), nn.Dense(2, in_units=8))
    net.initialize()
    x = nd.random.normal(shape=(3, 4))
    net.hybridize(static_alloc=True, static_shape=True)
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9})
    for _ in range(3):
        before = net(x).asnumpy()
        with autograd.record():
            value = (net(x) ** 2).sum()
        value.backward()
        trainer.step(3)
        after = net(x).asnumpy()
        net.hybridize(active=False)
        np.testing.assert_allclose(net(x).asnumpy(), after, rtol=1e-5, atol=1e-6)
        net.hybridize(static_alloc=True, static_shape=True)
        assert (before != after).any()


BLOCKS = TinyTable("blocks", tuple(numpy_table().names()))  # its buffers are no numpy arrays


@pytest.mark.parametrize("table", ["numpy", BLOCKS], ids=["numpy", "blocks"])
def test_a_kernel_table_may_be_chosen_again_between_steps(table: Any) -> None:
    learned = parameters()
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25, "momentum": 0.5})
    backward(learned)
    trainer.step(1)
    with use_kernels(table):
        backward(learned)
        trainer.step(1)
    backward(learned)
    trainer.step(1)
    assert [row[0] for row in values(learned)] == [-0.25] * 3


# --- arrays that are replaced, and that do not fit --------------------------------------------


def test_parameters_may_be_set_made_anew_and_left_out_between_steps() -> None:
    learned = parameters()
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25})
    backward(learned)
    trainer.step(1)
    learned[0].set_data(nd.ones((2, 2)))
    learned[1].initialize(force_reinit=True)
    learned[2].grad_req = "null"
    backward(learned)
    trainer.step(1)
    assert [row[0] for row in values(learned)] == [0.5, 0.5, 0.5]
    learned[2].grad_req = "add"
    backward(learned)
    backward(learned)
    trainer.step(1)
    assert [row[0] for row in values(learned)] == [0.25, 0.25, 0.0]


def test_parameters_without_states_may_be_cast_between_steps() -> None:
    learned = parameters()
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25})
    for dtype in ("float32", "float64"):
        for parameter in learned:
            parameter.cast(dtype)
        backward(learned)
        trainer.step(1)
    assert [row[0] for row in values(learned)] == [0.25] * 3
    assert learned[0].data().dtype is np.float64


def test_arrays_that_do_not_fit_are_refused_by_name_and_nothing_changes() -> None:
    weight = nd.ones((2,))
    updater = Updater(SGD(learning_rate=1.0))
    with pytest.raises(ShapeError, match=r"multi_sgd_update.*\(3,\)"):
        updater(0, nd.ones((3,)), weight)
    for wrong, error in ((nd.ones((3,)), ShapeError), (nd.ones((2,), dtype="int32"), DTypeError)):
        with pytest.raises(error, match="adam_update"):
            Updater(Adam())(0, wrong, weight)
    assert weight.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize(("name", "kwargs"), CASES)
def test_states_loaded_in_the_middle_go_on(
    name: str, kwargs: dict[str, Any], rng: np.random.Generator
) -> None:
    first = Updater(optimizer.create(name, **kwargs))
    weights, index = drawn(rng, "float32"), list(range(len(SHAPES)))
    for _ in range(2):
        first(index, drawn(rng, "float32"), weights)
    saved, copies = first.get_states(dump_optimizer=True), [weight.copy() for weight in weights]
    second = Updater(optimizer.create(name, learning_rate=9.0))
    second(index, drawn(rng, "float32"), drawn(rng, "float32"))
    second.set_states(saved)
    for _ in range(2):
        grads = drawn(rng, "float32")
        first(index, grads, weights)
        second(index, grads, copies)
    assert_same(weights, copies)


def test_gradients_may_be_other_arrays_each_time() -> None:
    updater, weight = Updater(SGD(learning_rate=1.0)), nd.ones((2,))
    for grad in (nd.ones((2,)), nd.ones((2,)) * 2, nd.ones((2,))):
        updater(0, grad, weight)
    assert weight.asnumpy().tolist() == [-3, -3]
    with pytest.raises(ShapeError):
        updater(0, nd.ones((3,)), weight)
    updater(0, nd.ones((2,)), weight)
    assert weight.asnumpy().tolist() == [-4, -4]
    assert traced(updater) == 1


def test_updaters_can_be_pickled_and_copied() -> None:
    updater, weight = Updater(SGD(learning_rate=1.0, momentum=0.5)), nd.ones((2,))
    updater(0, nd.ones((2,)), weight)
    for twin in (pickle.loads(pickle.dumps(updater)), copy.deepcopy(updater)):  # noqa: S301  # made here
        other = weight.copy()
        twin(0, nd.ones((2,)), other)
        assert other.asnumpy().tolist() == [-1.5, -1.5]
    assert updater.states[0].asnumpy().tolist() == [-1, -1]


def test_settings_that_are_no_numbers_are_named() -> None:
    updater = Updater(SGD(momentum=[0.9]))  # type: ignore[arg-type]  # the user's mistake
    with pytest.raises(ArgumentError, match="multi_sgd_mom_update: parameter momentum="):
        updater(0, nd.ones((2,)), nd.ones((2,)))


# --- contexts and threads ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sgd", "adam", "nadam", "lars"])
def test_several_contexts_give_what_one_gives(name: str) -> None:
    found = []
    for contexts in ([cpu(0)], [cpu(0), cpu(1)]):
        learned = parameters(ctx=contexts)
        trainer = Trainer(learned, name, {"learning_rate": 0.1})
        for _ in range(3):
            backward(learned)
            trainer.step(len(contexts))
        rows = [[p.data(ctx).asnumpy().tolist() for p in learned] for ctx in contexts]
        assert rows == [rows[0]] * len(contexts)
        found.append(rows[0])
    assert found[0] == found[1]


def trained(seed: int) -> list[Any]:
    """The weights of a small net after some steps."""
    rng = np.random.default_rng(seed)
    net = nn.HybridSequential()
    net.add(nn.Dense(300, activation="relu", in_units=250), nn.Dense(2, in_units=300))
    net.initialize()
    net.hybridize(static_alloc=True)
    for parameter in net.collect_params().values():
        parameter.set_data(nd.array(rng.normal(size=parameter.shape) * 0.05))
    x, y = nd.array(rng.normal(size=(8, 250))), nd.array(np.arange(8) % 2)
    criterion = loss.SoftmaxCrossEntropyLoss()
    trainer = Trainer(net.collect_params(), ("sgd", "adam")[seed % 2], {"learning_rate": 0.01})
    for _ in range(5):
        with autograd.record():
            value = criterion(net(x), y)
        value.backward()
        trainer.step(8)
    return [parameter.data().asnumpy() for parameter in net.collect_params().values()]


def test_threads_may_train_nets_of_their_own() -> None:
    found: dict[int, list[Any]] = {}

    def run(seed: int) -> Callable[[], None]:
        return lambda: found.update({seed: trained(seed)})

    threads = [threading.Thread(target=run(seed)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(4):
        for x, y in zip(found[seed], trained(seed), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-7)


# --- users' own optimizers --------------------------------------------------------------------


class Halving(Optimizer):
    """Defines ``update``, as optimizers for MXNet do."""

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:  # noqa: ARG002  # MXNet's signature
        self._update_count(index)
        weight[:] = weight - grad / 2


class Doubling(SGD):
    """Changes what a built-in optimizer does."""

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        super().update(index, weight, 2 * grad, state)


class Weighted(Optimizer):
    """Defines a rule instead."""

    rule_settings: ClassVar[tuple[str, ...]] = ("power",)

    def __init__(self, power: float = 2.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.power = power

    def create_state(self, index: Any, weight: NDArray) -> Any:  # noqa: ARG002  # MXNet's signature
        return nd.zeros_like(weight)

    def rule(self, weight: Any, grad: Any, state: Any, n: Any) -> tuple[Any, Any]:
        total = state + grad * n.rescale_grad
        return weight - total * n.lr * n.power, total


def test_an_optimizer_that_defines_update_is_called() -> None:
    learned = parameters()
    trainer = Trainer(learned, Halving())
    backward(learned)
    trainer.step(1)
    assert [row[0] for row in values(learned)] == [0.0] * 3
    assert trainer.optimizer.num_update == 1
    assert traced(trainer._updaters[0]) == 0


def test_after_set_np_users_optimizers_see_arrays_of_np() -> None:
    seen = []

    class Noting(Optimizer):
        def create_state(self, index: Any, weight: Any) -> Any:  # noqa: ARG002  # MXNet's signature
            seen.append(type(weight))

        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:  # noqa: ARG002  # MXNet's signature
            seen.extend([type(weight), type(grad)])
            weight -= grad * self.rescale_grad

    set_np()
    try:
        for made in (Noting(), SGD(learning_rate=1.0)):
            learned = parameters(1)
            trainer = Trainer(learned, made)
            for _ in range(2):
                backward(learned)
                trainer.step(2)
            assert learned[0].data().tolist() == [[0, 0], [0, 0]]
    finally:
        reset_np()
    assert set(seen) == {np_array.ndarray}


def test_update_of_a_subclass_or_of_one_object_comes_before_the_rule() -> None:
    learned = parameters()
    trainer = Trainer(learned, Doubling(learning_rate=0.25))
    backward(learned)
    trainer.step(1)
    assert [row[0] for row in values(learned)] == [0.0] * 3
    calls = []
    single = SGD()
    single.update = lambda *arguments: calls.append(arguments[0])  # type: ignore[method-assign]
    Updater(single)([3, 4], [nd.ones((2,))] * 2, [nd.ones((2,)), nd.ones((2,))])
    assert calls == [3, 4]


def test_an_optimizer_that_defines_a_rule_is_a_program_and_can_be_called() -> None:
    learned = parameters()
    trainer = Trainer(learned, Weighted(learning_rate=0.125))
    for _ in range(2):
        backward(learned)
        trainer.step(1)
    assert traced(trainer._updaters[0]) == 1
    made, weight, state = Weighted(learning_rate=0.125), nd.ones((2,)), nd.zeros((2,))
    for _ in range(2):
        made.update(0, weight, 2 * weight, state)
    assert [row[0] for row in values(learned)] == [weight.asnumpy()[0]] * 3 == [-0.25] * 3


def test_update_of_a_weight_in_a_recorded_graph_is_refused() -> None:
    weight = nd.ones((2,))
    weight.attach_grad()
    with autograd.record():
        loss_of = (weight * weight).sum()
        with pytest.raises(AutogradError, match="part of a recorded graph"):
            SGD().update(0, weight, nd.ones((2,)), None)
    loss_of.backward()
    SGD(learning_rate=0.5).update(0, weight, nd.ones((2,)), None)
    assert weight.asnumpy().tolist() == [0.5, 0.5]


def test_update_of_a_half_weight_takes_its_own_state() -> None:
    made, weight = SGD(learning_rate=0.5, momentum=0.5, multi_precision=True), nd.ones((2,))
    half = weight.astype("float16")
    made.update(0, half, half.copy(), nd.zeros_like(half))
    assert half.asnumpy().tolist() == [0.5, 0.5]


def test_a_rule_that_draws_goes_operator_by_operator() -> None:
    class Noisy(Optimizer):
        def rule(self, weight: Any, grad: Any, state: Any, n: Any) -> tuple[Any, Any]:  # noqa: ARG002  # see Optimizer
            return weight - nd.random.normal_like(weight) * n.lr, state

    weight, updater = nd.zeros((100,)), Updater(Noisy(learning_rate=0.5))
    for variance in (0.25, 0.5):
        updater(0, weight, weight)
        assert weight.asnumpy().var() == pytest.approx(variance, rel=0.5)
    assert traced(updater) == 0
