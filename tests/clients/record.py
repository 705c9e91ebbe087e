"""Record what the clients compute on MXNet 1.9.1: ``hatch run record-clients [CLIENT ...]``.

MXNet's side runs, then hy's, which reads the files that MXNet wrote, then MXNet's again, which
reads those of hy. Prints where hy differs.
"""

import json
import sys

from tests.clients.catalogue import CLIENTS
from tests.clients.environments import FILES, Environment
from tests.clients.records import compared, record_file

__all__: list[str] = []


def record(name: str) -> None:
    """Write one client's record."""
    sides = {side: Environment(name, CLIENTS[name], side) for side in ("mxnet", "hy")}
    outcomes = {}
    for i, side in enumerate(("mxnet", "hy", "mxnet")):
        sides[side].make()
        output = FILES / f"{name}-{i}.json"
        sides[side].run(output)
        outcomes[side] = json.loads(output.read_text(encoding="utf-8"))
    recorded = outcomes["mxnet"]
    for outcome in recorded.values():
        del outcome["seconds"]
        if "error" in outcome:
            outcome["error"] = outcome["error"].strip().rpartition("\n")[2]
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(recorded[key])}" for key in recorded)
    record_file(name).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    comparison = compared(outcomes["hy"], recorded)
    for check, text in comparison.wrong.items():
        print(f"{name} {check}: {text}")
    print(f"{name}: {comparison.same} of {len(recorded)} checks agree")


if __name__ == "__main__":
    for client in sys.argv[1:] or CLIENTS:
        record(client)
