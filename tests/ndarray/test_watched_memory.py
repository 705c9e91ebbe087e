"""Memory that is watched: which writes are told of which part."""

from hy_ndarray import nd
from hy_ndarray.devices._watch import _MAX_WATCHED, Watch


class Watcher:
    """Watches while it lives."""


def watched(*spans: tuple[int, int]) -> tuple[Watch, list[Watcher]]:
    watch, watchers = Watch(), []
    for span in spans:
        watchers.append(Watcher())
        watch.add(watchers[-1], [span])
    return watch, watchers


def test_a_write_is_told_of_its_span_alone() -> None:
    watch, _watchers = watched((0, 8), (16, 24))
    before = watch.writes
    assert watch.note(4, 5)
    assert watch.writes != before
    assert watch.wrote_since(before, [(0, 8)])
    assert not watch.wrote_since(before, [(16, 24)])
    assert not watch.wrote_since(watch.writes, [(0, 8)])
    assert not watch.note(8, 16)


def test_a_write_to_several_spans_is_told_of_all() -> None:
    watch, _watchers = watched((0, 8), (16, 24), (32, 40), (64, 72))
    before = watch.writes
    assert watch.note(4, 33)
    told = [watch.wrote_since(before, [(start, start + 8)]) for start in (0, 16, 32, 64)]
    assert told == [True, True, True, False]


def test_all_targets_of_one_write_are_told() -> None:
    weights = [nd.ones(4) for _ in range(3)]
    device, watcher = weights[0].device, Watcher()
    buffers = [weight.buffer for weight in weights]
    device.watch(watcher, buffers)
    before = device.writes
    device.wrote(*buffers[:2])
    assert [device.wrote_since(before, [buffer]) for buffer in buffers] == [True, True, False]


def test_spans_that_are_watched_later_change_nothing_of_earlier_writes() -> None:
    watch, watchers = watched((0, 8))
    before = watch.writes
    watch.note(0, 1)
    watchers.append(Watcher())
    watch.add(watchers[-1], [(4, 32)])
    after = watch.writes
    assert watch.wrote_since(before, [(6, 7)])
    assert not watch.wrote_since(after, [(0, 32)])
    watch.note(30, 31)  # of the span that both are now
    assert watch.wrote_since(after, [(0, 2)])


def test_where_too_many_writes_were_noted_all_earlier_ones_count() -> None:
    spans = [(16 * k, 16 * k + 8) for k in range(_MAX_WATCHED + 2)]
    watch = Watch()
    watcher = Watcher()
    watch.add(watcher, spans)
    before = watch.writes
    for start, _ in spans[1:]:
        watch.note(start, start + 1)
    assert watch.wrote_since(before, [spans[0]])  # not known any more
    after = watch.writes
    watch.note(0, 1)
    assert watch.wrote_since(after, [spans[0]])
