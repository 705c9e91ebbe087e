"""Files that programs write are as the programs would write them now."""

from tools import operators


def test_the_page_of_operators_is_current() -> None:
    text = operators.PAGE.read_text(encoding="utf-8")
    assert text == operators.page(), "run `hatch run generate`"
