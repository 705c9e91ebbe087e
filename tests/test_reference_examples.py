"""The reference shows an example of each public function and class, and it is true."""

import doctest
from pathlib import Path

import pytest

from hy_ndarray import nd, np, npx
from tools.example_coverage import docstrings_of, without_example
from tools.mend_examples import as_run
from tools.public_names import PACKAGES, recorded
from tools.reference_examples import read_examples

AGAIN = "run `hatch run reference-examples`"
EXCEPTIONS = Path(__file__).parent / "data" / "without_example.txt"
STUBS = sorted(Path(__file__).parents[1].glob("packages/hy-ndarray/src/*/n*/_operators/*.pyi"))
EXAMPLES = read_examples()
MODULES = sorted({path.rpartition(".")[0] for path in EXAMPLES})


@pytest.mark.parametrize("module", MODULES)
def test_examples_show_what_their_code_prints(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, example in EXAMPLES.items():
        if path.rpartition(".")[0] == module:
            folder = tmp_path / example.path
            folder.mkdir()
            monkeypatch.chdir(folder)
            assert as_run(example.imports, example.text, path) == example.text, AGAIN


def test_examples_raise_only_errors_that_hy_raises() -> None:
    for path, example in EXAMPLES.items():
        assert "\nNameError: " not in example.text, path
        assert "\nAttributeError: " not in example.text, path


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: f"{stub.parents[1].name}.{stub.stem}")
def test_examples_of_operators_are_true(stub: Path) -> None:
    names = {"nd": nd, "np": np, "npx": npx}
    runner = doctest.DocTestRunner()
    for text in set(docstrings_of(stub).values()):
        test = doctest.DocTestParser().get_doctest(text, names.copy(), stub.stem, str(stub), None)
        runner.run(test)
    assert runner.failures == 0


def test_examples_are_of_public_names() -> None:
    public = {name for package in PACKAGES for name in recorded(package)}
    assert set(EXAMPLES) - public == set()


def test_only_names_that_are_listed_have_no_example() -> None:
    lines = EXCEPTIONS.read_text(encoding="utf-8").splitlines()
    listed = {line for line in lines if line and not line.startswith("#")}
    assert set(without_example()) == listed


def test_results_that_differ_are_written_anew() -> None:
    text = ">>> 1 + 1\n3\n>>> for x in 'ab':\n...     print(x + '\\n')\n"
    mended = as_run("", text, "sum")
    loop = text.partition("3\n")[2]
    assert mended == f">>> 1 + 1\n2\n{loop}a\n<BLANKLINE>\nb\n<BLANKLINE>\n"
    assert as_run("", mended, "sum") == mended


def test_results_may_leave_parts_open_and_be_errors() -> None:
    text = ">>> [1, 2, 3]\n[1, ...]\n>>> int('x')\nTraceback (most recent call last):\n    ...\n"
    text += "ValueError: invalid literal for int() with base 10: 'x'\n"
    assert as_run("", text, "open") == text


def test_what_is_marked_is_not_run() -> None:
    text = ">>> open('/nowhere').read()  # doctest: +SKIP\n'text'\n"
    assert as_run("", text, "skipped") == text
