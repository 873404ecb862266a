import json

from sfumato.core import registry

KINDS = ("masking", "measures", "attacks", "optimizers", "structure")


def test_list_names_every_method_and_measure(run):
    shown = run("methods").stdout
    for kind in KINDS:
        for name in registry.names(kind):
            assert name in shown


def test_list_as_json(run):
    found = json.loads(run("methods", "--json").stdout)
    assert set(found) == {*KINDS, "policies"} and set(found["policies"]) == {"none", "public", "scientific"}
    assert found["masking"]["mdav"].startswith("MDAV")


def test_one_shows_rules_and_defaults(run):
    shown = run("methods", "mdav").stdout
    assert "an integer of at least 1; default 5" in shown
    assert "one of category, any, impute" in shown
    assert "sfumato mask FILE --method 'mdav(k=5)' -o OUT" in shown
    assert ">>>" not in shown


def test_a_structure_method_tells_the_graph_command(run):
    shown = run("methods", "k_degree").stdout
    assert "k_degree (structure method)" in shown
    assert "sfumato graph protect GRAPH --structure 'k_degree(k=5)' -o OUT" in shown


def test_what_sources_call_a_method_leads_to_it(run):
    shown = run("methods").stdout
    assert "What sources call them" in shown and "DBRL (distance_linkage)" in " ".join(shown.split())
    assert run("methods", "unif-pram").stdout.startswith(
        "unif-pram is pram(matrix=diagonal).\n\npram (masking"
    )
    assert "Sources call it Unif PRAM, Freq PRAM." in run("methods", "pram").stdout
    for kind in KINDS:
        for alias, (name, given) in registry.aliases(kind).items():
            assert registry.resolved(kind, alias) == (name, given)
            assert name in registry.names(kind)


def test_dashes_are_fine(run):
    assert run("methods", "rank-swapping").stdout == run("methods", "rank_swapping").stdout


def test_one_as_json(run):
    found = json.loads(run("methods", "mdav", "--json").stdout)
    assert found["parameters"]["k"]["low"] == 1
    assert found["parameters"]["attributes"] | {"help": ""} == {
        "type": "str",
        "repeated": True,
        "optional": False,
        "default": [],
        "low": None,
        "high": None,
        "choices": [],
        "help": "",
        "rule": "a list, each item a text",
    }


def test_every_method_can_be_shown(run):
    for kind in KINDS:
        for name in registry.names(kind):
            assert run("methods", name).exit_code == 0
            json.loads(run("methods", name, "--json").stdout)


def test_a_policy_is_shown_in_words(run):
    assert "An intruder can be certain of nobody." in run("methods", "public").stdout
    assert json.loads(run("methods", "scientific", "--json").stdout)["title"] == "Scientific use"
