"""A signal, an error or a fork in the middle of a first call leaves everything usable."""

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_ndarray import autograd, nd
from hy_ndarray.devices import instrumentation
from hy_symbol import AttrScope, NameManager, current_trace, setup_lock

X = nd.ones((2, 3))


class Plain(HybridBlock):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.inner = nn.Dense(2)

    def forward(self, x: Any, *_: Any) -> Any:
        return nd.relu(self.inner(x))


def fresh() -> HybridBlock:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), Plain())
    net.initialize("ones")
    net.hybridize(static_alloc=True)
    return net


def scopes() -> tuple[Any, ...]:
    """What this thread is in."""
    return (
        type(NameManager.current),
        AttrScope.current.get(None),
        nn.Activation("relu").prefix.startswith("net_"),
        current_trace(),
        autograd.is_recording(),
        autograd.is_training(),
    )


def lock_is_free() -> bool:
    """Whether another thread gets the lock."""
    got: list[bool] = []

    def take() -> None:
        lock: Any = setup_lock()
        got.append(lock.acquire(blocking=False))
        if got[0]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return got[0]


def interrupted(call: Callable[[], Any], at: int) -> int:
    """Run ``call``; where Python would look for signals the ``at``-th time, one comes.

    Returns:
        How often it would have looked.
    """
    seen = 0

    def profile(frame: Any, event: str, arg: Any) -> None:
        nonlocal seen
        # A signal between a lock's own __enter__ and the block of its `with`, where Python 3.14
        # looks for signals, loses any lock: that is Python's to mend.
        is_enter = sys.version_info >= (3, 14) and getattr(arg, "__name__", "") == "__enter__"
        if is_enter or event not in ("call", "c_return"):
            return
        seen += 1
        if seen == at:
            raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(None)
    return seen


@pytest.mark.slow
@pytest.mark.filterwarnings(  # Python itself swallows one that comes inside a finalizer
    "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("recording", [False, True])
def test_a_signal_leaves_the_block_usable_and_the_locks_free(
    recording: bool, rng: np.random.Generator
) -> None:
    net = fresh()
    expected = net(X).asnumpy()
    before = scopes()

    def call(net: HybridBlock) -> Any:
        if not recording:
            return net(X)
        with autograd.record(train_mode=False):
            return net(X)

    count = interrupted(lambda: call(fresh()), -1)
    assert count > 1000
    for at in sorted(rng.choice(count, 250, replace=False)):
        net = fresh()
        assert interrupted(lambda at=at, net=net: call(net), int(at)) <= count + 50  # type: ignore[misc]
        autograd.set_recording(False)
        autograd.set_training(False)
        assert scopes() == before, at
        assert lock_is_free()
        np.testing.assert_array_equal(net(X).asnumpy(), expected)
    assert instrumentation.scope_path().block == ""


def test_an_error_in_the_first_call_leaves_the_block_as_it_was() -> None:
    class Fails(HybridBlock):
        broken = True

        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            if self.broken:
                raise OSError("no such table")
            return F.relu(x)

    block = Fails(prefix="net_")
    block.hybridize()
    before = scopes()
    with pytest.raises(OSError, match="no such table"):
        block(X)
    assert scopes() == before
    assert lock_is_free()
    assert block._cached_graph == ()
    block.broken = False
    assert block(X).asnumpy().sum() == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_while_another_thread_traces_leaves_the_child_able_to() -> None:
    inside, go_on = threading.Event(), threading.Event()

    class Waits(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                inside.set()
                assert go_on.wait(60)
            return F.relu(x)

    block, other = Waits(), fresh()
    block.hybridize()
    thread = threading.Thread(target=block, args=(X,))
    thread.start()
    assert inside.wait(60)
    child = os.fork()
    if child == 0:  # the lock's owner is not here
        right = block(X).asnumpy().sum() == 6 and other(X).shape == (2, 2)
        os._exit(0 if right and lock_is_free() else 1)
    go_on.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_inside_a_trace_keeps_the_lock_of_the_thread_that_lives_on() -> None:
    with setup_lock():
        child = os.fork()
        if child == 0:
            os._exit(1 if lock_is_free() else 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert lock_is_free()
