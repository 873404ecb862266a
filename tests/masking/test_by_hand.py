import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, ParameterError, UnknownNameError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import NOTHING, ByHand, Chain, Mdav, Removal, Rounding, make_masking

POOL = (
    "rounding(base=5, attributes=[age])",
    "removal(attributes=[town])",
    "recoding(to={north = [a, b]}, attributes=[town])",
    'suppression(where="age > 90", attributes=[age])',
)


def people():
    attributes = [
        Attribute(name="age", scale="numeric", role="key", decimals=0),
        Attribute(name="town", scale="nominal", role="key", categories=("a", "b", "c")),
        Attribute(name="job", scale="nominal", role="other", categories=("x", "y")),
    ]
    return Table(Schema(attributes), {"age": [12.0, 93.0], "town": [0, 2], "job": [0, 1]})


@given(st.lists(st.sampled_from(["undo", "redo", *POOL]), max_size=20))
def test_steps_undo_and_redo_as_two_stacks_do(moves):
    hand, done, undone = ByHand(), [], []
    for move in moves:
        if move == "undo":
            if not done:
                with pytest.raises(ParameterError, match="no step to undo"):
                    hand.undo()
                continue
            hand, undone = hand.undo(), [*undone, done.pop()]
        elif move == "redo":
            if not undone:
                with pytest.raises(ParameterError, match="no step to do again"):
                    hand.redo()
                continue
            done.append(undone.pop())
            hand = hand.redo()
        else:
            hand, undone = hand.added(move), []
            done.append(make_masking(move))
    assert (list(hand.first), list(hand.undone)) == (done, undone[::-1])
    assert ByHand.convert(hand.settings()) == hand


def test_a_chain_is_as_many_steps_as_it_has():
    hand = ByHand().added(f"{POOL[0]} + {POOL[1]}")
    assert hand == ByHand(first=POOL[:2]) == ByHand.convert(list(POOL[:2]))
    assert hand.masking == Chain([Rounding(base=5, attributes=("age",)), Removal(attributes=("town",))])
    assert hand.then(Mdav(k=3)) == Chain([*hand.first, Mdav(k=3)])
    assert NOTHING.then(Mdav(k=3)) == Mdav(k=3) and NOTHING.masking is None
    assert hand and ByHand(fixed=("age",)) and not ByHand(undone=POOL)


def test_steps_keep_the_columns_they_took_whatever_the_keys_are_later():
    hand = ByHand(first=["rounding(base=5)"]).on(people())
    assert hand.first[0].attributes == ("age",)


def test_what_is_fixed_is_changed_by_no_step():
    with pytest.raises(ParameterError, match=r"Step 2 \(removal\) changes column town, which is fixed"):
        ByHand(first=POOL[:2], fixed=("town",))
    hand = ByHand(first=["rounding(base=5)"], fixed=("age",))  # which names no column
    with pytest.raises(ParameterError, match=r"Step 1 \(rounding\) changes column age"):
        hand.check(people())
    hand = ByHand(first=["local_suppression(k=1, attributes=[town], ghosts=[town=job])"], fixed=("job",))
    with pytest.raises(ParameterError, match=r"Step 1 \(local_suppression\) changes column job"):
        hand.check(people())
    with pytest.raises(UnknownNameError, match="Did you mean age"):
        ByHand(fixed=("agee",)).check(people())
    with pytest.raises(DataError, match="Column age is fixed, and rounding takes it"):
        ByHand(fixed=("age",)).check_untouched(Rounding(base=5), people())
    ByHand(fixed=("job",)).check_untouched(Rounding(base=5), people())


def test_columns_are_fixed_and_freed():
    hand = ByHand().fixing(["age", "town", "age"])
    assert hand.fixed == ("age", "town") and hand.freeing(["age"]).fixed == ("town",)
    with pytest.raises(ParameterError, match="Column job is not fixed"):
        hand.freeing(["job"])


def test_steps_are_applied_in_order():
    masked = ByHand(first=[POOL[2], 'suppression(where="town = north", attributes=[age])']).masking.apply(
        people(), np.random.default_rng(0)
    )
    assert masked.missing("age").tolist() == [True, False]
