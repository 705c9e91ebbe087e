"""Estimator: training, evaluation, metrics, contexts, events, and what it refuses."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

import mxnet as mx
from hy_gluon import Trainer, contrib, initializer, metric, nn
from hy_gluon.contrib.estimator import (
    BatchProcessor,
    Estimator,
    EstimatorError,
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    StoppingHandler,
)
from hy_gluon.data import ArrayDataset, DataLoader
from hy_gluon.loss import L1Loss, L2Loss, Loss, SigmoidBCELoss, SoftmaxCrossEntropyLoss
from hy_gluon.metric import Accuracy, CompositeEvalMetric, CrossEntropy
from hy_ndarray import ShapeError, cpu, gpu, nd, num_gpus
from tests.gluon.estimator_case import (
    TWO_EPOCHS,
    Recorder,
    estimator,
    loader,
    net,
    quiet,
    trainer,
    weight,
)

PACKAGE = contrib.estimator
NAMES = [info.name for info in pkgutil.iter_modules(PACKAGE.__path__, f"{PACKAGE.__name__}.")]
MODULES = [importlib.import_module(name) for name in NAMES]

FOUR_EPOCHS = [[-0.2270369, -1.3515143, -0.0975949], [0.2270389, 1.401515, 0.4475924]]
TWO_EPOCHS_OF_8 = [[-0.0433516, -0.472435, 0.2046605], [0.0433521, 0.5224357, 0.1453391]]
FIVE_BATCHES = [[-0.0343235, -0.5628431, 0.1831532], [0.0343239, 0.6128437, 0.1668461]]


def values(trained: Estimator) -> dict[str, float]:
    return dict(one.get() for one in (*trained.train_metrics, *trained.val_metrics))


# --- training --------------------------------------------------------------------------------


@pytest.mark.parametrize("hybrid", [False, True])
def test_fit_trains_and_measures_as_mxnet(hybrid: bool) -> None:
    trained = quiet(hybrid=hybrid)
    trained.fit(loader(), loader(6), epochs=2)
    np.testing.assert_allclose(weight(trained), TWO_EPOCHS, atol=2e-6)
    assert values(trained) == pytest.approx(
        {
            "training accuracy": 1.0,
            "training softmaxcrossentropyloss": 0.4390716,
            "validation accuracy": 1.0,
            "validation softmaxcrossentropyloss": 0.2731198,
        },
        abs=2e-6,
    )


def test_another_fit_goes_on_where_the_last_one_ended() -> None:
    trained = quiet()
    trained.fit(loader(), epochs=2)
    trained.fit(loader(), epochs=2)
    np.testing.assert_allclose(weight(trained), FOUR_EPOCHS, atol=4e-6)


def test_a_number_of_batches_may_end_within_an_epoch() -> None:
    trained = quiet()
    recorder = Recorder()
    trained.fit(loader(), batches=5, event_handlers=[recorder])
    np.testing.assert_allclose(weight(trained), FIVE_BATCHES, atol=2e-6)
    assert recorder.notes.count("batch_end") == 5
    assert recorder.notes.count("epoch_end") == 2


@pytest.mark.parametrize("hybrid", [False, True])
def test_several_contexts_train_as_one(hybrid: bool) -> None:
    trained = quiet(ctx=[cpu(0), cpu(1)], hybrid=hybrid)
    trained.fit(loader(8), loader(8), epochs=2)
    np.testing.assert_allclose(weight(trained), TWO_EPOCHS_OF_8, atol=2e-6)
    assert values(trained)["validation softmaxcrossentropyloss"] == pytest.approx(
        0.3804515, abs=2e-6
    )


def test_contexts_share_a_batch_that_they_do_not_divide() -> None:
    one, two = quiet(), quiet(ctx=[cpu(0), cpu(1)])
    for trained in (one, two):
        trained.fit(loader(9, batch_size=3), epochs=1)
    np.testing.assert_allclose(weight(two), weight(one), atol=1e-6)


def test_fewer_examples_than_contexts_are_refused() -> None:
    trained = quiet(ctx=[cpu(0), cpu(1)])
    with pytest.raises(EstimatorError, match="batch of 1 cannot be shared by 2 contexts"):
        trained.fit(loader(9), epochs=1)


@pytest.mark.parametrize("kind", ["list", "tuple of arrays", "generator"])
def test_any_iterable_of_batches_will_do(kind: str) -> None:
    def batches() -> Iterator[Any]:
        yield from loader()

    data: Any = {
        "list": list(loader()),
        "tuple of arrays": [(x.asnumpy(), label.asnumpy()) for x, label in loader()],
        "generator": batches(),
    }[kind]
    expected, trained = quiet(), quiet()
    expected.fit(loader(), epochs=1)
    trained.fit(data, epochs=1)
    np.testing.assert_array_equal(weight(trained), weight(expected))


def test_an_iterator_that_is_used_up_is_told_from_training() -> None:
    trained = quiet()
    with pytest.raises(EstimatorError, match=r"train_data gave no batches.*use a list"):
        trained.fit(iter(loader()), epochs=2)
    with pytest.raises(EstimatorError, match="val_data gave no batches"):
        trained.evaluate([])


def test_the_axis_of_the_examples_can_be_another() -> None:
    class Transposed(nn.HybridSequential):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return super().hybrid_forward(F, F.transpose(x))

    transposed = Transposed()
    transposed.add(net())
    trained = quiet(net=transposed)
    handler = LoggingHandler(1, trained.train_metrics)
    batches = [(x.T, label) for x, label in loader()]
    trained.fit(batches, epochs=1, batch_axis=1, event_handlers=[handler])
    assert handler.processed_samples == 10  # MXNet counts 3 for each batch: the other axis
    expected = quiet()
    expected.fit(loader(), epochs=1)
    dense = transposed[0]
    assert isinstance(dense, nn.Dense)
    np.testing.assert_allclose(dense.weight.data().asnumpy(), weight(expected), atol=1e-7)


def test_a_mean_loss_takes_the_same_step_as_a_loss_of_each_example() -> None:
    class MeanLoss(SoftmaxCrossEntropyLoss):
        def hybrid_forward(self, F: Any, *args: Any, **kwargs: Any) -> Any:
            return F.mean(super().hybrid_forward(F, *args, **kwargs))

    single, mean = quiet(), quiet(loss=MeanLoss())
    for trained in (single, mean):
        trained.fit(loader(4), epochs=1)
    np.testing.assert_allclose(weight(mean), weight(single), atol=1e-7)


def digits(part: slice) -> DataLoader:
    """Images ``[8, 8]`` with values from 0 to 1 and their labels, in a fixed random order."""
    data = load_digits()
    chosen = np.random.default_rng(0).permutation(len(data.target))[part]
    images = (data.images[chosen] / 16).astype(np.float32)
    return DataLoader(ArrayDataset(images, data.target[chosen].astype(np.float32)), batch_size=50)


def learn_digits(*, hybrid: bool) -> dict[str, float]:
    """What 8 epochs with one hidden layer reach on 1500 images, and on 297 others."""
    mx.random.seed(1)
    classifier = nn.HybridSequential()
    classifier.add(nn.Dense(64, activation="relu"), nn.Dense(10))
    classifier.initialize(initializer.Xavier())
    learned = Trainer(classifier.collect_params(), "adam", {"learning_rate": 0.01})
    trained = quiet(net=classifier, trainer=learned, hybrid=hybrid)
    trained.fit(digits(slice(1500)), digits(slice(1500, None)), epochs=8)
    return values(trained)


@pytest.mark.slow
def test_handwritten_digits_are_learned_the_same_every_time() -> None:
    found = learn_digits(hybrid=False)
    assert found["validation accuracy"] == pytest.approx(291 / 297, abs=1.5 / 297)
    assert found["training accuracy"] == pytest.approx(1468 / 1500, abs=7.5 / 1500)
    assert learn_digits(hybrid=False) == found
    graph = learn_digits(hybrid=True)
    assert graph["validation accuracy"] == pytest.approx(
        found["validation accuracy"], abs=1.5 / 297
    )


# --- evaluation ------------------------------------------------------------------------------


def test_evaluate_measures_without_training() -> None:
    trained = quiet()
    before = weight(trained)
    assert trained.evaluate(loader(6)) is None  # type: ignore[func-returns-value]
    np.testing.assert_array_equal(weight(trained), before)
    found = values(trained)
    assert found["validation accuracy"] == pytest.approx(4 / 6)
    assert found["validation softmaxcrossentropyloss"] == pytest.approx(0.5994, abs=5e-5)
    assert np.isnan(found["training accuracy"])


def test_evaluate_predicts() -> None:
    seen: list[bool] = []

    class Mode(nn.Block):
        def forward(self, x: Any) -> Any:
            seen.append(mx.autograd.is_training())
            return net()(x)

    trained = quiet(val_net=Mode())
    trained.fit(loader(4), loader(4), epochs=1)
    assert seen == [False]


def test_validation_can_have_its_own_net_and_loss() -> None:
    zeros = nn.Dense(2, in_units=3)
    zeros.initialize("zeros")
    trained = quiet(val_net=zeros, val_loss=SoftmaxCrossEntropyLoss(weight=2.0))
    trained.evaluate(loader())
    assert values(trained)["validation softmaxcrossentropyloss"] == pytest.approx(2 * np.log(2))


# --- metrics ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "names"),
    [
        (SoftmaxCrossEntropyLoss(), ["accuracy", "softmaxcrossentropyloss"]),
        (L2Loss(), ["l2loss"]),
        (SigmoidBCELoss(), ["sigmoidbinarycrossentropyloss"]),
        (L2Loss(prefix="own12_"), ["own"]),
    ],
    ids=["classifier", "regression", "binary", "prefix"],
)
def test_metrics_follow_from_the_loss(loss: Loss, names: list[str]) -> None:
    made = quiet(loss=loss)
    assert [one.name for one in made.train_metrics] == [f"training {name}" for name in names]
    assert [one.name for one in made.val_metrics] == [f"validation {name}" for name in names]


def test_metrics_of_validation_are_copies_of_those_of_training() -> None:
    own = CrossEntropy(eps=1e-9)
    made = quiet(train_metrics=own)
    assert made.train_metrics[0] is own
    (copied,) = made.val_metrics
    assert isinstance(copied, CrossEntropy)
    assert copied is not own
    assert (own.name, copied.name) == ("training cross-entropy", "validation cross-entropy")


@pytest.mark.parametrize(
    "given",
    [
        [Accuracy(), metric.Loss()],
        (Accuracy(), metric.Loss()),
        CompositeEvalMetric([Accuracy(), metric.Loss()]),
        [CompositeEvalMetric([Accuracy(), metric.Loss()])],
    ],
    ids=["list", "tuple", "composite", "composite in a list"],
)
def test_metrics_come_in_lists_and_composites(given: Any) -> None:
    made = quiet(train_metrics=given)
    assert [one.name for one in made.train_metrics] == ["training accuracy", "training loss"]
    assert [one.name for one in made.val_metrics] == ["validation accuracy", "validation loss"]


def test_metrics_of_another_estimator_keep_their_names() -> None:
    first = quiet(train_metrics=Accuracy())
    second = quiet(train_metrics=first.train_metrics, val_metrics=first.val_metrics)
    assert [one.name for one in second.train_metrics] == ["training accuracy"]
    assert [one.name for one in second.val_metrics] == ["validation accuracy"]


def test_metrics_begin_anew_in_each_epoch() -> None:
    trained = quiet(train_metrics=Accuracy())
    trained.fit(loader(), epochs=3)
    assert trained.train_metrics[0].num_inst == 10


# --- what it is made from --------------------------------------------------------------------


def test_without_a_trainer_it_is_slow_gradient_descent() -> None:
    with pytest.warns(UserWarning, match="No trainer specified, default SGD optimizer"):
        made = estimator(trainer=None)
    assert type(made.trainer.optimizer).__name__ == "SGD"
    assert made.trainer.learning_rate == 0.001


@pytest.mark.filterwarnings("ignore:No trainer specified")
def test_it_initializes_a_net_on_its_contexts() -> None:
    dense = nn.Dense(2, in_units=3)
    Estimator(dense, L2Loss(), initializer="ones", context=[cpu(0), cpu(1)])
    assert dense.weight.list_ctx() == [cpu(0), cpu(1)]
    assert (dense.weight.data(cpu(1)).asnumpy() == 1).all()


def test_an_initialized_net_stays_as_it_is() -> None:
    dense = net()
    with pytest.warns(UserWarning, match="Network already fully initialized"):
        Estimator(dense, L2Loss(), initializer="zeros", trainer=trainer(dense))
    assert (dense.weight.data().asnumpy() != 0).all()


def test_the_default_context_is_the_accelerators_or_else_the_cpu() -> None:
    expected = [gpu(i) for i in range(num_gpus())] or [cpu()]
    assert quiet().context == expected


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("loss", lambda pred, label: pred, "loss must be a gluon.loss.Loss"),
        ("loss", [L1Loss()], "loss must be a gluon.loss.Loss"),
        ("val_loss", 3, "loss must be a gluon.loss.Loss, not 3"),
        ("train_metrics", "acc", "must be an EvalMetric or a list of them, not 'acc'"),
        ("train_metrics", [Accuracy(), "x"], "not 'x'"),
        ("val_metrics", 1, "must be an EvalMetric or a list of them, not 1"),
        ("trainer", "sgd", "trainer must be a gluon.Trainer, not 'sgd'"),
        ("context", "cpu", "context must be a Context or a list of them, not 'cpu'"),
        ("context", [], "context must be a Context"),
        ("context", gpu(99), r"gpu\(99\) is not there"),
        ("batch_processor", 3, "has no method fit_batch"),
    ],
)
def test_wrong_arguments_are_refused_at_once(argument: str, value: Any, message: str) -> None:
    dense = net()
    arguments: dict[str, Any] = {"loss": L2Loss(), "trainer": trainer(dense), argument: value}
    with pytest.raises(EstimatorError, match=message):
        Estimator(dense, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either a number of epochs or a number of batches"),
        ({"epochs": 1, "batches": 1}, "epochs=1 and batches=1"),
        ({"epochs": 0}, "1 or more, not epochs=0"),
        ({"batches": -3}, "batches=-3"),
        ({"epochs": 1.5}, "epochs=1.5"),
        ({"epochs": 1, "event_handlers": 3}, "event_handlers must be a list of handlers, not 3"),
        ({"epochs": 1, "event_handlers": [3]}, "inherit from EventHandler, not 3"),
        ({"epochs": 1, "event_handlers": [StoppingHandler]}, "inherit from EventHandler, not <cl"),
        ({"epochs": 1, "val_data": 5}, "val_data must be a DataLoader or another iterable"),
        ({"epochs": 1, "train_data": None}, "train_data must be a DataLoader or another iterable"),
    ],
)
def test_wrong_arguments_of_fit_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(EstimatorError, match=message):
        quiet().fit(**{"train_data": loader(), **arguments})


@pytest.mark.parametrize("handler", [MetricHandler, lambda metrics: LoggingHandler(1, metrics)])
def test_metrics_of_another_estimator_are_refused(handler: Any) -> None:
    foreign = handler([metric.MAE()])
    for call in (quiet().fit, quiet().evaluate):
        arguments: dict[str, Any] = {"epochs": 1} if call.__name__ == "fit" else {}
        with pytest.raises(EstimatorError, match="has a metric 'mae' that is not of this estim"):
            call(loader(), event_handlers=[foreign], **arguments)


def test_a_net_elsewhere_than_the_context_is_told() -> None:
    made = quiet(net=net(cpu(0)), ctx=cpu(1))
    with pytest.raises(
        ValueError,
        match=r"not initialized on context cpu\(1\)\. It was only initialized on \[cpu\(0\)\]",
    ):
        made.fit(loader(), epochs=1)


def test_a_loss_that_does_not_fit_the_net_is_told() -> None:
    with pytest.raises(ShapeError, match=r"labels .* have 4, predictions .* have 8"):
        quiet(loss=L2Loss()).fit(loader(), epochs=1)


# --- names -----------------------------------------------------------------------------------


def test_mxnets_paths_lead_here() -> None:
    from mxnet.gluon.contrib.estimator import (  # noqa: PLC0415
        Estimator as FromPackage,
        event_handler,
    )
    from mxnet.gluon.contrib.estimator.batch_processor import (  # noqa: PLC0415
        BatchProcessor as FromModule,
    )

    assert mx.gluon.contrib.estimator.Estimator is FromPackage is Estimator
    assert FromModule is BatchProcessor
    assert event_handler.StoppingHandler is StoppingHandler


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_modules_declare_what_they_offer_and_their_examples_run(module: ModuleType) -> None:
    is_private = module.__name__.rpartition(".")[2].startswith("_")
    for name in () if is_private else module.__all__:
        assert hasattr(module, name), name
    assert doctest.testmod(module, extraglobs={"nd": nd}).failed == 0


def test_the_default_handlers_may_be_chosen_by_a_subclass() -> None:
    chosen: list[str] = []

    class Chosen(Estimator):
        def _prepare_default_handlers(self, val_data: Any, event_handlers: Any) -> list[Any]:
            handlers = super()._prepare_default_handlers(val_data, event_handlers)
            chosen.extend(type(handler).__name__ for handler in handlers)
            return [each for each in handlers if not isinstance(each, GradientUpdateHandler)]

    trained = quiet()
    trained.__class__ = Chosen
    before = weight(trained).copy()
    trained.fit(loader(), epochs=1)
    np.testing.assert_array_equal(weight(trained), before)
    assert chosen == ["GradientUpdateHandler", "MetricHandler", "StoppingHandler", "LoggingHandler"]
