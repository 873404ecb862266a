"""What jobs share whose record is kept where it is asked for."""

from pathlib import Path

from sfumato.core import FileError, param
from sfumato.jobs._job import Job
from sfumato.jobs._paths import same_file


class Recorded(Job):
    """A job that keeps what `--json` prints; its outcome has the content `record`."""

    record: Path | None = param(
        default=None,
        word="FILE.json",
        help="write what --json prints to this file, to keep it; it is for the owner alone",
        writes=True,
        suffixes=(".json",),
    )

    def targets(self) -> dict[str, Path]:
        return {**super().targets(), **({"record": self.record} if self.record is not None else {})}

    def check_files(self) -> None:
        super().check_files()
        others = [target for name, target in self.targets().items() if name != "record"]
        if self.record is not None and any(same_file(self.record, other) for other in others):
            raise FileError(f"Output {self.record}: the record needs a name of its own.")
