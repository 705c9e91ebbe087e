"""Every metric: its value by definition, both kinds of reset, its registry, named mistakes."""

import doctest
import importlib
import json
import math
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import metric
from hy_gluon.metric import EvalMetric, MetricError
from hy_ndarray import ShapeError, nd

MODULES = [info.name for info in pkgutil.iter_modules(metric.__path__, "hy_gluon.metric.")]
Pair = tuple[Any, Any]


def _scores(rng: np.random.Generator, *shape: int) -> Any:
    raw = rng.uniform(0.1, 1, shape)
    return (raw / raw.sum(axis=1, keepdims=True)).astype(np.float32)


def _classes(classes: int) -> Callable[[np.random.Generator], Pair]:
    return lambda rng: (rng.integers(0, classes, 9), _scores(rng, 9, classes))


def _numbers(rng: np.random.Generator) -> Pair:
    return rng.normal(size=(7, 2)).astype(np.float32), rng.normal(size=(7, 2)).astype(np.float32)


def _joined(batches: list[Pair]) -> Pair:
    return np.concatenate([a for a, _ in batches]), np.concatenate([b for _, b in batches])


def _accuracy(batches: list[Pair]) -> float:
    label, pred = _joined(batches)
    return float((pred.argmax(1) == label).mean())


def _top(k: int) -> Callable[[list[Pair]], float]:
    def reference(batches: list[Pair]) -> float:
        label, pred = _joined(batches)
        best = np.argsort(pred, axis=1)[:, -k:]
        return float(np.mean([truth in row for truth, row in zip(label, best, strict=True)]))

    return reference


def _f1_of(label: Any, pred: Any) -> float:
    found = pred.argmax(1)
    hits = int((found * label).sum())
    if not hits:
        return 0.0
    precision, recall = hits / found.sum(), hits / label.sum()
    return float(2 * precision * recall / (precision + recall))


def _correlation_of(label: Any, pred: Any) -> float:
    return float(np.corrcoef(label, pred.argmax(1))[0, 1])


def _of_all(value: Callable[[Any, Any], float]) -> Callable[[list[Pair]], float]:
    return lambda batches: value(*_joined(batches))


def _mean_of(value: Callable[[Any, Any], float]) -> Callable[[list[Pair]], float]:
    return lambda batches: float(np.mean([value(*pair) for pair in batches]))


def _likelihood(label: Any, pred: Any) -> float:
    return float(-np.log(pred[np.arange(len(label)), label].astype(np.float64)).mean())


def _without_class_1(label: Any, pred: Any) -> float:
    return math.exp(_likelihood(label[label != 1], pred[label != 1]))


def _pearson(label: Any, pred: Any) -> float:
    return float(np.corrcoef(label.ravel(), pred.ravel())[0, 1])


ROWS: list[tuple[str, dict[str, Any], Callable[..., Pair], Callable[[list[Pair]], float]]] = [
    ("accuracy", {}, _classes(3), _accuracy),
    ("top_k_accuracy", {"top_k": 2}, _classes(4), _top(2)),
    ("f1", {}, _classes(2), _mean_of(_f1_of)),
    ("f1", {"average": "micro"}, _classes(2), _of_all(_f1_of)),
    ("mcc", {}, _classes(2), _mean_of(_correlation_of)),
    ("mcc", {"average": "micro"}, _classes(2), _of_all(_correlation_of)),
    ("pcc", {}, _classes(2), _of_all(_correlation_of)),
    (
        "perplexity",
        {"ignore_label": None},
        _classes(4),
        lambda b: math.exp(_of_all(_likelihood)(b)),
    ),
    ("perplexity", {"ignore_label": 1}, _classes(4), _of_all(_without_class_1)),
    ("ce", {}, _classes(4), _of_all(_likelihood)),
    ("nll_loss", {}, _classes(4), _of_all(_likelihood)),
    ("mae", {}, _numbers, _mean_of(lambda a, b: float(np.abs(a - b).mean()))),
    ("mse", {}, _numbers, _mean_of(lambda a, b: float(np.square(a - b).mean()))),
    ("rmse", {}, _numbers, _mean_of(lambda a, b: float(np.sqrt(np.square(a - b).mean())))),
    ("pearsonr", {}, _numbers, _mean_of(_pearson)),
    ("pearsonr", {"average": "micro"}, _numbers, _of_all(_pearson)),
    ("loss", {}, _numbers, _of_all(lambda _, b: float(b.mean()))),
    ("torch", {}, _numbers, _of_all(lambda _, b: float(b.mean()))),
    ("caffe", {}, _numbers, _of_all(lambda _, b: float(b.mean()))),
]
EACH = pytest.mark.parametrize(
    ("name", "kwargs", "draw", "reference"), ROWS, ids=[f"{r[0]}-{r[1]}" for r in ROWS]
)


@EACH
def test_value_is_that_of_the_definition_since_each_kind_of_reset(
    name: str,
    kwargs: dict[str, Any],
    draw: Callable[..., Pair],
    reference: Callable[[list[Pair]], float],
    rng: np.random.Generator,
) -> None:
    made = metric.create(name, **kwargs)
    assert math.isnan(made.get()[1])
    assert math.isnan(made.get_global()[1])
    seen: list[Pair] = []
    recent: list[Pair] = []
    for step in range(5):
        if step == 3:
            made.reset_local()
            recent = []
            assert math.isnan(made.get()[1])
        pair = draw(rng)
        seen.append(pair)
        recent.append(pair)
        made.update([nd.array(pair[0])], [nd.array(pair[1])])
        assert made.get()[1] == pytest.approx(reference(recent), rel=1e-5)
        assert made.get_global()[1] == pytest.approx(reference(seen), rel=1e-5)
    made.reset()
    assert math.isnan(made.get()[1])
    assert math.isnan(made.get_global()[1])


@EACH
def test_a_configuration_makes_an_equal_metric(
    name: str, kwargs: dict[str, Any], draw: object, reference: object
) -> None:
    made = metric.create(name, **kwargs)
    config = made.get_config()
    assert metric.create(config).get_config() == config
    assert metric.create(json.dumps(config)).name == made.name


def test_every_metric_has_a_row() -> None:
    metrics = {
        v for v in vars(metric).values() if isinstance(v, type) and issubclass(v, EvalMetric)
    }
    others = {EvalMetric, metric.CompositeEvalMetric, metric.CustomMetric}
    assert metrics - others == {type(metric.create(row[0], **row[1])) for row in ROWS}


def test_pcc_of_many_classes_is_the_multiclass_correlation(rng: np.random.Generator) -> None:
    label, found = rng.integers(0, 5, 40), rng.integers(0, 7, 40)
    pcc = metric.PCC()
    for part in (slice(0, 9), slice(9, 40)):
        pcc.update([nd.array(label[part])], [nd.array(found[part])])
    one_hot = [np.eye(7)[values] - np.eye(7)[values].mean(0) for values in (label, found)]
    spread = [float((hot * hot).sum()) for hot in one_hot]
    expected = float((one_hot[0] * one_hot[1]).sum()) / math.sqrt(spread[0] * spread[1])
    assert pcc.get()[1] == pytest.approx(expected)


def test_pcc_counts_negative_classes_from_the_last() -> None:
    pcc = metric.PCC()
    pcc.update([nd.array([0, -1])], [nd.array([[1, 0, 0], [0, 0, 1]])])
    assert pcc.get()[1] == pytest.approx(1)
    with pytest.raises(IndexError, match="label -9 must be at least -3"):
        pcc.update([nd.array([-9, 1])], [nd.array([[1, 0, 0], [0, 0, 1]])])


def test_a_missing_output_is_a_key_error() -> None:
    accuracy = metric.Accuracy(output_names=["o"], label_names=["l"])
    with pytest.raises(KeyError, match="output 'o' is missing; there are \\['x'\\]") as caught:
        accuracy.update_dict({"l": nd.array([1])}, {"x": nd.ones((1, 2))})
    assert str(caught.value).startswith("accuracy: output")


def test_pcc_of_one_class_is_nan_and_mcc_is_zero() -> None:
    label, scores = nd.array([0, 0]), nd.array([[1, 0], [1, 0]])
    pcc, mcc = metric.PCC(), metric.MCC()
    for made in (pcc, mcc):
        made.update([label], [scores])
    assert math.isnan(pcc.get()[1])
    assert mcc.get()[1] == 0


@pytest.mark.parametrize("name", ["f1", "mcc"])
def test_labels_in_a_column_count_once(name: str) -> None:
    flat, column = metric.create(name), metric.create(name)
    scores = nd.array([[1, 0], [0, 1], [0, 1]])
    flat.update([nd.array([0, 1, 0])], [scores])
    column.update([nd.array([[0], [1], [0]])], [scores])
    assert flat.get() == column.get()


def test_accuracy_takes_classes_axes_and_several_devices() -> None:
    accuracy = metric.Accuracy(axis=-1)
    scores = nd.array([[[0.1, 0.9], [0.9, 0.1]]])
    accuracy.update([nd.array([[1, 1]]), nd.array([0, 2])], [scores, nd.array([0, 2])])
    assert accuracy.get() == ("accuracy", 0.75)
    assert accuracy.num_inst == 4


def test_columns_and_rows_are_compared_element_by_element() -> None:
    mse = metric.MSE()
    mse.update([nd.array([1, 2])], [nd.array([[1], [4]])])
    mse.update([nd.array([[1, 2]])], [nd.array([1, 4])])
    assert mse.get() == ("mse", 2.0)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize(("name", "error"), [("mae", 0.5), ("mse", 0.5), ("rmse", 0.5**0.5)])
def test_errors_of_small_integers_do_not_overflow(name: str, error: float, dtype: str) -> None:
    label, pred = (nd.array(x, dtype=dtype) for x in ([1, 2, 3, 4], [1, 2, 2, 5]))
    made = metric.create(name)
    made.update([label], [pred])
    assert made.get()[1] == pytest.approx(error)
    loss = metric.create("loss")
    loss.update(None, [nd.array([100, 100, 100], dtype=dtype)])
    assert loss.get()[1] == 100


def test_top_k_above_the_number_of_classes_takes_all() -> None:
    top = metric.TopKAccuracy(5)
    top.update([nd.array([0, 1])], [nd.array([[1, 2], [2, 1]])])
    assert top.get() == ("top_k_accuracy_5", 1.0)


def test_a_metric_keeps_what_it_has_counted_when_it_becomes_part_of_a_composite() -> None:
    accuracy = metric.Accuracy()
    accuracy.update(nd.array([1, 0]), nd.array([1, 1]))
    for both in (metric.CompositeEvalMetric([accuracy]), metric.create([accuracy])):
        assert both.get() == (["accuracy"], [0.5])
    both.reset()
    assert accuracy.num_inst == 0


def test_a_composite_gives_all_names_and_values() -> None:
    both = metric.CompositeEvalMetric(["acc"])
    both.add(metric.MSE(output_names=["a"], label_names=["b"]))
    both.update_dict({"b": nd.array([1, 0])}, {"a": nd.array([1, 1])})
    assert both.get() == (["accuracy", "mse"], [0.5, 0.5])
    assert str(both) == "EvalMetric: {'accuracy': 0.5, 'mse': 0.5}"
    both.reset_local()
    assert both.get_global_name_value() == [("accuracy", 0.5), ("mse", 0.5)]
    assert isinstance(both.get_metric(1), metric.MSE)
    with pytest.raises(MetricError, match="metric index 2 is out of range: there are 2"):
        both.get_metric(2)
    again = metric.create(both.get_config())
    assert again.get()[0] == ["accuracy", "mse"]


def test_a_composite_passes_on_only_what_it_names() -> None:
    both = metric.CompositeEvalMetric(["acc"], output_names=["a"], label_names=["b"])
    unused = nd.array([7])
    both.update_dict({"b": nd.array([1]), "c": unused}, {"a": nd.array([1]), "d": unused})
    assert both.get() == (["accuracy"], [1.0])


def test_functions_are_metrics() -> None:
    def largest(label: Any, pred: Any) -> float:
        assert isinstance(label, np.ndarray)
        return float(np.abs(label - pred).max())

    named = metric.np(largest)
    summed = metric.create(lambda label, pred: (float(pred.sum()), pred.size))
    for made in (named, summed):
        made.update([nd.array([1, 2])], [nd.array([1, 5])])
    assert named.get() == ("largest", 3.0)
    assert summed.get() == ("custom(<lambda>)", 3.0)
    with pytest.raises(ShapeError):
        named.update([nd.array([1])], [nd.array([1]), nd.array([1])])
    more = metric.CustomMetric(largest, allow_extra_outputs=True)
    more.update([nd.array([1])], [nd.array([1]), nd.array([1])])
    assert more.get() == ("largest", 0.0)
    with pytest.raises(NotImplementedError):
        more.get_config()


def test_values_without_a_name_are_left_out_of_pairs() -> None:
    class Two(EvalMetric):
        def get(self) -> Any:
            return self.name, [3.0, 2.0]

    # MXNet makes a text of the list of names, so that one of two values has a name.
    assert Two(["a", "b"]).get_name_value() == [("['a', 'b']", 3.0)]  # type: ignore[arg-type]


def test_metrics_of_users_are_registered() -> None:
    @metric.alias("mine_a", "MINE_B")
    class Mine(EvalMetric):
        def __init__(self, name: str = "mine", **kwargs: Any) -> None:
            super().__init__(name, **kwargs)

        def update(self, labels: Any, preds: Any) -> None:  # noqa: ARG002
            self.sum_metric += 1
            self.num_inst += 2

    assert metric.register(Mine) is Mine
    for name in ("mine", "Mine", "mine_a", "mine_b"):
        made = metric.create(name, label_names=["x"])
        made.update(None, None)
        assert made.get() == made.get_global() == ("mine", 0.5)
        assert made.get_config()["label_names"] == ["x"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metric.create("foo"), "foo is not registered as metric; known: acc, "),
        (lambda: metric.create(None), "was expected, not None"),
        (lambda: metric.create("[1"), "is no JSON"),
        (lambda: metric.create(metric.Accuracy(), axis=2), "is an instance already"),
        (lambda: metric.TopKAccuracy(1), "top_k=1 must be above 1; use Accuracy"),
        (lambda: metric.F1(average="x"), "average must be 'macro' or 'micro', not 'x'"),
        (lambda: metric.PearsonCorrelation(average="x"), "average must be"),
        (lambda: metric.CompositeEvalMetric("acc"), "must be a list, not 'acc'"),
        (
            lambda: metric.MSE(output_names=["a"]).update_dict({}, {"x": nd.array([1])}),
            r"mse: output 'a' is missing; there are \['x'\]",
        ),
        (
            lambda: metric.create("ce").update([nd.array([2])], [nd.array([[1, 0]])]),
            "labels reach from 2 to 2, but there are 2 classes",
        ),
        (
            lambda: metric.F1().update([nd.array([0, 1, 2])], [nd.ones((3, 2))]),
            "labels must be of two classes",
        ),
    ],
)
def test_mistakes_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(MetricError, match=message):
        call()


@pytest.mark.parametrize(
    ("name", "label", "pred", "message"),
    [
        ("acc", (3,), (2,), r"predictions \(2,\) have neither the shape of the labels \(3,\)"),
        ("acc", (3,), (2, 4), r"labels \(3,\) are 3 classes, predictions \(2, 4\) are 2"),
        ("f1", (3,), (3, 1), r"must be scores \[N, 2\], not \(3, 1\)"),
        ("ce", (3,), (2, 4), r"3 labels do not fit predictions \(2, 4\)"),
        ("mse", (2, 3), (4, 3), r"labels \(2, 3\) do not broadcast with predictions \(4, 3\)"),
        ("pearsonr", (2,), (3,), r"labels \(2,\) does not match shape of predictions \(3,\)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(name: str, label: Any, pred: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        metric.create(name).update([nd.zeros(label)], [nd.zeros(pred)])


_SCORES = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8], [0.3, 0.4, 0.3]]


# The numbers of the three tests are MXNet's.
@pytest.mark.parametrize(
    ("ignored", "value", "count"),
    [(None, 4.8549178, 4), (-1, 3.8157142, 3), (0, 4.8074986, 3), (3, 5.5032122, 3)],
)
def test_perplexity_takes_labels_beyond_the_classes_as_the_nearest(
    ignored: int | None, value: float, count: int
) -> None:
    perplexity = metric.Perplexity(ignored)
    perplexity.update([nd.array([0, 3, -1, 7])], [nd.array(_SCORES)])
    assert (perplexity.get()[1], perplexity.num_inst) == (pytest.approx(value), count)


def test_perplexity_ignores_labels_before_they_are_cut_to_classes() -> None:
    perplexity = metric.Perplexity(0)
    perplexity.update([nd.array([0.4, 1, 2, 1])], [nd.array(_SCORES)])
    assert perplexity.get()[1] == pytest.approx(3.5355340)


@pytest.mark.parametrize("name", ["ce", "nll_loss"])
def test_cross_entropy_counts_negative_labels_from_the_last_class(name: str) -> None:
    entropy = metric.create(name)
    entropy.update([nd.array([-1, 0, -3, 1])], [nd.array(_SCORES)])
    assert entropy.get()[1] == pytest.approx(1.2334185)
    for beyond in (3, -4):
        with pytest.raises(IndexError, match=f"labels reach from .*{beyond}.* there are 3 classes"):
            entropy.update([nd.array([0, 0, 0, beyond])], [nd.array(_SCORES)])


@pytest.mark.parametrize("name", ["f1", "mcc"])
def test_binary_metrics_cut_labels_to_classes_before_they_count_them(name: str) -> None:
    scores, score = nd.array(_SCORES)[:, :2], metric.create(name)
    score.update([nd.array([0.3, 1.7, 1.2, 0.9])], [scores])
    whole = metric.create(name)
    whole.update([nd.array([0, 1, 1, 0])], [scores])
    assert score.get() == whole.get()


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"nd": nd}).failed == 0
