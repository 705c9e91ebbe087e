"""GluonTS's estimators train, forecast, compute losses, are written and read."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gluonts import mx as ts
from gluonts.model.predictor import Predictor

import mxnet as mx
from tests.clients.exchange import exchanged
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks
from tests.clients.programs.gluonts.estimators import (
    CONTEXT,
    ESTIMATORS,
    feed_forward,
    points,
    seed,
    series,
)


def checks(side: str) -> Checks:
    """Training by the estimator itself; losses with weights by formula; files of predictors."""
    found: Checks = {}
    for name in ESTIMATORS:
        found[f"{name} trains and predicts"] = partial(trained, name)
        if name != "NBEATSEnsemble":  # it has no network, but those of N-BEATS
            found[f"{name} loss"] = partial(loss, name)
    found["DeepTPP's network"] = point_process
    return found | exchanged(side, written, read)


def trained(name: str) -> Any:
    """The estimator's own training and prediction; chance decides about the values."""
    seed()
    data = series(name)
    predictor = ESTIMATORS[name]().train(data)
    forecasts = [*predictor.predict(data)]
    means = [forecast.quantile(0.5) for forecast in forecasts]
    assert all(np.isfinite(mean).all() for mean in means)
    return [len(forecasts), [mean.shape for mean in means]]


def loss(name: str) -> Any:
    """Losses of a batch and some gradients, eagerly and hybridized, weights by formula."""
    seed()
    estimator = ESTIMATORS[name]()
    data = estimator.create_transformation().apply(series(name), is_train=True)
    batch = next(iter(estimator.create_training_data_loader(data)))
    net = estimator.create_training_network()
    filled(net)
    net.cast(estimator.dtype)
    names = ts.util.get_hybrid_forward_input_names(type(net))  # among them some of parameters
    inputs = [batch[key] for key in names if key in batch]
    results = [gradients(net, *inputs)]
    if estimator.trainer.hybridize:
        net.hybridize()
    return [*results, gradients(net, *inputs)]


def gradients(net: Any, *inputs: Any) -> Any:
    """A loss, and the gradients of its first and last parameter."""
    with mx.autograd.record():
        out = net(*inputs)
        value = out[0] if isinstance(out, list | tuple) else out
    value.backward()
    learned = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [value, learned[0].grad(), learned[-1].grad()]


def point_process() -> Any:
    """Events of two kinds; the estimator's own splitter lacks an argument, beside MXNet, too."""
    net = filled(points().create_training_network())
    between = (np.abs(uniform("between", (4, 9, 1))) + 0.2) / 4
    kinds = (uniform("kinds", (4, 9, 1)) > 0).astype(np.float32)
    events = mx.nd.array(np.concatenate([between, kinds], axis=2))
    return gradients(net, events, mx.nd.array([9, 4, 6, 1]))


def forecast(predictor: Any) -> Any:
    """The shape and, of parameters of distributions, the values that it predicts."""
    return [sample.mean.shape for sample in predictor.predict(series("SimpleFeedForward"))]


def written(folder: Path) -> Any:
    """A predictor's folder."""
    predictor = feed_forward().train(series("SimpleFeedForward"))
    filled(predictor.prediction_net)
    predictor.serialize(folder)
    return [*forecast(predictor), parameters(predictor)]


def parameters(predictor: Any) -> Any:
    """What a network of dense layers gives before anything is drawn."""
    net = predictor.prediction_net
    past = mx.nd.array(uniform("past", (2, CONTEXT)))
    return net.get_distr_args(mx.nd, past)


def read(folder: Path) -> Any:
    """What it gives."""
    predictor = Predictor.deserialize(folder)
    return [*forecast(predictor), parameters(predictor)]
