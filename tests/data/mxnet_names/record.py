"""Writes ``modules.txt``: what each module of MXNet's binds, private names and all.

Run with an interpreter that has MXNet 1.9.1 (and NumPy 1.23): ``python record.py``. Each module is
imported in a process of its own, so that no other one's imports are seen in it.
"""

import importlib
import os
import pkgutil
import sys
import types
import warnings
from pathlib import Path

HEAD = """\
# Names that modules of MXNet 1.9.1 bind, by `python record.py`: a module, a colon, what a star
# import of it binds, a bar, and the other names of `dir()` without those of two underscores.
"""


def names_of(module: str) -> str:
    """A line for a module, empty where it cannot be imported."""
    try:
        found = importlib.import_module(module)
    except BaseException:  # a script among the modules ends the process
        return ""
    if found.__name__ != module or not isinstance(found, types.ModuleType):
        return ""
    bound: dict[str, object] = {}
    exec(f"from {module} import *", bound)  # noqa: S102  # nothing else tells it truly
    star = sorted(set(bound) - {"__builtins__"})
    rest = sorted(name for name in dir(found) if name not in star and not name.startswith("__"))
    return f"{module}: {' '.join(star)} | {' '.join(rest)}".replace(":  |", ": |").rstrip()


def in_fresh_process(module: str) -> str:
    """As :func:`names_of`, in a copy of this process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123  # the process ends soon
        with os.fdopen(writer, "w", encoding="utf-8") as stream:
            stream.write(names_of(module))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as stream:
        line = stream.read()
    os.waitpid(child, 0)
    return line


def main() -> None:
    """Record every module below ``mxnet``."""
    warnings.simplefilter("ignore")
    import mxnet  # noqa: PLC0415  # this script runs where it is installed

    # The list of modules comes from a process of its own: packages are imported to be looked into.
    reader, writer = os.pipe()
    if os.fork() == 0:
        infos = pkgutil.walk_packages(mxnet.__path__, "mxnet.", onerror=lambda _: None)
        with os.fdopen(writer, "w", encoding="utf-8") as stream:
            stream.write("\n".join(["mxnet", *(info.name for info in infos)]))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as stream:
        modules = stream.read().split()
    modules += [name for name in sys.modules if name.startswith("mxnet.")]
    lines = [in_fresh_process(module) for module in sorted(set(modules))]
    text = HEAD + "\n" + "".join(f"{line}\n" for line in lines if line)
    Path(__file__).with_name("modules.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
