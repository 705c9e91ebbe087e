"""``mx.registry``, ``mx.engine``, ``mx.log``, ``mx.error``, ``mx.misc``: as MXNet 1.9.1 answers."""

import io
import logging
import re
import sys
import warnings
from pathlib import Path

import pytest

import mxnet as mx
from mxnet import misc


class Base:
    """What the test's registry holds."""


register = mx.registry.get_register_func(Base, "thing")
alias = mx.registry.get_alias_func(Base, "thing")
create = mx.registry.get_create_func(Base, "thing")


@register
class Foo(Base):
    def __init__(self, a: int = 1, b: int = 2) -> None:
        self.a = a
        self.b = b


@alias("x", "Y")
class Bar(Base):
    pass


def test_a_registry_holds_classes_under_lower_case_names() -> None:
    assert mx.registry.get_registry(Base) == {"foo": Foo, "x": Bar, "y": Bar}
    assert mx.registry.get_registry(int) == {}
    mx.registry.get_registry(Base)["new"] = Foo
    assert "new" not in mx.registry.get_registry(Base)


def test_a_registry_creates_by_name_by_description_and_by_instance() -> None:
    assert create("foo", 3).a == 3
    assert create("FOO", b=4).b == 4
    assert type(create("y")) is Bar
    assert create('{"thing": "foo", "a": 9}').a == 9
    assert create('["foo", {"a": 8}]').a == 8
    assert create({"thing": "foo", "a": 7}).a == 7
    assert create(thing="foo", a=6).a == 6
    made = Foo()
    assert create(made) is made


def test_a_registry_says_what_it_cannot_create() -> None:
    with pytest.raises(AssertionError, match=r"nope is not registered.*known: foo, x, y"):
        create("nope")
    with pytest.raises(AssertionError, match="already an instance"):
        create(Foo(), 1)
    with pytest.raises(AssertionError, match="thing must be a name"):
        create(3)
    with pytest.raises(AssertionError, match="no thing is given"):
        create()
    with pytest.raises(mx.MXNetError, match="only subclasses of Base"):
        register(int)


def test_to_register_another_class_under_a_name_warns() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        register(Bar, "z")
        register(Foo, "Z")
    assert len(told) == 1
    assert "registered with name z is overriding existing thing" in str(told[0].message)
    assert mx.registry.get_registry(Base)["z"] is Foo
    del mx.registry._registry(Base)["z"]


def test_gluons_registries_are_reached_by_their_base_classes() -> None:
    initializers = mx.registry.get_registry(mx.init.Initializer)
    assert initializers["xavier"] is mx.init.Xavier
    own = [made for made in initializers.values() if getattr(mx.init, made.__name__, None) is made]
    assert len(own) == 13  # examples in docstrings register more
    assert mx.registry.get_registry(mx.metric.EvalMetric)["acc"] is mx.metric.Accuracy
    made = mx.registry.get_create_func(mx.init.Initializer, "initializer")("normal", sigma=0.5)
    assert made.sigma == 0.5


def test_the_bulk_size_is_kept_and_given_back() -> None:
    before = mx.engine.set_bulk_size(10)
    with mx.engine.bulk(5):
        assert mx.engine.set_bulk_size(7) == 5
    assert mx.engine.set_bulk_size(before) == 10


def test_a_logger_writes_mxnets_format(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    logger = mx.log.get_logger("test_a_logger", level=mx.log.DEBUG)
    for level in (mx.log.DEBUG, mx.log.INFO, 25, mx.log.WARNING, mx.log.ERROR, mx.log.CRITICAL):
        logger.log(level, "message %d", level)
    heads = [line.partition("]\x1b[0m ") for line in stream.getvalue().splitlines()]
    assert [head[:6] for head, _, _ in heads] == [
        "\x1b[34mD",
        "\x1b[32mI",
        "\x1b[32mU",
        "\x1b[31mW",
        "\x1b[31mE",
        "\x1b[31mC",
    ]
    assert [text for _, _, text in heads] == [f"message {n}" for n in (10, 20, 25, 30, 40, 50)]
    place = r"D\d{4} \d\d:\d\d:\d\d \d+ \S+test_registry.py:test_a_logger_writes_mxnets_format:\d+"
    assert re.fullmatch(place, heads[0][0][5:])
    assert mx.log.get_logger("test_a_logger", level=mx.log.ERROR) is logger
    assert logger.level == mx.log.DEBUG  # the first call's
    assert len(logger.handlers) == 1


def test_a_logger_writes_plain_lines_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "log.txt"
    logger = mx.log.get_logger("test_a_file", str(file), "w", mx.log.INFO)
    logger.debug("not this")
    logger.info("hello")
    logger.handlers[0].close()
    assert file.read_text() == "hello\n"
    with pytest.warns(DeprecationWarning, match="Use get_logger"):
        assert mx.log.getLogger() is logging.getLogger()


def test_messages_become_registered_exceptions() -> None:
    @mx.error.register
    class OwnError(mx.MXNetError):
        pass

    assert mx.base.error_types.pop("OwnError") is OwnError
    assert mx.base.register_error("Q1", OwnError) is OwnError
    assert mx.base.error_types.pop("Q1") is OwnError
    assert mx.base.c2pyerror("ValueError: bad thing") == ("ValueError: bad thing", "ValueError")
    assert mx.base.c2pyerror("nothing") == ("nothing", None)
    told = "[01:02:03] src/a.cc:12: Check failed: x > 1 : foo\nStack trace:\n  [bt] (0) a\n"
    expected = "Traceback (most recent call last):\n  [bt] (0) a\n"
    assert mx.base.c2pyerror(told) == (expected + told.splitlines()[0], None)
    assert "MXNet hint" in str(mx.error.InternalError("abc"))
    assert issubclass(mx.error.InternalError, mx.base.MXNetError)


def test_the_first_schedules_count_from_the_first_rate() -> None:
    schedule = misc.FactorScheduler(3, 0.5)
    schedule.base_lr = 1.0
    expected = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125, 0.125]
    assert [schedule(i) for i in range(12)] == expected
    with pytest.raises(ValueError, match="greater or equal than 1 round"):
        misc.FactorScheduler(0)
    with pytest.raises(ValueError, match="Factor must be less than 1"):
        misc.FactorScheduler(1, 1.0)
    with pytest.raises(NotImplementedError, match="must override this"):
        misc.LearningRateScheduler()(1)


def test_what_needs_mxnets_library_says_what_to_use(tmp_path: Path) -> None:
    file = tmp_path / "libops.so"
    with pytest.raises(mx.MXNetError, match="does NOT exist"):
        mx.library.load(str(file))
    file.write_bytes(b"\x7fELF")
    with pytest.raises(mx.MXNetError, match=r"mx\.operator\.CustomOp"):
        mx.library.load(str(file))
    with pytest.raises(mx.MXNetError, match="Triton"):
        mx.rtc.CudaModule("__global__ void f() {}")
    with pytest.raises(mx.MXNetError, match="Triton"):
        mx.rtc.CudaKernel(None, "f", [], [])
    with pytest.raises(AttributeError, match="from_dlpack"):
        mx.th.__getattr__("abs")
