"""Tuning: which of several ways to compute the same is the fastest, measured once and kept on disk.

``HY_AUTOTUNE`` says what is done for a device, dtype and class of shapes that nothing is known of:
``cached`` (the default) and ``off`` take the way that is safe unmeasured, of products and
convolutions the library's; ``off`` reads no file either. ``full`` compiles all ways, several at a
time, measures them at the first call, and says so in one line of the log. Files lie in
``HY_AUTOTUNE_DIR``, else in ``hy`` in the user's folder of caches: one for each device and
version, replaced as a whole, so that a reader never sees half of one. While a CUDA graph is
captured nothing is measured. A way that does not fit the device is passed over; one that fails for
another reason is told, and if all but the safe one do, that is an error.
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

__all__ = ["VERSION", "Candidates", "Problem", "choose", "forget", "shape_class"]

VERSION = 1
"""Of the files; others are not read."""

Candidates: TypeAlias = Mapping[str, Callable[[], Any]]
"""Calls that give the same, by names that stay."""

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
    """Sizes that are tuned together: from 32 on all up to the next power of 2, times 1 or 1.5.

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
    """A problem of which ways are measured: one object for each, found by its address.

    Dictionaries of a call hash that alone, and not dtypes and sizes.
    """

    name: str
    words: tuple[Hashable, ...]
    """Dtype and whatever else tells problems of a name apart, but for sizes."""
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, name: str, words: tuple[Hashable, ...], sizes: tuple[int, ...]) -> "Problem":
        """Return the one for these."""
        return _problem(name, words, sizes)

    @property
    def key(self) -> str:
        """Return the entry of files, which is that of all sizes of a :func:`shape_class`."""
        sizes = [shape_class(*self.sizes)] if self.sizes else []
        return " ".join(map(str, (self.name, *self.words, *sizes)))


@lru_cache(maxsize=4096)
def _problem(name: str, words: tuple[Hashable, ...], sizes: tuple[int, ...]) -> Problem:
    return Problem(name, words, sizes)


_selected: dict[tuple[Problem, torch.device], str] = {}
"""Of calls of late."""
_MAX_SELECTED = 4096  # calls


def choose(
    problem: Problem, candidates: Callable[[], Candidates], *, untuned: str, device: torch.device
) -> str:
    """Return the name of the way to compute something.

    Args:
        problem: What is computed.
        candidates: Makes the candidates; each may be called any number of times.
        untuned: The one that is taken unmeasured.
        device: Where it runs; only CUDA's devices are measured.

    Raises:
        ValueError: ``HY_AUTOTUNE`` is none of its values.
        LaunchError: Of the candidates that were measured none but ``untuned`` can be taken at all.
    """
    call = (problem, device)
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
    """Return the name of the fastest of those that run.

    Raises:
        LaunchError: Of the others than ``untuned`` none can be compiled or started.
    """
    times, broken = dict[str, float](), list[LaunchError]()
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
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    name = re.sub(r"\W+", "-", torch.cuda.get_device_name(device))
    file = f"autotune-{VERSION}-{name}-triton-{triton.__version__}-torch-{torch.__version__}.json"
    return Path(folder or Path(caches) / "hy") / file


def _read(file: Path) -> dict[str, str]:
    """Return the content of a file; nothing where it is none, or not of this version."""
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
    """Replace the file as a whole; where that cannot be done, what was measured lives in memory."""
    text = json.dumps({"version": VERSION, "ways": dict(sorted(known.items()))}, indent=1)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, prefix=file.name, delete=False, encoding="utf-8"
        ) as result:
            result.write(text)
            result.flush()
            os.fsync(result.fileno())
        Path(result.name).replace(file)
    except OSError as error:
        _log.warning("%s cannot be written: %s", file, error)


def forget() -> None:
    """Forget what was read and measured in this process, and the mode; files stay."""
    _mode.cache_clear()
    with _lock:
        _known.clear()
        _selected.clear()
