"""Tuning: which of several ways to compute the same is the fastest, measured once and kept on disk.

``HY_AUTOTUNE`` says what is done for a device, dtype and class of shapes that nothing is known of:
``full`` (the default) measures all ways at the first call, and says so in one line of the log;
``cached`` and ``off`` take the way that is safe unmeasured; ``off`` reads no file either. Files lie
in ``HY_AUTOTUNE_DIR``, else in ``hy`` in the user's folder of caches: one for each device and
version, replaced as a whole, so that a reader never sees half of one.
"""

import json
import logging
import os
import re
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import torch
import triton
from triton import testing

__all__ = ["VERSION", "Ways", "choose", "forget", "shape_class"]

VERSION = 1
"""Of the files; others are not read."""

Ways: TypeAlias = Mapping[str, Callable[[], Any]]
"""Calls that give the same, by names that stay."""

_MODES = ("off", "cached", "full")
_log = logging.getLogger("hy_kernels.triton")
_lock = threading.Lock()
_known: dict[Path, dict[str, str]] = {}


def _mode() -> str:
    mode = os.environ.get("HY_AUTOTUNE", "full")
    if mode not in _MODES:
        raise ValueError(f"HY_AUTOTUNE={mode!r}; it has to be one of {', '.join(_MODES)}")
    return mode


def shape_class(*sizes: int) -> str:
    """Sizes that are tuned together: from 32 on all up to the next power of 2, times 1 or 1.5.

    Example:
        >>> shape_class(7, 4096, 4097, 6000)
        '7x4096x6144x6144'
    """
    return "x".join(str(_rounded(n)) for n in sizes)


def _rounded(n: int) -> int:
    if n <= 32:
        return n
    power = 1 << (n - 1).bit_length()
    return power * 3 // 4 if n <= power * 3 // 4 else power


def choose(name: str, key: str, ways: Ways, *, untuned: str, device: torch.device) -> str:
    """The name of the way to compute something.

    Args:
        name: What is computed.
        key: Dtype and class of shapes.
        ways: What there is to choose from; each may be called any number of times.
        untuned: The one that is taken unmeasured.
        device: Where it runs; only CUDA's devices are measured.

    Raises:
        ValueError: ``HY_AUTOTUNE`` is none of its values.
    """
    if device.type != "cuda":
        return untuned
    mode = _mode()
    if mode == "off":
        return untuned
    return _chosen(f"{name} {key}", ways, untuned, _file(device), mode == "full")


def _chosen(
    key: str,
    ways: Ways,
    untuned: str,
    file: Path,
    measures: bool,
    time: Callable[[Callable[[], Any]], float] | None = None,
) -> str:
    known = _known.get(file)
    if known is None:
        with _lock:
            known = _known.setdefault(file, _read(file))
    found = known.get(key)
    if found is not None and found in ways:
        return found
    if not measures:
        return untuned
    with _lock:  # one thread measures at a time; the others would disturb it
        found = known.get(key)
        if found is not None and found in ways:
            return found
        _log.warning("tuning %s: %d ways, once; kept in %s", key, len(ways), file)
        times = {way: _time(call, time or testing.do_bench) for way, call in ways.items()}
        known[key] = best = min(times, key=times.__getitem__)
        _write(file, {**_read(file), **known})
    return best


def _time(call: Callable[[], Any], measure: Callable[[Callable[[], Any]], float]) -> float:
    """Milliseconds; infinite where a way is too large for the device."""
    try:
        return float(measure(call))
    except RuntimeError:
        return float("inf")


def _file(device: torch.device) -> Path:
    folder = os.environ.get("HY_AUTOTUNE_DIR")
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    name = re.sub(r"\W+", "-", torch.cuda.get_device_name(device))
    file = f"autotune-{VERSION}-{name}-triton-{triton.__version__}-torch-{torch.__version__}.json"
    return Path(folder or Path(caches) / "hy") / file


def _read(file: Path) -> dict[str, str]:
    """What a file holds; nothing where it is none, or not of this version."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _log.warning("%s cannot be read and is written anew: %s", file, error)
        return {}
    if not isinstance(content, dict) or content.get("version") != VERSION:
        return {}
    ways = content.get("ways")
    if not isinstance(ways, dict):
        return {}
    return {k: way for k, way in ways.items() if isinstance(way, str)}


def _write(file: Path, known: Mapping[str, str]) -> None:
    """Replace the file as a whole; where that cannot be done, what was measured lives in memory."""
    text = json.dumps({"version": VERSION, "ways": dict(sorted(known.items()))}, indent=1)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, prefix=file.name, delete=False, encoding="utf-8"
        ) as made:
            made.write(text)
            made.flush()
            os.fsync(made.fileno())
        Path(made.name).replace(file)
    except OSError as error:
        _log.warning("%s cannot be written: %s", file, error)


def forget() -> None:
    """Forget what was read and measured in this process; files stay."""
    with _lock:
        _known.clear()
