"""What random choices of a job hang on: a secret key where something is released, a known number where it is not."""

from typing import Self

from sfumato.core import Key, ParameterError, Seed, param
from sfumato.jobs._job import Job
from sfumato.jobs._work import Work


class Seeded(Job):
    """A job that judges: whoever does it again finds the same, so that its seed is no secret."""

    seed: int = param(default=0, help="fixes every random choice")

    @property
    def randomness(self) -> Seed:
        return self.seed


class Keyed(Job):
    """A job that releases: its random choices hang on a secret key, drawn anew unless one is given.

    Where the job is kept in a folder so is its key, so that it goes on with the same one.
    """

    seed: int | None = param(
        default=None,
        help="for studies: fixes every random choice; whoever knows the program can then undo what is released",
        usual="none: a secret key",
    )
    secret: Key | None = param(
        default=None, help="do it again as it was done with this key", usual="a new one", file=True
    )

    def check(self) -> None:
        super().check()
        if self.seed is not None and self.secret is not None:
            raise ParameterError(
                f"{self.name}: a seed takes the place of a secret key: give one or the other."
            )

    @property
    def randomness(self) -> Seed:
        found = self.secret if self.seed is None else self.seed
        if found is None:
            raise ParameterError(f"{self.name}: no key was drawn yet; do the job with `settled` first.")
        return found

    def settled(self, work: Work) -> Self:
        if self.seed is not None:
            return self
        folder = work.run_folder or work.folder
        found = self.secret or Key.drawn() if folder is None else Key.kept_in(folder, self.secret)
        return self.with_(secret=found)
