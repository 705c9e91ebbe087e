"""Configuration of the profiler: the events it records, and its output file."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from hy_ndarray._errors import ArgumentError
from hy_ndarray.ops.record.params import param_of

__all__ = ["Config", "check_process"]


@dataclass(frozen=True, slots=True)
class Config:
    """The options of :func:`hy_ndarray.profiler.set_config`, with their defaults."""

    profile_all: bool = False
    profile_symbolic: bool = True
    profile_imperative: bool = True
    profile_memory: bool = True
    profile_api: bool = True
    filename: str = "profile.json"
    continuous_dump: bool = True
    dump_period: float = 1.0
    aggregate_stats: bool = False
    profile_process: Literal["worker", "server"] = "worker"
    max_events: int = 500_000

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the configuration for the given options, with defaults for others.

        Raises:
            ArgumentError: An option is unknown, or its value has the wrong type.
        """
        kinds = {x.name: param_of(x.name, x.type, x.default) for x in fields(cls)}
        unknown = [name for name in options if name not in kinds]
        if unknown:
            known = ", ".join(kinds)
            raise ArgumentError(f"set_config: unknown option {unknown[0]!r} (options: {known})")
        config = cls(**{name: kinds[name].parse("set_config", x) for name, x in options.items()})
        check_process("set_config", config.profile_process)
        if config.continuous_dump and not config.dump_period > 0:
            raise ArgumentError(f"set_config: dump_period={config.dump_period} must be positive")
        if config.max_events < 0:
            raise ArgumentError(f"set_config: max_events={config.max_events} must not be negative")
        return config

    @property
    def symbolic(self) -> bool:
        """Return whether steps of graphs are recorded."""
        return self.profile_all or self.profile_symbolic

    @property
    def imperative(self) -> bool:
        """Return whether calls of operators on arrays are recorded."""
        return self.profile_all or self.profile_imperative

    @property
    def memory(self) -> bool:
        """Return whether the memory of arrays is counted."""
        return self.profile_all or self.profile_memory

    @property
    def api(self) -> bool:
        """Return whether calls of blocks, programs and backward passes are recorded."""
        return self.profile_all or self.profile_api


def check_process(function: str, profile_process: str) -> None:
    """Raise an error for processes other than this one, such as MXNet's servers.

    Raises:
        ArgumentError: ``profile_process`` is not ``"worker"``.
    """
    if profile_process != "worker":
        raise ArgumentError(
            f"{function}: profile_process={profile_process!r} is not supported, because hy has no "
            "server processes; profile the worker"
        )
