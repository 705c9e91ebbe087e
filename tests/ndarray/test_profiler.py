"""The profiler: what it records of calls on arrays, and how it is controlled.

Times are never asserted; counts, names, order and nesting are.
"""

import inspect
from collections import Counter as Tally
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, HyError, autograd, custom, nd, profiler
from hy_ndarray.devices import instrumentation
from hy_ndarray.devices.instrumentation import unwrap
from tests.profiles import assert_nested, configure, contains, events, figures, names, recorded

pytestmark = pytest.mark.usefixtures("trace_file")


# --- what is recorded -----------------------------------------------------------------------------


def test_each_call_is_one_event(trace_file: Path) -> None:
    x = nd.ones((2, 3))
    profiler.set_state("run")
    for _ in range(3):
        nd.dot(x, x, transpose_b=True)
    nd.softmax(x + 1)
    profiler.set_state("stop")
    nd.softmax(x)
    assert Tally(names(trace_file)) == {"dot": 3, "_plus_scalar": 1, "softmax": 1}


def test_operators_of_all_kinds_are_recorded(trace_file: Path) -> None:
    x = nd.ones((4, 3, 2))
    profiler.set_state("run")
    nd.zeros((2, 2))
    nd.random.normal(shape=(2,))
    nd.split(x, num_outputs=3, axis=1)
    nd.BatchNorm(x, nd.ones((3,)), nd.zeros((3,)), nd.zeros((3,)), nd.ones((3,)))
    assert names(trace_file) == [
        "_zeros",
        "_random_normal",
        "SliceChannel",
        "_ones",
        "_zeros",
        "_zeros",
        "_ones",
        "BatchNorm",
    ]


def test_backward_contains_the_operators_it_calls(trace_file: Path) -> None:
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = nd.exp(x) * x
    profiler.set_state("run")
    y.backward()
    found = recorded(trace_file)
    first, outer, *inner = found
    assert first["name"] == "ones_like"  # the head gradient
    assert (outer["name"], outer["cat"]) == ("backward", "backward")
    assert [e["name"] for e in inner if e["cat"] == "backward"] == [
        "_backward_broadcast_mul",
        "_backward_exp",
    ]
    assert_nested(found)
    product = next(e for e in inner if e["name"] == "_backward_broadcast_mul")
    within = [e["name"] for e in inner if e is not product and contains(product, e)]
    assert within == ["broadcast_mul", "_sum_like", "broadcast_mul", "_sum_like"]


class Square(custom.CustomOp):
    def forward(self, _is_train: bool, req: Any, in_data: Any, out_data: Any, _aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, _out_data: Any, in_grad: Any, _aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * in_data[0] * 2)


@custom.register("profiled_square")
class SquareProp(custom.CustomOpProp):
    def create_operator(self, *_: Any) -> custom.CustomOp:
        return Square()


def test_custom_operators_show_their_python_code_and_what_it_calls(trace_file: Path) -> None:
    x = nd.ones((3,))
    x.attach_grad()
    profiler.set_state("run")
    with autograd.record():
        y = nd.Custom(x, op_type="profiled_square")
    y.backward()
    found = [e for e in recorded(trace_file) if e["cat"] == "Custom Operator"]
    assert [e["name"] for e in found] == [
        "profiled_square::pure_python",
        "profiled_square::broadcast_mul",
        "_backward_profiled_square::pure_python",
        "_backward_profiled_square::broadcast_mul",
        "_backward_profiled_square::_mul_scalar",
    ]
    assert contains(found[0], found[1])
    assert contains(found[2], found[3])
    assert contains(found[2], found[4])


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, {"backward", "operator"}),
        ({"profile_imperative": False}, {"backward"}),
        ({"profile_api": False}, {"operator"}),
        (
            {"profile_imperative": "0", "profile_api": 0, "profile_all": "true"},
            {"backward", "operator"},
        ),
        ({"profile_imperative": False, "profile_api": False, "profile_memory": False}, set()),
    ],
)
def test_options_choose_what_is_recorded(
    trace_file: Path, options: dict[str, Any], wanted: set[str]
) -> None:
    configure(trace_file, **options)
    x = nd.ones((2,))
    x.attach_grad()
    profiler.set_state("run")
    with autograd.record():
        y = nd.exp(x)
    y.backward()
    assert {event["cat"] for event in recorded(trace_file)} == wanted


def test_options_can_change_while_it_runs(trace_file: Path) -> None:
    x = nd.ones((2,))
    profiler.set_state("run")
    nd.exp(x)
    configure(trace_file, profile_imperative=False)
    nd.exp(x)
    configure(trace_file)
    nd.exp(x)
    assert names(trace_file) == ["exp", "exp"]


def test_a_failed_call_leaves_no_event(trace_file: Path) -> None:
    profiler.set_state("run")
    with pytest.raises(HyError, match="dot"):
        nd.dot(nd.ones((2, 3)), nd.ones((2, 3)))
    assert names(trace_file) == ["_ones", "_ones"]


# --- memory ---------------------------------------------------------------------------------------


def test_memory_counts_bytes_that_live(trace_file: Path) -> None:
    configure(trace_file, profile_imperative=False)
    profiler.set_state("run")
    x = nd.zeros((256,))
    y = nd.zeros((512,), dtype="float16")
    del x
    z = nd.exp(y)
    del y, z
    profiler.dump()
    counts = [e["args"] for e in events(trace_file) if e["ph"] == "C"]
    assert counts == [{"Memory: cpu/0": n} for n in (1024, 2048, 1024, 2048, 1024, 0)]


def test_memory_of_views_is_counted_once(trace_file: Path) -> None:
    configure(trace_file, profile_imperative=False)
    profiler.set_state("run")
    x = nd.zeros((8, 8))
    nd.exp(x[2:4])
    nd.exp(x.reshape(16, 4))
    profiler.dump()
    counts = [e["args"]["Memory: cpu/0"] for e in events(trace_file) if e["ph"] == "C"]
    assert counts == [256, 256 + 64, 256, 256 + 256, 256]


def test_memory_is_off_without_its_option(trace_file: Path) -> None:
    configure(trace_file, profile_memory=False)
    profiler.set_state("run")
    nd.exp(nd.ones((2,)))
    profiler.dump()
    assert not [e for e in events(trace_file) if e["ph"] == "C"]
    assert figures()["Memory"] == {}


# --- off means off --------------------------------------------------------------------------------


def test_kernels_are_bare_before_and_after() -> None:
    x = nd.ones((2,))
    nd.exp(x)
    kernels = x.device.kernels
    before = kernels["exp"]
    assert unwrap(before) is before
    profiler.set_state("run")
    nd.exp(x)
    assert kernels["exp"] is not before
    assert unwrap(kernels["exp"]) is before
    assert inspect.signature(kernels["exp"]) == inspect.signature(before)
    profiler.set_state("stop")
    nd.exp(x)
    assert kernels["exp"] is before
    assert instrumentation.watch.observer is None


def test_results_and_gradients_are_the_same_to_the_bit(rng: np.random.Generator) -> None:
    values = rng.standard_normal((5, 7))

    def step() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        x = nd.array(values)
        x.attach_grad()
        with autograd.record():
            y = nd.softmax(nd.dot(x, x, transpose_b=True)).sum(axis=0).log()
        y.backward()
        assert x.grad is not None
        return y.asnumpy(), x.grad.asnumpy()

    off = step()
    profiler.set_state("run")
    on = step()
    profiler.set_state("stop")
    after = step()
    for a, b, c in zip(off, on, after, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


# --- state ----------------------------------------------------------------------------------------


def test_pause_and_resume(trace_file: Path) -> None:
    x = nd.ones((2,))
    profiler.set_state("run")
    nd.exp(x)
    profiler.pause()
    assert profiler.state() == "pause"
    nd.log(x)
    profiler.pause()  # pauses do not add up
    profiler.resume()
    assert profiler.state() == "run"
    nd.sqrt(x)
    assert names(trace_file) == ["exp", "sqrt"]


def test_resume_without_a_run_records_nothing() -> None:
    profiler.resume()
    assert profiler.state() == "stop"
    nd.ones((2,))
    assert figures()["Time"] == {}


def test_running_again_ends_a_pause(trace_file: Path) -> None:
    profiler.set_state("run")
    profiler.pause()
    profiler.set_state("stop")
    profiler.set_state("run")
    nd.ones((2,))
    assert names(trace_file) == ["_ones"]


def test_runs_share_a_trace_until_it_is_finished(trace_file: Path) -> None:
    x = nd.ones((2,))
    for function in (nd.exp, nd.log):
        profiler.set_state("run")
        function(x)
        profiler.set_state("stop")
    profiler.dump(finished=False)
    assert names(trace_file) == ["exp", "log"]
    profiler.set_state("run")
    nd.sqrt(x)
    assert names(trace_file) == ["sqrt"]


def test_an_unfinished_dump_goes_on_recording(trace_file: Path) -> None:
    x = nd.ones((2,))
    profiler.set_state("run")
    nd.exp(x)
    profiler.dump(finished=False)
    assert [e["name"] for e in events(trace_file) if e["ph"] == "X"] == ["exp"]
    assert profiler.state() == "run"
    nd.log(x)
    profiler.dump()
    assert profiler.state() == "stop"
    assert [e["name"] for e in events(trace_file) if e["ph"] == "X"] == ["exp", "log"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: profiler.set_state("bogus"),
            "set_state: state='bogus' is neither 'run' nor 'stop'",
        ),
        (lambda: profiler.set_state("run", "server"), "hy has no server processes"),
        (lambda: profiler.set_config(bogus=1), r"unknown option 'bogus' \(options: profile_all"),
        (lambda: profiler.set_config(profile_all="maybe"), "profile_all='maybe' must be a boolean"),
        (lambda: profiler.set_config(dump_period="x"), "dump_period='x' must be a number"),
        (lambda: profiler.set_config(dump_period=0), "dump_period=0.0 must be positive"),
        (lambda: profiler.set_config(max_events=-1), "max_events=-1 must not be negative"),
        (lambda: profiler.set_config(profile_process="server"), "hy has no server processes"),
        (lambda: profiler.dumps(format="xml"), "format='xml' is not one of 'table', 'json'"),
        (lambda: profiler.dumps(sort_by="bogus"), "sort_by='bogus' is not one of 'total', 'avg'"),
        (lambda: profiler.dumps(ascending=3), "ascending=3 is neither True nor False"),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_are_explained(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


def test_deprecated_functions_warn_and_work(trace_file: Path) -> None:
    with pytest.warns(UserWarning, match="use set_config"):
        profiler.profiler_set_config("all", str(trace_file))
    configure(trace_file)
    with pytest.warns(UserWarning, match="use set_state"):
        profiler.profiler_set_state("run")
    nd.ones((2,))
    with pytest.warns(UserWarning, match="use dump"):
        profiler.dump_profile()
    assert "_ones" in [e["name"] for e in events(trace_file)]
    with (
        pytest.warns(UserWarning, match="use set_config"),
        pytest.raises(ArgumentError, match="profile_bogus"),
    ):
        profiler.profiler_set_config("bogus")
