"""Training of an estimator by whole steps: when it is, and when something comes in between."""

from typing import Any

import pytest

from hy_gluon import Trainer, nn
from hy_gluon.contrib.estimator import Estimator, GradientUpdateHandler
from hy_gluon.loss import L2Loss
from hy_ndarray import NDArray, nd


@pytest.mark.parametrize("hybrid", [True, False])
def test_a_hybridized_net_is_trained_by_whole_steps(hybrid: bool) -> None:
    calls = []

    class Net(nn.HybridSequential):
        def forward(self, x: Any) -> Any:
            calls.append(x)
            return super().forward(x)

    net = Net()
    net.add(nn.Dense(4, in_units=3), nn.Dense(2, in_units=4))
    net.initialize()
    if hybrid:
        net.hybridize()
    estimator = Estimator(net, L2Loss(), trainer=Trainer(net.collect_params(), "adam"))
    estimator.logger.setLevel("WARNING")
    before = net[0].weight.data().asnumpy()
    estimator.fit([(nd.ones((4, 3)), nd.ones((4, 2)))] * 6, epochs=1)
    assert estimator.trainer.optimizer.num_update == 6
    assert (net[0].weight.data().asnumpy() != before).any()
    assert (estimator._whole is not None) == hybrid
    assert sum(isinstance(x, NDArray) for x in calls) == (0 if hybrid else 6)


def test_a_handler_of_updates_comes_between_backward_pass_and_update() -> None:
    seen = []

    class Clipped(GradientUpdateHandler):
        def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
            seen.append(float(estimator.net.weight.grad().abs().sum().asscalar()))
            return super().batch_end(estimator, *args, **kwargs)

    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    estimator = Estimator(net, L2Loss(), trainer=Trainer(net.collect_params(), "sgd"))
    estimator.logger.setLevel("WARNING")
    batch = nd.ones((4, 3)), nd.ones((4, 2))
    estimator.fit([batch] * 2, epochs=1, event_handlers=[Clipped()])
    assert len(seen) == 2
    assert all(size > 0 for size in seen)
