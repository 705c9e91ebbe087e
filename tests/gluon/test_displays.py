"""Displays for people: blocks in notebooks, summaries, printed graphs, and downloads."""

import re
from pathlib import Path
from typing import Any

import pytest

from hy_gluon import Block, nn, utils
from hy_gluon.model_zoo import vision
from hy_ndarray import nd
from hy_symbol import sym

STATISTICS = ("gamma", "beta", "running_mean", "running_var")


def net() -> nn.HybridSequential:
    block = nn.HybridSequential(prefix="net_")
    with block.name_scope():
        block.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(3))
    return block


def rows(html: str) -> list[list[str]]:
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in html.split("<tr>")[1:]]
    return [[cell.replace("<br>", "; ") for cell in row] for row in cells]


def test_a_notebook_shows_layers_parameters_and_sizes() -> None:
    block = net()
    block.initialize()
    block(nd.ones((1, 3, 8, 8)))
    html = block._repr_html_()
    assert rows(html) == [
        ["Layer", "Type", "Parameters", "Number", "Size"],
        ["(this block)", "HybridSequential", "", "", ""],
        ["0", "Conv2D", "weight (4, 3, 3, 3) float32; bias (4) float32", "112", "448 bytes"],
        ["0.act", "Activation", "", "", ""],
        [
            "1",
            "BatchNorm",
            "; ".join(f"{name} (4) float32" for name in STATISTICS),
            "16",
            "64 bytes",
        ],
        ["2", "Dense", "weight (3, 144) float32; bias (3) float32", "435", "1.74 kB"],
    ]
    assert html.endswith("<small>563 parameters, 2.25 kB</small>")


def test_sizes_that_are_not_inferred_yet_are_shown_as_open() -> None:
    html = net()._repr_html_()
    assert "weight (4, ?, 3, 3) float32" in html
    assert html.endswith(
        "<small>7 parameters, 28 bytes; sizes shown as ? are inferred in the first call</small>"
    )


def test_a_shared_parameter_counts_once() -> None:
    first = nn.Dense(2, in_units=3)
    block = nn.HybridSequential()
    block.add(first, nn.Dense(2, in_units=3, params=first.params))
    assert block._repr_html_().endswith("<small>8 parameters, 32 bytes</small>")


def summarized(block: Block, capsys: pytest.CaptureFixture[str]) -> str:
    block.summary(nd.ones((1, 3, 8, 8)))
    return capsys.readouterr().out


def test_a_summary_is_the_same_before_and_after_initialization(
    capsys: pytest.CaptureFixture[str],
) -> None:
    block = net()
    before = summarized(block, capsys)
    assert block[0].weight.shape == (4, 0, 3, 3)  # it is left as it was
    block.initialize()
    waiting = summarized(block, capsys)
    assert before == waiting == summarized(block, capsys)
    assert re.findall(r"(\w+-\d) +(\(.*?\)) +(\d+)", before) == [
        ("Activation-1", "(1, 4, 6, 6)", "0"),
        ("Conv2D-2", "(1, 4, 6, 6)", "112"),
        ("BatchNorm-3", "(1, 4, 6, 6)", "16"),
        ("Dense-4", "(1, 3)", "435"),
    ]


def test_a_printed_symbol_shows_its_graph() -> None:
    x = sym.var("x")
    y = sym.FullyConnected(sym.split(x, num_outputs=2, name="parts")[1], num_hidden=3, name="fc")
    assert str(x) == "<Symbol x>"
    assert str(y).splitlines() == [
        "<Symbol fc>",
        "  x          variable",
        "  parts      SliceChannel(x, num_outputs=2)",
        "  fc_weight  variable",
        "  fc_bias    variable",
        "  fc         FullyConnected(parts[1], fc_weight, fc_bias, num_hidden=3)",
    ]
    graph = repr(y.graph).splitlines()
    assert graph[0] == "<Graph with 5 nodes, outputs fc_output>"
    assert graph[1:] == str(y).splitlines()[1:]


def test_the_middle_of_a_long_graph_is_left_out() -> None:
    y = sym.var("x")
    for k in range(200):
        y = sym.relu(y, name=f"relu{k}")
    lines = str(y).splitlines()
    assert len(lines) == 62
    assert lines[31] == "  ... 141 more nodes ..."
    assert lines[-1].endswith("relu(relu198)")


def test_a_server_that_cannot_be_reached_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MXNET_GLUON_REPO", "http://127.0.0.1:9")
    with pytest.raises(utils.DownloadError, match="refused") as caught:
        vision.resnet18_v1(pretrained=True, root=str(tmp_path))
    (note,) = caught.value.__notes__
    assert "put the file resnet18_v1-a0666292.params" in note
    assert str(tmp_path) in note
    assert capsys.readouterr().out.count("Downloading") == 1


class Terminal:
    """A stream that says that it is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None: ...


def test_a_download_shows_how_far_it_is_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream: Any = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    utils._show_progress(1_000_000, 4_000_000)
    utils._show_progress(4_000_000, 4_000_000)
    assert stream.text == "\r1.0 of 4.0 MB (25%)\r4.0 of 4.0 MB (100%)\n"
