import json
import pickle

import numpy as np
import pytest

from sfumato.core import DataError, ParameterError, UnknownNameError, registry
from sfumato.masking import Chain, Masking, Mdav, Pram, RankSwapping, Shuffling, make_masking
from sfumato.measures import Sse

CHAIN = Chain((RankSwapping(p=5, attributes=("age",)), Mdav(k=3, attributes=("income",)), Pram()))


def test_steps_are_applied_in_order(mixed):
    table = mixed(60)
    masked = CHAIN.apply(table, np.random.default_rng(0))
    again = CHAIN.apply(table, np.random.default_rng(0))
    assert masked.fingerprint == again.fingerprint != table.fingerprint
    assert all(masked[name] is table[name] for name in ("id", "illness", "weight"))
    assert all(not np.array_equal(masked[n], table[n]) for n in ("age", "income", "degree", "town"))


def test_a_step_does_not_depend_on_the_draws_of_the_one_before(mixed):
    table = mixed(60)
    first = [RankSwapping(p=p, attributes=names) for p, names in [(5, ("age",)), (9, ("age", "income"))]]
    a, b = (Chain((step, Pram())).apply(table, np.random.default_rng(4)) for step in first)
    assert np.array_equal(a["town"], b["town"])
    assert not np.array_equal(a["age"], b["age"])


def test_travels():
    assert make_masking(json.loads(json.dumps(CHAIN.spec()))) == CHAIN
    assert pickle.loads(pickle.dumps(CHAIN)) == CHAIN
    assert eval(repr(CHAIN)) == CHAIN
    assert hash(CHAIN) == hash(Chain(list(CHAIN.steps)))
    nested = Chain((CHAIN, Pram(p=0.5)))
    assert make_masking(nested.spec()) == nested


def test_make_masking_takes_every_form():
    assert make_masking("mdav") == make_masking({"method": "mdav"}) == make_masking(Mdav()) == Mdav()
    chain = Chain((Mdav(k=3), Pram()))
    assert (
        make_masking([Mdav(k=3), "pram"])
        == make_masking({"steps": [chain.spec()["steps"][0], "pram"]})
        == chain
    )
    assert make_masking(chain) is chain


def test_refusals(mixed):
    with pytest.raises(ParameterError, match="at least one masking"):
        make_masking([])
    with pytest.raises(ParameterError, match=r"each step must be a masking. Got Sse"):
        Chain((Sse(),))
    with pytest.raises(DataError, match="Got the method sse"):
        make_masking(Sse())
    with pytest.raises(DataError, match=r"must be a list of maskings. Got str"):
        make_masking({"steps": "mdav"})
    with pytest.raises(UnknownNameError, match="Unknown key beside steps 'seed'"):
        make_masking({"steps": ["mdav"], "seed": 1})
    with pytest.raises(DataError, match=r"a name or a table with the key 'method'. Got int"):
        make_masking([3])
    with pytest.raises(UnknownNameError, match="Did you mean mdav"):
        make_masking(["mdva"])
    with pytest.raises(DataError, match=r"Step 2: mdav: k = 50 needs at least 50 records. Got 9"):
        Chain((Pram(), Mdav(k=50))).apply(mixed(9), np.random.default_rng(0))


def test_a_chain_is_a_masking_but_no_method_of_the_portfolio(mixed):
    table = mixed(60)
    assert isinstance(CHAIN, Masking) and CHAIN.name not in registry.names("masking")
    assert CHAIN.attributes == CHAIN.named == ("age", "income")
    assert CHAIN.targets(table) == ("age", "income", "degree", "town")
    assert CHAIN.taken == ("numeric", "ordinal", "nominal")
    assert not list(CHAIN.settings(numeric=True))


def test_a_chain_of_chains_is_its_single_maskings_in_a_row():
    nested = Chain((CHAIN, Chain((Mdav(k=4),)), Pram(p=0.5)))
    assert nested.sequence == (*CHAIN.steps, Mdav(k=4), Pram(p=0.5))
    assert Pram().sequence == (Pram(),)


def test_a_chain_is_parted_as_all_its_steps_can_be():
    assert Chain((Pram(), Mdav(k=3))).parted == "neighbours"
    assert Chain((Pram(), RankSwapping())).parted == "ranks"
    assert Chain((Pram(), Chain((Shuffling(),)))).parted == "none"
