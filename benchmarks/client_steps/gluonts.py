"""GluonTS: a step of DeepAR, a forecast of its feed-forward network."""

from typing import Any

from gluonts.mx.util import get_hybrid_forward_input_names

from benchmarks.client_steps.gluon import step
from tests.clients.formula import filled
from tests.clients.programs.gluonts import estimators


def training() -> Any:
    """Four series of 18 days."""
    estimators.seed()
    estimator = estimators.deep_ar()
    data = estimator.create_transformation().apply(estimators.series("DeepAR"), is_train=True)
    batch = next(iter(estimator.create_training_data_loader(data)))
    net = estimator.create_training_network()
    filled(net)
    net.hybridize()
    inputs = [batch[key] for key in get_hybrid_forward_input_names(type(net))]

    def loss() -> Any:
        return net(*inputs)[0].mean()

    return step(net, loss, "adam")


def prediction() -> Any:
    """Four forecasts."""
    data = estimators.series("SimpleFeedForward")
    predictor = estimators.feed_forward().train(data)
    return lambda: [*predictor.predict(data)]
