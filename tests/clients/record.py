"""Record what the clients compute on MXNet 1.9.1: ``hatch run record-clients [CLIENT ...]``.

MXNet's side runs, and what it wrote is kept; then hy's, which reads that; then MXNet's again, which
reads the files of hy. Prints where MXNet fails and hy differs.
"""

import json
import shutil
import sys

from tests.clients.catalogue import CLIENTS
from tests.clients.environments import FILES, Environment
from tests.clients.exchange import keep, kept
from tests.clients.records import compared, record_file

__all__: list[str] = []


def record(name: str) -> None:
    """Write one client's record."""
    sides = {side: Environment(name, CLIENTS[name], side) for side in ("mxnet", "hy")}
    folder = FILES / name
    shutil.rmtree(folder, ignore_errors=True)
    outcomes = {}
    for i, side in enumerate(("mxnet", "hy", "mxnet")):
        sides[side].make()
        output = FILES / f"{name}-{i}.json"
        sides[side].run(output)
        outcomes[side] = json.loads(output.read_text(encoding="utf-8"))
        if i == 0:
            keep(name, folder)
    recorded = outcomes["mxnet"]
    for check, outcome in recorded.items():
        del outcome["seconds"]
        if "error" in outcome:
            outcome["error"] = outcome["error"].strip().rpartition("\n")[2]
            print(f"{name} {check}: MXNet fails: {outcome['error']}")
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(recorded[key])}" for key in recorded)
    record_file(name).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    comparison = compared(outcomes["hy"], recorded, files=kept(name).is_dir())
    for check, text in comparison.wrong.items():
        print(f"{name} {check}: {text}")
    print(f"{name}: {comparison.same} of {len(recorded)} checks agree")


if __name__ == "__main__":
    for client in sys.argv[1:] or CLIENTS:
        record(client)
