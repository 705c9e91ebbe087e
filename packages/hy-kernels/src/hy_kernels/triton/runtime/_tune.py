"""Autotuning: the fastest of several implementations, measured once and cached on disk.

``HY_AUTOTUNE`` is the mode for a device, dtype and class of shapes that was not measured before:
``cached`` (the default) and ``off`` use the untuned default, for products and convolutions the
library's; ``off`` ignores the cache too. ``full`` compiles all candidates in parallel, measures
them on the first call, and logs one line. Cache files are in ``HY_AUTOTUNE_DIR``, else in ``hy`` in
the user's cache folder: one per device and version, replaced atomically. Nothing is measured while
a CUDA graph is captured. Candidates that exceed the device's resources are skipped; other failures
are logged, and if all candidates but the default fail, an error is raised.
"""

import json
import logging
import os
import re
import tempfile
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import torch
import triton
from triton import testing
from triton.runtime.errors import OutOfResources

from hy_kernels.triton.runtime._launch import LaunchError, compile_ahead, on_device

VERSION = 1
"""Version of the cache files; files of other versions are ignored."""

Candidates: TypeAlias = Mapping[str, Callable[[], Any]]
"""Calls that compute the same result, by names that are stable across processes."""

_MODES = ("off", "cached", "full")
_DEFAULT = "cached"
_log = logging.getLogger("hy_kernels.triton")
_lock = threading.Lock()
_known: dict[Path, dict[str, str]] = {}


@cache
def _mode() -> str:
    # Read once: to ask the environment takes a tenth of an eager call.
    mode = os.environ.get("HY_AUTOTUNE", _DEFAULT)
    if mode not in _MODES:
        raise ValueError(f"HY_AUTOTUNE={mode!r}; it has to be one of {', '.join(_MODES)}")
    return mode


def shape_class(*sizes: int) -> str:
    """Return the key of sizes tuned together: above 32 rounded up to ``2 ** n`` or ``3 * 2 ** n``.

    Example:
        >>> shape_class(7, 4096, 4097, 6000)
        '7x4096x6144x6144'
    """
    # Classes half an octave wide: what is fastest at 4,096 rows is so at 4,000, and a net of many
    # batch sizes does not measure each. Small sizes decide between few tiles, and are exact.
    return "x".join(str(_rounded(n)) for n in sizes)


def _rounded(n: int) -> int:
    if n <= 32:
        return n
    power = 1 << (n - 1).bit_length()
    return power * 3 // 4 if n <= power * 3 // 4 else power


@dataclass(frozen=True, eq=False)
class Problem:
    """Key of a tuned computation; interned, so that equal problems are the same object.

    Dictionaries then hash its address, not its dtype and sizes.
    """

    name: str
    words: tuple[Hashable, ...]
    """Dtype and other properties but sizes that distinguish problems of a name."""
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, name: str, words: tuple[Hashable, ...], sizes: tuple[int, ...]) -> "Problem":
        """Return the interned problem with these fields."""
        return _problem(name, words, sizes)

    @property
    def key(self) -> str:
        """Key in cache files, the same for all sizes of a :func:`shape_class`."""
        sizes = [shape_class(*self.sizes)] if self.sizes else []
        return " ".join(map(str, (self.name, *self.words, *sizes)))


@lru_cache(maxsize=4096)
def _problem(name: str, words: tuple[Hashable, ...], sizes: tuple[int, ...]) -> Problem:
    return Problem(name, words, sizes)


_selected: dict[tuple[Problem, torch.device], str] = {}
"""Cached choices of recent calls."""
_MAX_SELECTED = 4096  # calls


def choose(
    problem: Problem, candidates: Callable[[], Candidates], *, untuned: str, device: torch.device
) -> str:
    """Return the name of the fastest candidate for a problem on a device.

    Args:
        problem: The computation.
        candidates: Returns the candidates; each may be called any number of times.
        untuned: Name of the default, used where nothing was measured.
        device: Where to run; only CUDA devices are measured.

    Raises:
        ValueError: ``HY_AUTOTUNE`` is not a mode.
        LaunchError: No measured candidate but ``untuned`` can be launched.
    """
    call = (problem, device)
    # Without the lock: a lookup is atomic, and a miss only asks again.
    result = _selected.get(call)
    if result is not None:
        return result
    if device.type != "cuda":
        return untuned
    mode = _mode()
    if mode == "off":
        return untuned
    is_capturing = torch.cuda.is_current_stream_capturing()
    measures = mode == "full" and not is_capturing
    with on_device(device):
        result = _best_config(problem.key, candidates(), untuned, _file(device), measures)
    # In mode full, a call that was captured measured nothing: the next one shall.
    if mode == "cached" or measures:
        if len(_selected) >= _MAX_SELECTED:
            _selected.clear()
        _selected[call] = result
    return result


def _best_config(
    key: str,
    candidates: Candidates,
    untuned: str,
    file: Path,
    measures: bool,
    time: Callable[[Callable[[], Any]], float] | None = None,
) -> str:
    known = _known.get(file)
    if known is None:
        with _lock:
            known = _known.setdefault(file, _read(file))
    result = known.get(key)
    if result is not None and result in candidates:
        return result
    if not measures:
        return untuned
    with _lock:  # one thread measures at a time; the others would disturb it
        result = known.get(key)
        if result is not None and result in candidates:
            return result
        _log.warning("tuning %s: %s, once; kept in %s", key, ", ".join(candidates), file)
        known[key] = best = _fastest(key, candidates, untuned, time or testing.do_bench)
        # Read again: another process may have measured other shapes meanwhile.
        _write(file, {**_read(file), **known})
    return best


def _fastest(
    key: str, candidates: Candidates, untuned: str, measure: Callable[[Callable[[], Any]], float]
) -> str:
    """Measure the candidates, and return the name of the fastest that runs.

    Raises:
        LaunchError: No candidate but ``untuned`` can be compiled or launched.
    """
    times, broken = dict[str, float](), list[LaunchError]()
    # Without the default, which may be a library's call: that would run and not be collected.
    compile_ahead([call for way, call in candidates.items() if way != untuned])
    for way, call in candidates.items():
        try:
            times[way] = float(measure(call))
        except LaunchError as error:
            # A way that is too large for this device is no fault: smaller ones fit.
            if not isinstance(error.__cause__, OutOfResources):
                _log.warning("%s: %s cannot be taken: %s", key, way, error)
                broken.append(error)
        except RuntimeError as error:
            _log.warning("%s: %s cannot be taken: %s", key, way, error)
    if len(broken) == len(candidates) - (untuned in candidates) and broken:
        raise broken[0]
    return min(times, key=times.__getitem__, default=untuned)


def _file(device: torch.device) -> Path:
    folder = os.environ.get("HY_AUTOTUNE_DIR")
    name = re.sub(r"\W+", "-", torch.cuda.get_device_name(device))
    file = f"autotune-{VERSION}-{name}-triton-{triton.__version__}-torch-{torch.__version__}.json"
    return (Path(folder) if folder else _caches() / "hy") / file


def _caches() -> Path:
    """Return the user's folder of caches."""
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder)
    try:
        return Path.home() / ".cache"
    except RuntimeError:  # a user without home directory, as in a container
        return Path(tempfile.gettempdir())


def _read(file: Path) -> dict[str, str]:
    """Return the choices in a cache file; empty if it is missing, invalid or of another version."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _log.warning("%s cannot be read and is written anew: %s", file, error)
        return {}
    if not isinstance(content, dict) or content.get("version") != VERSION:
        return {}
    candidates = content.get("ways")
    if not isinstance(candidates, dict):
        return {}
    return {k: way for k, way in candidates.items() if isinstance(way, str)}


def _write(file: Path, known: Mapping[str, str]) -> None:
    """Replace the cache file atomically; if that fails, log it and keep the choices in memory."""
    text = json.dumps({"version": VERSION, "ways": dict(sorted(known.items()))}, indent=1)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, prefix=file.name, delete=False, encoding="utf-8"
        ) as result:
            result.write(text)
            result.flush()
            # Before the rename: after a crash the file is the old or the new one, never empty.
            os.fsync(result.fileno())
        Path(result.name).replace(file)
    except OSError as error:
        _log.warning("%s cannot be written: %s", file, error)


def forget() -> None:
    """Clear the choices and the mode cached in this process; files are kept."""
    _mode.cache_clear()
    with _lock:
        _known.clear()
        _selected.clear()
