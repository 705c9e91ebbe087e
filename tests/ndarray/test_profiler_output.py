"""What the profiler gives out: the table, JSON, the trace, and what a program measures itself."""

import json
import threading
from collections import Counter as Tally
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, nd, profiler
from hy_ndarray.devices.instrumentation import unwrap
from tests.profiles import assert_nested, configure, contains, events, figures, names, recorded

UNTYPED: Any = profiler

pytestmark = pytest.mark.usefixtures("trace_file")

COLUMNS = "Name Total Count Time (ms) Min Time (ms) Max Time (ms) Avg Time (ms)"


# --- the table ------------------------------------------------------------------------------------


def test_the_table_has_a_section_per_category_and_a_row_per_name() -> None:
    profiler.set_state("run")
    for _ in range(3):
        nd.ones((1000,))
    with profiler.scope("part"):
        nd.exp(nd.ones((1,)))
    profiler.set_state("stop")
    lines = profiler.dumps().splitlines()
    assert lines[1] == "Profile Statistics:"
    sections = [lines[i - 1] for i, line in enumerate(lines) if line.startswith("====")]
    assert sections == ["Device Storage", "operator", "scope"]
    start = lines.index("operator")
    assert " ".join(lines[start + 2].split()) == COLUMNS
    assert [line.split()[:2] for line in lines[start + 4 : start + 6]] in (
        [["_ones", "4"], ["exp", "1"]],
        [["exp", "1"], ["_ones", "4"]],
    )
    widths = {len(line) for line in lines[start + 2 : start + 6]}
    assert len(widths) == 1  # columns stand below each other
    assert "Memory: cpu/0" in profiler.dumps()


@pytest.mark.parametrize("key", ["total", "avg", "min", "max", "count"])
@pytest.mark.parametrize("ascending", [True, False])
def test_rows_are_sorted(key: str, ascending: bool) -> None:
    profiler.set_state("run")
    x = nd.ones((64, 64))
    for function in (nd.exp, nd.log, nd.log, nd.softmax, nd.softmax, nd.softmax):
        function(x)
    profiler.set_state("stop")
    rows = list(figures(sort_by=key, ascending=ascending)["Time"]["operator"].values())
    assert len(rows) == 4
    values = [row[key.capitalize()] for row in rows]
    assert values == sorted(values, reverse=not ascending)


def test_figures_agree_with_the_trace(trace_file: Path) -> None:
    profiler.set_state("run")
    x = nd.ones((10,))
    for _ in range(5):
        nd.exp(x)
    profiler.dump()
    times = [e["dur"] / 1e3 for e in events(trace_file) if e["name"] == "exp"]
    row = figures()["Time"]["operator"]["exp"]
    assert row["Count"] == len(times) == 5
    assert row["Total"] == pytest.approx(sum(times))
    assert (row["Min"], row["Max"]) == pytest.approx((min(times), max(times)))
    assert row["Avg"] == pytest.approx(sum(times) / 5)
    assert figures()["Unit"] == {"Time": "ms", "Memory": "kB"}


def test_reset_begins_anew(trace_file: Path) -> None:
    profiler.set_state("run")
    nd.ones((2,))
    assert figures(reset=True)["Time"]["operator"]["_ones"]["Count"] == 1
    nd.ones((2,))
    assert figures()["Time"]["operator"]["_ones"]["Count"] == 1
    assert names(trace_file) == ["_ones", "_ones"]  # the trace keeps both


def test_there_is_no_table_without_its_option(trace_file: Path) -> None:
    configure(trace_file, aggregate_stats=False)
    profiler.set_state("run")
    nd.ones((2,))
    assert profiler.dumps() == profiler.dumps(format="json") == ""


# --- the trace ------------------------------------------------------------------------------------


def test_scopes_nest(trace_file: Path) -> None:
    x = nd.ones((2,))
    profiler.set_state("run")
    with profiler.scope("outer"):
        with profiler.scope("first"):
            nd.exp(x)
        with profiler.scope("second"):
            nd.log(x)
    found = recorded(trace_file)
    assert [e["name"] for e in found] == ["outer", "first", "exp", "second", "log"]
    assert_nested(found)
    outer, first, exp, second, log = found
    assert contains(outer, first)
    assert contains(outer, second)
    assert contains(first, exp)
    assert contains(second, log)
    assert not contains(first, log)


def test_a_scope_costs_nothing_and_records_nothing_when_off(trace_file: Path) -> None:
    with profiler.scope("off"):
        profiler.set_state("run")
    nd.ones((2,))
    assert [e["name"] for e in recorded(trace_file)] == ["_ones"]


def test_threads_have_tracks_and_names(trace_file: Path) -> None:
    x = nd.ones((2,))
    barrier = threading.Barrier(3)

    def work() -> None:
        barrier.wait()
        for _ in range(50):
            nd.exp(x)

    profiler.set_state("run")
    threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    profiler.dump()
    found = events(trace_file)
    called = {e["tid"]: e["args"]["name"] for e in found if e["name"] == "thread_name"}
    counts = Tally(called[e["tid"]] for e in found if e["name"] == "exp")
    assert counts == {"worker 0": 50, "worker 1": 50, "worker 2": 50}
    assert figures()["Time"]["operator"]["exp"]["Count"] == 150
    assert_nested(found)


def test_switching_while_threads_run_loses_no_kernel() -> None:
    x = nd.ones((2,))
    stop = threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while not stop.is_set():
                np.testing.assert_array_equal((x + 1).asnumpy(), [2, 2])
        except BaseException as error:  # shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        profiler.set_state("run")
        profiler.set_state("stop")
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(unwrap(kernel) is kernel for kernel in x.device.kernels.values())


def test_the_limit_on_events_is_told_once(trace_file: Path) -> None:
    configure(trace_file, max_events=3, profile_memory=False)
    profiler.set_state("run")
    with pytest.warns(UserWarning, match="limit of 3 events") as told:
        [nd.ones((2,)) for _ in range(10)]
    assert len(told) == 1
    assert figures()["Time"]["operator"]["_ones"]["Count"] == 10
    assert len(recorded(trace_file)) == 3


def test_the_file_is_replaced_in_one_step(trace_file: Path) -> None:
    trace_file.write_text("old", encoding="utf-8")
    profiler.set_state("run")
    nd.ones((2,))
    profiler.dump()
    assert json.loads(trace_file.read_text(encoding="utf-8"))["displayTimeUnit"] == "ms"
    assert [file.name for file in trace_file.parent.iterdir()] == ["trace.json"]


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    configure(tmp_path / "missing" / "trace.json")
    profiler.set_state("run")
    nd.ones((2,))
    with pytest.raises(FileNotFoundError):
        profiler.dump()


# --- what a program measures itself ---------------------------------------------------------------


def test_tasks_frames_and_events_are_recorded(trace_file: Path) -> None:
    domain = profiler.Domain("training")
    timers = [domain.new_task("load"), domain.new_frame("step"), profiler.Event("save")]
    profiler.set_state("run")
    for timer in timers:
        timer.start()
    for timer in timers:  # they overlap without nesting
        timer.stop()
    with timers[0]:
        pass
    found = recorded(trace_file)
    begun = [(e["cat"], e["name"]) for e in found if e["ph"] == "b"]
    assert begun == [
        ("training", "load"),
        ("training,frame", "step"),
        ("event", "save"),
        ("training", "load"),
    ]
    for begin in [e for e in found if e["ph"] == "b"]:
        (end,) = [e for e in found if e["ph"] == "e" and e["id"] == begin["id"]]
        assert (end["cat"], end["name"]) == (begin["cat"], begin["name"])
        assert end["ts"] >= begin["ts"]
    assert figures()["Time"]["training"]["load"]["Count"] == 2
    assert [str(timer) for timer in timers] == ["load", "step", "save"]


def test_a_timer_needs_its_start_and_a_running_profiler(trace_file: Path) -> None:
    task = profiler.Domain("d").new_task("task")
    profiler.set_state("run")
    task.stop()  # not started
    profiler.pause()
    task.start()
    task.stop()
    profiler.resume()
    assert recorded(trace_file) == []


def test_counters_keep_their_course(trace_file: Path) -> None:
    domain = profiler.Domain("d")
    profiler.set_state("run")
    counter = domain.new_counter("images", 5)
    counter += 10
    counter -= 3
    counter.increment()
    counter.decrement(4)
    counter.set_value(np.float32(2.5))
    profiler.dump()
    found = [e["args"]["images"] for e in events(trace_file) if e["ph"] == "C"]
    assert found == [5, 15, 12, 13, 9, 2.5]
    row = figures()["Counter"]["d"]["images"]
    assert row == {"Count": 6, "Last": 2.5, "Min": 2.5, "Max": 15, "Avg": pytest.approx(56.5 / 6)}
    assert str(counter) == "images"


def test_a_counter_without_a_value_starts_at_zero(trace_file: Path) -> None:
    profiler.set_state("run")
    counter = profiler.Counter(profiler.Domain("d"), "n")
    assert recorded(trace_file) == []
    profiler.set_state("run")
    counter.decrement(2)
    assert counter.value == -2


def test_markers(trace_file: Path) -> None:
    marker = profiler.Domain("d").new_marker("here")
    marker.mark()
    profiler.set_state("run")
    marker.mark()
    marker.mark("thread")
    marker.mark(scope="global")
    found = recorded(trace_file)
    assert [(e["ph"], e["cat"], e["name"], e["s"]) for e in found] == [
        ("i", "d,instant_marker", "here", scope) for scope in "ptg"
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UNTYPED.Domain(3), "Domain: name=3 must be a string"),
        (lambda: UNTYPED.Event(None), "Event: name=None must be a string"),
        (lambda: UNTYPED.Domain("d").new_task(3), "Task: name=3 must be a string"),
        (lambda: UNTYPED.Domain("d").new_counter("c", "x"), "Counter 'c': 'x' is not a number"),
        (lambda: UNTYPED.Domain("d").new_marker("m").mark("x"), "'m': scope='x' is not one of"),
    ],
)
def test_wrong_objects_are_explained(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()
