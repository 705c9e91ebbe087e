"""Contexts: where arrays live."""

import pickle
import threading
from typing import Any

import pytest

from hy_ndarray import (
    Context,
    ContextError,
    HyError,
    autograd,
    cpu,
    cpu_pinned,
    current_context,
    gpu,
    nd,
    num_gpus,
)
from hy_ndarray.devices.context import set_default_context


def test_a_context_is_a_type_and_a_number() -> None:
    assert (cpu().device_type, cpu(2).device_id) == ("cpu", 2)
    assert [str(c) for c in (cpu(), gpu(1), cpu_pinned())] == ["cpu(0)", "gpu(1)", "cpu_pinned(0)"]
    assert repr(cpu()) == "cpu(0)"
    assert [c.device_typeid for c in (cpu(), gpu(), cpu_pinned())] == [1, 2, 3]
    assert Context("cpu_shared", 0).device_typeid == 5
    assert Context(gpu(3)) == gpu(3)


def test_equal_contexts_are_one_key() -> None:
    assert cpu(0) == Context("cpu") != cpu(1)
    text: object = "cpu"
    assert cpu() != text
    assert len({cpu(), cpu(0), gpu(0)}) == 2
    assert pickle.loads(pickle.dumps(gpu(2))) == gpu(2)  # noqa: S301


def test_a_context_cannot_be_changed() -> None:
    context: Any = cpu(2)
    context.device_id, context.device_typeid = 2, 1  # as programs restore one
    for name, value in (("device_id", 3), ("device_typeid", 2), ("device_type", "gpu")):
        with pytest.raises(ContextError, match=f"{name} of cpu.2. cannot be set to"):
            setattr(context, name, value)
    with pytest.raises(AttributeError, match="number"):
        context.number = 1
    assert str(context) == str(cpu(2)) == "cpu(2)"


@pytest.mark.parametrize("text", ["cpu(0)", "gpu(12)", "cpu_pinned(1)"])
def test_a_context_has_a_text_form(text: str) -> None:
    assert str(Context.parse(text)) == text


@pytest.mark.parametrize("wrong", ["tpu(0)", "cpu(x)", ""])
def test_an_unknown_device_is_refused(wrong: str) -> None:
    with pytest.raises(ContextError):
        Context.parse(wrong)
    with pytest.raises(
        ContextError, match=r"unknown device type 'tpu'; known: cpu, gpu.*; did you mean 'gpu'"
    ):
        Context("tpu")


def test_arrays_are_made_on_the_current_context() -> None:
    assert current_context() == cpu(0)
    with cpu(1):
        assert nd.array([1]).context == nd.zeros((1,)).context == cpu(1)
        with cpu(2) as inner:
            assert current_context() == inner == cpu(2)
        assert current_context() == cpu(1)
    assert current_context() == cpu(0)


def test_one_context_object_can_be_entered_again() -> None:
    context = cpu(1)
    with context, cpu(2), context:
        assert current_context() == cpu(1)
    assert current_context() == cpu(0)


def test_every_thread_has_its_own_current_context() -> None:
    seen: list[Context] = []
    with cpu(1):
        thread = threading.Thread(target=lambda: seen.append(current_context()))
        thread.start()
        thread.join()
    assert seen == [cpu(0)]


def test_results_stay_where_the_operands_are() -> None:
    x = nd.array([1, 2], cpu(1))
    assert (x + 1).context == x[0].context == x.sum().context == x.copy().context == cpu(1)
    assert x.as_in_context(cpu()).context == cpu()


def test_arrays_of_several_contexts_of_the_cpu_meet_on_that_of_the_first() -> None:
    x, y = nd.array([1, 2]), nd.array([3, 4], cpu(1))
    found = [x + y, y + x, nd.concat(y, x, dim=0), nd.where(y, x, x), nd.take(y, nd.array([0]))]
    assert [z.context for z in found] == [cpu(0), *[cpu(1)] * 4]
    assert [z.asnumpy().tolist() for z in found[:3]] == [[4, 6], [4, 6], [3, 4, 1, 2]]
    y += x
    assert (y.context, y.asnumpy().tolist()) == (cpu(1), [4, 6])
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = x * y
    z.backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.context, x.grad.asnumpy().tolist()) == (cpu(0), [4, 6])
    assert (y.grad.context, y.grad.asnumpy().tolist()) == (cpu(1), [1, 2])


def test_a_step_of_an_optimizer_writes_to_arrays_of_several_contexts_of_the_cpu() -> None:
    weight, momentum = nd.array([1, 2]), nd.array([0, 0], cpu(1))
    nd.sgd_mom_update(weight, nd.array([1, 1], cpu(2)), momentum, lr=0.5, momentum=0.9, out=weight)
    assert weight.asnumpy().tolist() == [0.5, 1.5]
    assert momentum.asnumpy().tolist() == [-0.5, -0.5]


def test_an_absent_gpu_is_an_error_that_says_what_to_do() -> None:
    absent = gpu(num_gpus() + 10)
    with pytest.raises(ContextError, match=r"use mx.cpu\(\)"):
        nd.zeros((1,), absent)
    with pytest.raises(HyError, match=r"gpu\("):
        nd.ones((1,)).as_in_context(absent)
    with absent, pytest.raises(ValueError, match=r"gpu\("):
        nd.array([1])


def test_the_default_context_holds_until_the_scope_around_ends() -> None:
    with cpu(7):
        set_default_context(cpu(6))
        assert current_context() == cpu(6)
        with cpu(5):
            assert current_context() == cpu(5)
        assert current_context() == cpu(6)
        with pytest.warns(DeprecationWarning, match="set_default_context"):
            assert Context.default_ctx == cpu(6)
        with pytest.warns(DeprecationWarning, match="set_default_context"):
            Context.default_ctx = cpu(4)
        assert current_context() == cpu(4)
    assert current_context() == cpu(0)
