"""What `l_diversity` and `t_closeness` share: sensitive attributes beside the keys."""

from sfumato.large.judging.streamed._contract import Streamed


class SensitiveStreamed(Streamed):
    """A measure of what classes of equal key values give away about sensitive attributes."""

    def check(self) -> None:
        """The classes must be the same for all sensitive attributes."""
        if not self.sensitive or set(self.sensitive) & set(self.names):
            raise self.refused("a sensitive attribute that is also a key")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The attributes named, or those with the role confidential."""
        named: tuple[str, ...] = self.measure.sensitive
        return named or self.subject.original.with_role("confidential")

    @property
    def columns(self) -> tuple[str, ...]:
        """Keys and sensitive attributes."""
        return self.names + self.sensitive
