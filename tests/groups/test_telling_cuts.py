import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.groups.telling_cuts import FREE, telling_cuts, tells


def bits(members, records):
    """What it takes to say of each record, one after the other, whether it belongs."""
    found = 0.0
    for count in (members, records - members):
        found -= count * np.log2(count / records) if count else 0.0
    return found


def best_by_trying(members, records):
    """The cut that saves most, by looking at each; none where it saves too little."""
    n, positions = sum(records), range(1, len(records))
    if n == 0:
        return None
    saved = {
        at: bits(sum(members), n)
        - sum(
            bits(sum(members[part]), sum(records[part]))
            for part in (slice(at), slice(at, None))
            if sum(records[part])
        )
        for at in positions
    }
    at = max(saved, key=lambda place: (round(saved[place], 9), -place), default=None)
    price = np.log2(len(positions) or 1) + FREE + 0.5 * np.log2(n)
    return at if at is not None and saved[at] > price + 1e-9 else None


COUNTS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 60)), min_size=1, max_size=12)


@given(COUNTS)
def test_the_first_cut_is_the_best_of_all(counts):
    members, records = [m for m, _ in counts], [m + o for m, o in counts]
    wanted = best_by_trying(members, records)
    found = telling_cuts(np.array(members), np.array(records), 1)
    assert found == ([] if wanted is None else [wanted]) or tied(members, records, found, wanted)


def tied(members, records, found, wanted):
    """Empty values beside a cut make others that are as good."""
    return (
        wanted is not None
        and len(found) == 1
        and sum(records[min(found[0], wanted) : max(found[0], wanted)]) == 0
    )


@given(COUNTS, st.integers(1, 4))
def test_cuts_are_in_order_and_no_more_than_asked(counts, most):
    members, records = (np.array(side) for side in ([m for m, _ in counts], [m + o for m, o in counts]))
    found = telling_cuts(members, records, most)
    assert len(found) <= most
    assert found == sorted(set(found))
    assert all(0 < cut < len(counts) for cut in found)


def test_chance_makes_hardly_any_cut():
    rng = np.random.default_rng(0)
    records = np.full(80, 500)
    made = [telling_cuts(rng.binomial(records, 0.01), records, 4) for _ in range(200)]
    assert sum(map(bool, made)) <= 4


@pytest.mark.parametrize(("members", "told"), [([40, 2, 3], True), ([14, 15, 16], False), ([0, 0, 0], False)])
def test_categories_tell_or_not(members, told):
    assert tells(np.array(members), np.full(3, 1000)) is told
