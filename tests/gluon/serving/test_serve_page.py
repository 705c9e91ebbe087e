"""The commands and programs of docs/serve.md, against the server that it starts."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest

from hy_gluon import nn
from hy_ndarray import nd
from tools.pages import DOCS

PAGE = (DOCS / "serve.md").read_text(encoding="utf-8")


def block(beginning: str) -> str:
    """Return the text of the page's block that begins so."""
    (found,) = re.findall(
        rf"^```\w+\n({re.escape(beginning)}.*?)^```", PAGE, re.DOTALL | re.MULTILINE
    )
    return str(found)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def serving(folder: Path, *, interrupted: bool = False) -> Iterator[str]:
    """Run the command of the page in a folder; gives the address when it is ready, and ends it."""
    port = free_port()
    _, *words = shlex.split(block("hy-io serve"))
    command = [sys.executable, "-m", "hy_io.cli", *words, "--port", str(port)]
    with subprocess.Popen(  # noqa: S603
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as server:
        try:
            while not is_ready(f"http://localhost:{port}/health"):
                assert server.poll() is None
            yield f"localhost:{port}"
            if interrupted:
                os.killpg(server.pid, signal.SIGINT)  # as Ctrl+C in a terminal
            else:
                server.terminate()
            # Until the last of its processes ends. What LitServe prints then is its own: a closed
            # event loop may be a traceback in its log.
            server.communicate(timeout=60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def is_ready(address: str) -> bool:
    try:
        with urlopen(address, timeout=60) as answer:  # noqa: S310  # this machine's
            return bool(answer.read() == b"ok")
    except HTTPError as answer:
        answer.close()
        return False
    except OSError:
        return False


@pytest.mark.slow
def test_the_commands_of_the_page_serve_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    x = nd.array([[0.5, 1, 2]])
    expected = net(x)[0].asnumpy()
    net.export(str(tmp_path / "net"))
    with serving(tmp_path) as address:
        program = block("import json").replace("localhost:8000", address)
        exec(compile(program, "serve.md", "exec"), {"x": x})  # noqa: S102  # ours
        outputs = [json.loads(capsys.readouterr().out)]
        if shutil.which("curl"):
            command = shlex.split(block("curl").replace("localhost:8000", address))
            answer = subprocess.run([*command, "-s"], capture_output=True, check=True)  # noqa: S603
            outputs.append(json.loads(answer.stdout)["output"])
        header = {"Content-Type": "application/json"}
        wrong = Request(f"http://{address}/predict", b'{"data": [1, 2]}', header)
        with pytest.raises(HTTPError) as caught:
            urlopen(wrong)  # noqa: S310
        assert caught.value.code == 422
        with caught.value as refusal:
            assert json.load(refusal) == json.loads(block('{"detail"'))
    np.testing.assert_allclose(outputs, [expected] * len(outputs), rtol=1e-5)


@pytest.mark.slow
def test_a_server_that_is_interrupted_ends_its_processes(tmp_path: Path) -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 3)))
    net.export(str(tmp_path / "net"))
    with serving(tmp_path, interrupted=True):
        pass
