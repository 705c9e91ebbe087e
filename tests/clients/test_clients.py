"""Programs of others run unchanged, and compute what they compute on MXNet 1.9.1."""

import json
from pathlib import Path

import pytest

from tests.clients.catalogue import CLIENTS
from tests.clients.environments import Environment, version
from tests.clients.exchange import kept
from tests.clients.records import compared, record_file

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_computes_what_it_does_on_mxnet(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    python = request.config.getoption("--python")
    environment = Environment(name, CLIENTS[name], "hy", python)
    environment.make()
    output = tmp_path / "results.json"
    environment.run(output)
    recorded = json.loads(record_file(name).read_text(encoding="utf-8"))
    got = json.loads(output.read_text(encoding="utf-8"))
    found = compared(got, recorded, files=kept(name).is_dir())
    with capsys.disabled():
        print(
            f"\n{CLIENTS[name].package}, Python {'.'.join(map(str, version(python)))}: "
            f"{found.same} of {len(recorded)} checks as on MXNet, {found.seconds:.0f} s"
        )
    assert not found.wrong, "\n".join(f"{check}: {text}" for check, text in found.wrong.items())
