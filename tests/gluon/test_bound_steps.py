"""Steps bound to the memory of weights and states: other gradients, states that do not fit."""

from weakref import ref

import pytest

from hy_gluon.optimizer import SGD, Updater
from hy_ndarray import KernelError, nd


@pytest.mark.parametrize("joined", [True, False], ids=["several", "one"])
def test_states_of_another_shape_are_refused_with_the_operators_name(joined: bool) -> None:
    updater = Updater(SGD(momentum=0.9))
    shapes = [(2,), (3,)] if joined else [(2,)]
    index, weights = [*range(len(shapes))], [nd.ones(shape) for shape in shapes]
    updater(index, weights, weights)
    updater.states = {**updater.states, 0: nd.zeros((4,))}
    with pytest.raises(KernelError, match=r"sgd_mom_update.*\(2,\), \(2,\), \(4,\)"):
        updater(index, weights, weights)


@pytest.mark.parametrize("count", [1, 3])
def test_a_repeated_step_takes_other_gradients_and_drops_the_old_ones(count: int) -> None:
    sgd = SGD(learning_rate=1.0, momentum=0.5)
    index = [*range(count)]
    weights = [nd.zeros((2,)) for _ in index]
    states = [sgd.create_state(i, weight) for i, weight in zip(index, weights, strict=True)]
    grads = [nd.ones((2,)) for _ in index]
    for _ in range(3):  # of the same gradients, to whose memory a step is bound
        sgd.update(index, weights, grads, states)
    # Momenta of 1, 1.5 and 1.75.
    assert weights[-1].asnumpy().tolist() == [-4.25, -4.25]
    old = ref(grads[0])
    memory = ref(grads[0].buffer)
    grads = [nd.full((2,), 10) for _ in index]
    sgd.update(index, weights, grads, states)
    assert weights[-1].asnumpy().tolist() == [-4.25 - 10.875] * 2
    assert old() is None
    assert memory() is None
