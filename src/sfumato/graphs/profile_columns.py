"""Which columns of the nodes are their profile."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

TOPICS, ALL = "topics", "all"


@dataclass(frozen=True)
class ProfileColumns:
    """The column of locations, if there is one, those of topics, the favourite first, and others of any scale.

    >>> ProfileColumns("town", ("topic1",), ("age",)).within({"age", "town"})
    ProfileColumns(location='town', topics=(), others=('age',))
    """

    location: str = ""
    topics: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*((self.location,) if self.location else ()), *self.topics, *self.others)

    @property
    def known(self) -> Mapping[str, Sequence[str]]:
        """What intruders may know, by a name for it: one column, all topics, or all."""
        topics = {TOPICS: self.topics} if self.topics else {}
        return {**{name: (name,) for name in self.names}, **topics, ALL: self.names}

    def within(self, names: Collection[str]) -> "ProfileColumns":
        """Those that are among some columns."""
        topics, others = (tuple(n for n in part if n in names) for part in (self.topics, self.others))
        return ProfileColumns(self.location if self.location in names else "", topics, others)


USUAL = ProfileColumns("location", ("topic1", "topic2", "topic3"))
