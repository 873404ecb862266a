"""The first small files: plain numpy is done with them before compiled code is read from disk, let alone compiled."""

SMALL = 2_000  # records that plain numpy groups in less time than it takes to read compiled code
ENOUGH = 100_000  # records of small files that are worked on without it: who has more gains by compiling


class SmallFiles:
    """What a method has done without compiled code so far."""

    def __init__(self, enough: int = ENOUGH) -> None:
        self.enough, self.done = enough, 0

    def takes(self, records: int) -> bool:
        """Whether a file (or an array of so many numbers) is one of the first small ones; then it counts as done."""
        if records > SMALL or self.done + records > self.enough:
            return False
        self.done += records
        return True
