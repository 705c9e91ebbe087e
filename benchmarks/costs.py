"""Measure numpy's costs again: ``hatch run bench-costs [FIELD ...] [--off]``.

Each number of ``hy_kernels.numpy.costs`` is halved, left as it is, and doubled, and the calls that
it decides are timed in turn. What gains 5 % or more is what this machine would change. With
``--off`` each special path is switched off instead: what then takes less than 5 % longer everywhere
is not worth having. Take a machine that does nothing else.
"""

import argparse
from collections.abc import Mapping, Sequence
from statistics import geometric_mean, median
from time import perf_counter

from benchmarks.costs_workloads import FIELDS, LEFT_OUT, NEVER, Workload
from hy_kernels.costs import changed
from hy_kernels.numpy.costs import COSTS
from hy_ndarray import use_kernels

__all__ = ["main", "ratios", "seconds", "value_of"]

GAIN = 0.05  # share of the time from which a way is worth its code
MIN_SECONDS = 2e-3
"""Seconds that a timing takes at least, as one call or as several."""


def value_of(name: str) -> float:
    """The number that kernels read now, of a field such as ``"threads.rows"``."""
    family, _, field = name.partition(".")
    value: float = getattr(getattr(COSTS, family), field)
    return value


def seconds(name: str, workload: Workload, values: Sequence[float], rounds: int) -> list[float]:
    """Medians of the time of a call for each value, which are timed in turn."""
    family, _, field = name.partition(".")
    calls, times = [], [[] for _ in values]  # type: ignore[var-annotated]
    for value in values:
        with changed(COSTS, **{family: {field: value}}):
            call = workload()
            call()
            begin = perf_counter()
            call()
            calls.append((call, max(1, int(MIN_SECONDS / max(perf_counter() - begin, 1e-7)))))
    for _ in range(rounds):
        for value, (call, repeats), durations in zip(values, calls, times, strict=True):
            with changed(COSTS, **{family: {field: value}}):
                begin = perf_counter()
                for _ in range(repeats):
                    call()
                durations.append((perf_counter() - begin) / repeats)
    return [median(durations) for durations in times]


def ratios(name: str, values: Sequence[float], rounds: int) -> list[list[float]]:
    """Return for each workload the time of each value over that of the present one."""
    table = []
    for workload in FIELDS[name]:
        first, *others = seconds(name, workload, (value_of(name), *values), rounds)
        table.append([other / first for other in others])
    return table


def _neighbours(name: str) -> list[float]:
    """Return half of a number, and twice it."""
    value = value_of(name)
    return [value // 2 or 1 if isinstance(value, int) else value / 2, value * 2]


def _print_changes(names: Sequence[str], rounds: int) -> None:
    print(f"{'field':36} {'as it is':>10}  halved  doubled  each call")
    wanted: dict[str, float] = {}
    for name in names:
        values = _neighbours(name)
        table = ratios(name, values, rounds)
        means = [geometric_mean(column) for column in zip(*table, strict=True)]
        each = "  ".join(f"{low:.2f}/{high:.2f}" for low, high in table)
        print(f"{name:36} {value_of(name):10g}  {means[0]:6.2f}  {means[1]:7.2f}  {each}")
        best = min(range(len(values)), key=means.__getitem__)
        if means[best] <= 1 - GAIN:
            wanted[name] = values[best]
    _print_wanted(wanted)


def _print_wanted(wanted: Mapping[str, float]) -> None:
    print()
    if not wanted:
        print("no number would change")
    for name, value in wanted.items():
        print(f"would change {name}: {value_of(name):g} to {value:g}")


def _print_off(names: Sequence[str], rounds: int) -> None:
    print(f"{'switched off':36} {'mean':>6}  each call")
    useless = []
    for name in names:
        if name not in NEVER:
            continue
        off_ratios = [off for (off,) in ratios(name, [NEVER[name]], rounds)]
        each = "  ".join(f"{ratio:.2f}" for ratio in off_ratios)
        print(f"{name:36} {geometric_mean(off_ratios):6.2f}  {each}")
        if max(off_ratios) < 1 + GAIN:
            useless.append(name)
    print()
    print("gains under 5 % everywhere:", ", ".join(useless) or "none")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the fields that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("fields", nargs="*", help="such as threads.rows, or threads; all if none")
    parser.add_argument("--off", action="store_true", help="switch special paths off instead")
    parser.add_argument("--rounds", type=int, default=9, help="timings of each call and number")
    options = parser.parse_args(arguments)
    names = [
        name
        for name in FIELDS
        if not options.fields or {name, name.partition(".")[0]} & set(options.fields)
    ]
    with use_kernels("numpy"):
        (_print_off if options.off else _print_changes)(names, options.rounds)
    for name, why in LEFT_OUT.items():
        if not options.fields and not options.off:
            print(f"not measured: {name}, {why}")


if __name__ == "__main__":
    main()
