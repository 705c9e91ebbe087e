"""Automatic names: managers, prefixes, scopes."""

import threading

from hy_symbol import NameManager, Prefix, sym
from hy_symbol.graph import name


def test_a_manager_counts_by_hint() -> None:
    names = NameManager()
    found = [names.get(None, hint) for hint in ("conv", "conv", "relu", "conv")]
    assert found == ["conv0", "conv1", "relu0", "conv2"]


def test_a_name_that_is_given_stays() -> None:
    assert NameManager().get("mine", "conv") == "mine"


def test_a_scope_counts_anew_and_gives_back() -> None:
    with NameManager():
        first = sym.relu(sym.var("x")).name
        with NameManager():
            inner = sym.relu(sym.var("x")).name
        second = sym.relu(sym.var("x")).name
    assert (first, inner, second) == ("relu0", "relu0", "relu1")


def test_a_prefix_is_put_before_given_and_automatic_names_but_not_variables() -> None:
    with Prefix("layer1_"):
        x = sym.var("x")
        assert x.name == "x"
        assert sym.relu(x).name == "layer1_relu0"
        assert sym.relu(x, name="mine").name == "layer1_mine"
        net = sym.FullyConnected(x, num_hidden=2, name="fc")
        assert net.list_arguments() == ["x", "layer1_fc_weight", "layer1_fc_bias"]


def test_prefixes_do_not_add_up() -> None:
    with Prefix("outer_"), Prefix("inner_"):
        assert sym.relu(sym.var("x")).name == "inner_relu0"


def test_the_tutorial_names_layers_by_prefix() -> None:
    net = sym.var("data")
    for i in range(2):
        with Prefix(f"layer{i + 1}_"):
            net = sym.FullyConnected(net, name="fc", num_hidden=100)
    assert net.list_arguments() == [
        "data",
        "layer1_fc_weight",
        "layer1_fc_bias",
        "layer2_fc_weight",
        "layer2_fc_bias",
    ]


def test_the_current_manager_is_known() -> None:
    with NameManager() as names:
        assert name.innermost() is names
        assert NameManager.current is names


def test_threads_count_for_themselves() -> None:
    found: list[str] = []

    def compose() -> None:
        found.append(sym.relu(sym.var("x")).name or "")

    with NameManager():
        sym.relu(sym.var("x"))
        thread = threading.Thread(target=compose)
        thread.start()
        thread.join()
    assert found == ["relu0"]
