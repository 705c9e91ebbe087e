"""Profiler: records calls on arrays and graphs, with their times and durations.

:func:`set_state` starts and stops it; :func:`dump` writes a trace for Perfetto, and :func:`dumps`
returns a table. While the profiler is off, kernels are not wrapped.

Example:
    >>> from hy_ndarray import nd
    >>> set_config(aggregate_stats=True, continuous_dump=False)
    >>> set_state("run")
    >>> x = nd.ones((2, 3)) + 1
    >>> set_state("stop")
    >>> "_plus_scalar" in dumps(reset=True)
    True
"""

from hy_ndarray.profiler.control import (
    autostart,
    dump as dump,
    dump_profile as dump_profile,
    dumps as dumps,
    pause as pause,
    profiler_set_config as profiler_set_config,
    profiler_set_state as profiler_set_state,
    resume as resume,
    scope as scope,
    set_config as set_config,
    set_state as set_state,
    state as state,
)
from hy_ndarray.profiler.objects import (
    Counter as Counter,
    Domain as Domain,
    Event as Event,
    Frame as Frame,
    Marker as Marker,
    Task as Task,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = [
    "Counter",
    "Domain",
    "Event",
    "Frame",
    "Marker",
    "Task",
    "dump",
    "dump_profile",
    "dumps",
    "pause",
    "profiler_set_config",
    "profiler_set_state",
    "resume",
    "scope",
    "set_config",
    "set_state",
    "state",
]

autostart()

_suggest_members(globals())
