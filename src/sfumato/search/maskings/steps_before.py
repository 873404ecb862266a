"""What steps by hand leave to a search: the table after them, and the keys that may still be changed."""

from sfumato.core import Seed, another
from sfumato.data import Table
from sfumato.masking import ByHand, masked_with


def left_to_search(table: Table, hand: ByHand, seed: Seed) -> Table:
    """The table after the steps, without the columns that they took out."""
    hand.check(table)
    if hand.masking is None:
        return table
    stepped = masked_with(hand.masking, table, seed=another(seed, "steps by hand"))
    gone = hand.masking.leaves_out(table)
    return stepped.select(name for name in stepped.names if name not in gone)


def free_keys(table: Table, hand: ByHand) -> tuple[str, ...]:
    """The keys that a search may change."""
    return tuple(name for name in table.schema.with_role("key") if name not in hand.fixed)
