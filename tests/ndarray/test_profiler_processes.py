"""The profiler of a whole process: environment variables, continuous traces, children."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hy_ndarray import nd, profiler
from tests.profiles import configure, events

pytestmark = pytest.mark.usefixtures("trace_file")


def run(code: str, folder: Path, **environment: str) -> str:
    """What a fresh process prints."""
    done = subprocess.run(  # noqa: S603  # our own code
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, **environment},
    )
    return done.stdout


ONES = "from hy_ndarray import nd; nd.exp(nd.ones((2,)))"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value", "file"),
    [
        ("HY_PROFILER", "1", "profile.json"),
        ("HY_PROFILER", "mine.json", "mine.json"),
        ("MXNET_PROFILER_AUTOSTART", "1", "profile.json"),
    ],
)
def test_an_environment_variable_profiles_a_whole_process(
    tmp_path: Path, variable: str, value: str, file: str
) -> None:
    run(ONES, tmp_path, **{variable: value})
    found = [e["name"] for e in events(tmp_path / file) if e["ph"] == "X"]
    assert found == ["_ones", "exp"]


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["HY_PROFILER", "MXNET_PROFILER_AUTOSTART"])
def test_the_variable_can_say_no(tmp_path: Path, variable: str) -> None:
    run(ONES, tmp_path, **{variable: "0"})
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_continuous_trace_is_complete_at_the_end_of_the_process(tmp_path: Path) -> None:
    code = (
        "from hy_ndarray import nd, profiler\n"
        "profiler.set_config(filename='trace.json', dump_period=1000)\n"
        "profiler.set_state('run')\n"
        "nd.ones((2,))\n"
    )
    run(code, tmp_path)
    assert [e["name"] for e in events(tmp_path / "trace.json") if e["ph"] == "X"] == ["_ones"]


def test_a_continuous_trace_is_written_while_running(trace_file: Path) -> None:
    """A thread writes it, and ends with the run."""
    configure(trace_file, continuous_dump=True, dump_period=0.001)
    profiler.set_state("run")
    (writer,) = [thread for thread in threading.enumerate() if thread.name == "profiler"]
    nd.ones((2,))
    while not trace_file.exists():
        assert writer.is_alive()
    profiler.set_state("stop")
    writer.join()
    assert "_ones" in [e["name"] for e in events(trace_file)]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_records_nothing_of_its_parent(tmp_path: Path) -> None:
    """It runs bare kernels, writes no file when it ends, and may record for itself."""
    code = (
        "import os, sys\n"
        "from hy_ndarray import nd, instrumentation, profiler\n"
        "profiler.set_config(aggregate_stats=True, dump_period=1000)\n"
        "profiler.set_state('run')\n"
        "x = nd.ones((2,))\n"
        "if os.fork() == 0:\n"
        "    nd.log(x)\n"
        "    kernel = x.device.kernels['log']\n"
        "    unwrapped = instrumentation.unwrap(kernel) is kernel\n"
        "    print(profiler.state(), unwrapped, 'log' in profiler.dumps())\n"
        "    sys.exit()\n"
        "os.wait()\n"
        "print(os.listdir(), flush=True)\n"
        "if os.fork() == 0:\n"
        "    profiler.set_config(filename='child.json')\n"
        "    profiler.set_state('run')\n"
        "    nd.exp(x)\n"
        "    profiler.dump()\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "nd.sqrt(x)\n"
    )
    assert run(code, tmp_path).splitlines() == ["stop True False", "[]"]
    for file, names in (("child.json", ["exp"]), ("profile.json", ["_ones", "sqrt"])):
        assert [e["name"] for e in events(tmp_path / file) if e["ph"] == "X"] == names


@pytest.mark.slow
def test_dump_before_any_run_is_an_error(tmp_path: Path) -> None:
    code = (
        "from hy_ndarray import HyError, profiler\n"
        "try:\n"
        "    profiler.dump()\n"
        "except HyError as error:\n"
        "    print(error)\n"
    )
    assert "call set_state('run') first" in run(code, tmp_path)
