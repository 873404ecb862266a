"""One of the groups that a file shall hide: what is asked, what attackers know of it, and where it is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sfumato.core import DataError, progress
from sfumato.core.streams import number
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.named_values import known_names
from sfumato.groups.views import View, Views
from sfumato.jobs._work import Work
from sfumato.jobs.groups._group import part
from sfumato.jobs.groups._hold_outs import Verdict
from sfumato.jobs.groups._scene import Scene, places_to_hide, views_of
from sfumato.jobs.groups.report import AttackedJob, Attacker, GroupComparison


@dataclass(frozen=True, eq=False)
class HiddenGroup:
    """A group as if it were the only one: nobody has the columns that tell of the others.

    `views` count it, and `named` are the places to hide it in.
    """

    job: AttackedJob
    scene: Scene
    models: tuple[FuzzyModel, ...]
    views: Views
    named: tuple[str, ...]

    def listed(self, group: int) -> Iterator[View]:
        """Its views among those of several groups."""
        for view in self.views.listed:
            yield replace(view, group=group, hides=self.named)


@dataclass(frozen=True, kw_only=True)
class AlsoHidden:
    """What becomes of another group by the same swaps."""

    about: str
    comparison: GroupComparison
    truth: GroupComparison | None
    verdict: Verdict

    def told(self) -> Iterator[str]:
        yield f"{self.about}: {self.comparison.verdict}"
        yield f"  to be hidden    {', '.join(self.comparison.named) or 'nothing'}"
        yield f"  seen before     {', '.join(self.comparison.found_before.names) or 'nothing'}"
        yield f"  seen after      {', '.join(self.comparison.found_after.names) or 'nothing'}"
        if self.truth is not None:
            yield f"  by true counts  {', '.join(self.truth.still_found) or 'none of the named places'}"
        yield from self.verdict.told()

    def to_dict(self) -> dict[str, Any]:
        return {
            "group": self.about,
            "comparison": self.comparison.to_dict(),
            "truth": self.truth and self.truth.to_dict(),
            "verdict": self.verdict.to_dict(),
        }


def hidden_groups(
    job: AttackedJob, scene: Scene, attacker: Attacker, work: Work, *, seed: Any, everybody: bool
) -> list[HiddenGroup]:
    """Each group with its rules, its views and its places; refused where no attacker sees any.

    Places that were named are hidden in the groups that are seen there, or in all where none is.
    """
    found = []
    for at, one in enumerate(job.by_group()):
        alone = scene.changed(partial(job.without_others, one=one))
        models = _learnt(one, alone, attacker, work, at, seed)
        seeing = [lesson.microfile for lesson in alone.lessons] or [alone.table]
        views = views_of(alone, one.group, [*zip(models, seeing, strict=False)], everybody=everybody)
        found.append(HiddenGroup(one, alone, models, views, ()))
    found = [replace(one, named=named) for one, named in zip(found, _places(job, found), strict=True)]
    if not any(one.named for one in found):
        raise DataError("The attack sees no place with too many of the group: there is nothing to protect.")
    return found


def joint_views(found: list[HiddenGroup]) -> Views:
    """The views of all groups."""
    if len(found) == 1:
        return found[0].views
    listed = tuple(view for at, one in enumerate(found) for view in one.listed(at))
    return Views(listed, found[0].views.sizes)


def _places(job: AttackedJob, found: list[HiddenGroup]) -> list[tuple[str, ...]]:
    """Where each group is to be hidden: where attackers see it, or of the places that were asked for those of them.

    Where no group is seen at a place that was asked for, all are hidden there.
    """
    asked = known_names(job.hide, job.group.places(found[0].scene.table).names)
    if asked and len(found) == 1:
        return [asked]
    seen = [places_to_hide(one.job, one.scene, one.views) for one in found]
    everywhere = {place for places in seen for place in places}
    if not asked:
        if everywhere:
            progress.note(f"hiding what the attack sees: {', '.join(sorted(everywhere))}.")
        return seen
    return [tuple(one for one in asked if one in places or one not in everywhere) for places in seen]


def _learnt(
    one: AttackedJob, scene: Scene, attacker: Attacker, work: Work, at: int, seed: Any
) -> tuple[FuzzyModel, ...]:
    if isinstance(attacker.known, FuzzyModel):
        return (attacker.known,)
    first, count = number(seed, "attack"), len(scene.lessons)
    return tuple(
        one.learnt((lesson.microfile, lesson.auxiliary), attacker.known, part(work, turn), seed=first + turn)
        for turn, lesson in enumerate(scene.lessons, at * count)
    )
