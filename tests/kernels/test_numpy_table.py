"""The numpy table imports what it is asked for."""

import subprocess
import sys

PROGRAM = """
import sys
from hy_kernels.numpy import table

def loaded():
    families = "elementwise.activations", "reduce.statistics"
    return [name for name in families if f"hy_kernels.numpy.{name}" in sys.modules]

print(loaded(), table().find("relu").name, loaded(), table().find("no_such_kernel"))
"""


def test_looking_a_kernel_up_imports_its_module_alone() -> None:
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", PROGRAM], check=True, timeout=120, capture_output=True, text=True
    )
    assert done.stdout.split("\n")[0] == "[] relu ['elementwise.activations'] None"
