"""Optimizer states: without pickles; those of MXNet are read, and nothing of them is run."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import (
    FileFormatError,
    Schedule,
    convert_pickled_states,
    dumps_states,
    load_ndarrays,
    load_states,
    loads_states,
    read_pickled_states,
    save_ndarrays,
    save_states,
)

DATA = Path(__file__).parent / "data" / "states"
FILES = sorted(path.name for path in DATA.glob("*.states"))


def read(name: str) -> dict[str, Any]:
    return read_pickled_states((DATA / name).read_bytes())


def test_states_come_back(tmp_path: Path) -> None:
    value = {
        "states": {0: (np.ones((2, 3), np.float16), None), 1: [np.zeros(0)]},
        "name": "x",
        "schedule": Schedule("FactorScheduler", {"step": 3, "rates": [0.5, 1e-8], "on": True}),
        "rate": np.float32(0.5),
    }
    save_states(tmp_path / "a", value)
    loaded = load_states(tmp_path / "a")
    assert_array_equal(loaded["states"][0][0], value["states"][0][0], strict=True)  # type: ignore[index]  # nested
    assert loaded["states"][0][1] is None
    assert loaded["states"][1][0].shape == (0,)
    assert (loaded["name"], loaded["rate"]) == ("x", 0.5)
    assert loaded["schedule"] == value["schedule"]


def test_bytes_are_those_of_the_file(tmp_path: Path) -> None:
    value = {"states": {0: (np.arange(3.0), None)}, "optimizer": None}
    save_states(tmp_path / "a", value)
    content = dumps_states(value)
    assert content == (tmp_path / "a").read_bytes()
    assert loads_states(content)["states"][0][0].tolist() == [0, 1, 2]
    with pytest.raises(FileFormatError, match="<bytes>"):
        loads_states(content[:-1])
    with pytest.raises(TypeError, match=r"dumps_states: states\[0\] is a set; only arrays"):
        dumps_states([set()])


def test_what_cannot_be_saved_is_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"save_states: states\['a'\]\[0\] is a set; only arrays"):
        save_states(tmp_path / "a", {"a": [set()]})
    assert not (tmp_path / "a").exists()


def test_damaged_states_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    save_states(path, {"states": {0: np.ones(3)}, "optimizer": None})
    content = path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(content[:at])
        with pytest.raises(FileFormatError):
            load_states(path)
    values = content.index(np.ones(3).tobytes())
    path.write_bytes(content[:values] + b"\x01" + content[values + 1 :])
    with pytest.raises(FileFormatError, match=r"checksum: expected .*; the file is damaged"):
        load_states(path)
    save_ndarrays(path, {"w": np.ones(3)})
    with pytest.raises(FileFormatError, match=r"expected 'hy\.optimizer_states' among them"):
        load_states(path)
    with pytest.raises(FileFormatError, match="found a Python pickle; `hy-io convert"):
        load_states(DATA / "adam.states")


@pytest.mark.parametrize(("name", "arrays"), [("adam", 4), ("sgd", 2)])
def test_states_of_mxnet_are_what_they_were(tmp_path: Path, name: str, arrays: int) -> None:
    convert_pickled_states(DATA / f"{name}.states", tmp_path / "a")
    value = load_states(tmp_path / "a")
    with np.load(DATA / "states.npz") as npz:
        saved = {key.removeprefix(f"{name}_"): npz[key] for key in npz if key.startswith(name)}
    assert len(saved) == arrays
    for index, state in value["states"].items():
        for part, array in enumerate(state if isinstance(state, tuple) else (state,)):
            assert_array_equal(array, saved[f"state{index}_{part}"], strict=True)
    assert value["optimizer"]["name"] == name
    assert value["optimizer"]["values"]["num_update"] == 3
    assert value["optimizer"]["values"]["rescale_grad"] == 0.25


def test_other_forms_of_states_are_read() -> None:
    module = read("module.states")
    assert sorted(module["states"]) == [0, 1, 2, 3, 4, 5]
    assert module["optimizer"] is None
    schedule = read("adam_schedule.states")["optimizer"]["values"]["lr_scheduler"]
    assert schedule.name == "MultiFactorScheduler"
    assert schedule.values["step"] == [2, 4]
    assert read("numpy_rate.states")["optimizer"]["values"]["lr"] == float(np.float32(0.01))
    for protocol in (0, 2):
        states = read(f"protocol{protocol}.states")["states"]
        assert_array_equal(states[0], np.array([1, 2, 3], np.float32), strict=True)
        assert states[1][0] is None
    assert read("row_sparse.states")["states"][0].tolist() == [[0, 1], [0, 0]]


def test_sparse_states_become_dense(tmp_path: Path) -> None:
    convert_pickled_states(DATA / "row_sparse.states", tmp_path / "a")
    assert load_states(tmp_path / "a")["states"][0].tolist() == [[0, 1], [0, 0]]


class Evil:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("pwned"),))


def evil(kind: str, argument: str) -> bytes:
    return b"c" + kind.replace(" ", "\n").encode() + b"\n(S'" + argument.encode() + b"'\ntR."


@pytest.mark.parametrize(
    "content",
    [
        evil("os system", "touch pwned"),
        evil("posix system", "touch pwned"),
        evil("builtins eval", "open('pwned', 'w')"),
        evil("mxnet.base _notify_shutdown", ""),
        evil("mxnet.optimizer.optimizer Optimizer.os.system", "touch pwned"),
        pickle.dumps(Evil()),
        pickle.dumps({0: Evil()}),
        b"(S'touch pwned'\nios\nsystem\n.",
        b"\x80\x02(cos\nsystem\nS'touch pwned'\no.",
        b"\x80\x02\x82\x01.",
    ],
)
def test_nothing_of_a_pickle_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileFormatError):
        read_pickled_states(content)
    assert list(tmp_path.iterdir()) == []


def test_message_names_what_was_refused() -> None:
    with pytest.raises(FileFormatError, match=r"a name of MXNet's states, not 'os system'") as e:
        read_pickled_states(evil("os system", "x"), "old.states")
    assert e.value.path == "old.states"


class Own:
    """An optimizer, or a schedule, of a program."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)


OWN = f"{Own.__module__} Own"


def test_objects_of_named_classes_become_records_that_nothing_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = pickle.dumps(({0: None}, Own(rate=0.5, schedule=Own(step=3))))
    monkeypatch.setattr(Own, "__new__", None)  # would fail if it were called
    assert read_pickled_states(content, classes={OWN}) == {
        "states": {0: None},
        "optimizer": {
            "name": "own",
            "values": {"rate": 0.5, "schedule": Schedule("Own", {"step": 3})},
        },
    }
    with pytest.raises(FileFormatError, match=r"a name of MXNet's states, not '.* Own'"):
        read_pickled_states(content)
    with pytest.raises(FileFormatError, match="not 'os system'"):
        read_pickled_states(evil("os system", "x"), classes={OWN})


BOMBS = {
    "laughs": b"]q\x00" + b"".join(b"](h%ch%ceq%c" % (i, i, i + 1) for i in range(100)) + b".",
    "nested in itself": b"]q\x00h\x00a.",
    "deep": b"(" * 5000 + b"t" * 5000 + b".",
    "memo": b"Nr\xff\xff\xff\x7f.",
    "long bytes": b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7fabc.",
    "long bytearray": b"\x96\xff\xff\xff\xff\xff\xff\xff\x7fabc.",
    "long number": b"\x8b\x00\x01\x00\x00" + b"\x7f" * 256 + b".",
    "zeros": b"cbuiltins\nbytearray\n(J\xff\xff\xff\x7ftR.",
}


@pytest.mark.parametrize("content", BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused(content: bytes) -> None:
    with pytest.raises(FileFormatError):
        read_pickled_states(content)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if "protocol" in n else pytest.mark.slow) for n in FILES]
)
def test_truncation_at_every_byte_is_refused(name: str) -> None:
    content = (DATA / name).read_bytes()
    read_pickled_states(content)
    for size in range(len(content)):
        with pytest.raises(FileFormatError):
            read_pickled_states(content[:size])


def test_random_damage_is_refused_or_read(rng: np.random.Generator, tmp_path: Path) -> None:
    for name in FILES:
        whole = (DATA / name).read_bytes()
        for _ in range(60):
            content = bytearray(whole)
            for at in rng.integers(0, len(content), 3):
                content[at] = rng.integers(0, 256)
            (tmp_path / "a").write_bytes(content)
            try:
                convert_pickled_states(tmp_path / "a", tmp_path / "b")
            except FileFormatError:
                continue
            load_ndarrays(tmp_path / "b")
