"""docs/data.md: its table names the files that are read."""

import re
from pathlib import Path

from hy_gluon.contrib.data import text
from hy_gluon.data import vision

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")


def test_the_table_names_the_files_that_are_read() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([\w-]+)` \| (.*) \|$", PAGE, re.MULTILINE)
    classes = {**vars(vision), **vars(text)}
    known = {name for name, value in classes.items() if hasattr(value, "_published")}
    assert {name for name, _, _ in rows} == {n for n in known if not n.startswith("_")}
    for name, folder, files in rows:
        published = classes[name]._published
        assert published.name == folder
        assert re.findall(r"`([^`]+)`", files) == list(published.files)
