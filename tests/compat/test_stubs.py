"""Type checkers see behind MXNet's paths what is there at run time."""

from tools.alias_stubs import PACKAGE, stubs


def test_the_checked_in_stubs_are_current() -> None:
    expected = stubs()
    found = {file: file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.pyi")}
    assert found == expected, "run `hatch run alias-stubs`"
