"""Jobs: what people ask for. A file is a job, a folder in this folder is a group of them."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.jobs._bars import Bar
    from sfumato.jobs._combinations import (
        CombinationProfile,
        all_but_names,
        combination_profile,
        known_by_others,
        riskiest_combinations,
    )
    from sfumato.jobs._contents import About, Board, Content, Picture, Record, Repetition, Report
    from sfumato.jobs._evolved import Evolved
    from sfumato.jobs._hand_work import HandWork
    from sfumato.jobs._job import Job, Listing, Outcome, named_only
    from sfumato.jobs._order import ORDER_FILE, Order
    from sfumato.jobs._paths import check_target, same_file
    from sfumato.jobs._protection import Protection, ReleasedFile, evolution_of
    from sfumato.jobs._public_facts import Applied, Links, Pair, PublicFacts, targets_of
    from sfumato.jobs._reading import UNNAMED_SCHEMA, Text
    from sfumato.jobs._rehearsal import Rehearsal, rehearsals
    from sfumato.jobs._released import GOES_OUT, STAYS, Envelopes, Released
    from sfumato.jobs._releasing import Releasing
    from sfumato.jobs._reproduction import (
        Drawing,
        Findings,
        Line,
        Reproduced,
        Reproduction,
        all_found,
        found_until_stopped,
    )
    from sfumato.jobs._shown import ARROW, library_of
    from sfumato.jobs._study import command_name, function_name, job_class, job_of, repetition_of, study_of
    from sfumato.jobs._verdict import People, Verdict, verdict, verdict_on
    from sfumato.jobs._work import Work

__all__ = [
    "ARROW",
    "GOES_OUT",
    "ORDER_FILE",
    "STAYS",
    "UNNAMED_SCHEMA",
    "About",
    "Applied",
    "Bar",
    "Board",
    "CombinationProfile",
    "Content",
    "Drawing",
    "Envelopes",
    "Evolved",
    "Findings",
    "HandWork",
    "Job",
    "Line",
    "Links",
    "Listing",
    "Order",
    "Outcome",
    "Pair",
    "People",
    "Picture",
    "Protection",
    "PublicFacts",
    "Record",
    "Rehearsal",
    "Released",
    "ReleasedFile",
    "Releasing",
    "Repetition",
    "Report",
    "Reproduced",
    "Reproduction",
    "Text",
    "Verdict",
    "Work",
    "all_but_names",
    "all_found",
    "check_target",
    "combination_profile",
    "command_name",
    "evolution_of",
    "found_until_stopped",
    "function_name",
    "job_class",
    "job_of",
    "known_by_others",
    "library_of",
    "named_only",
    "rehearsals",
    "repetition_of",
    "riskiest_combinations",
    "same_file",
    "study_of",
    "targets_of",
    "verdict",
    "verdict_on",
]

_HOMES = {
    "_bars": ("Bar",),
    "_combinations": (
        "CombinationProfile",
        "all_but_names",
        "combination_profile",
        "known_by_others",
        "riskiest_combinations",
    ),
    "_contents": ("About", "Board", "Content", "Picture", "Record", "Repetition", "Report"),
    "_evolved": ("Evolved",),
    "_hand_work": ("HandWork",),
    "_job": ("Job", "Listing", "Outcome", "named_only"),
    "_order": ("ORDER_FILE", "Order"),
    "_paths": ("check_target", "same_file"),
    "_protection": ("Protection", "ReleasedFile", "evolution_of"),
    "_public_facts": ("Applied", "Links", "Pair", "PublicFacts", "targets_of"),
    "_reading": ("UNNAMED_SCHEMA", "Text"),
    "_released": ("GOES_OUT", "STAYS", "Envelopes", "Released"),
    "_releasing": ("Releasing",),
    "_reproduction": (
        "Drawing",
        "Findings",
        "Line",
        "Reproduced",
        "Reproduction",
        "all_found",
        "found_until_stopped",
    ),
    "_rehearsal": ("Rehearsal", "rehearsals"),
    "_shown": ("ARROW", "library_of"),
    "_study": ("command_name", "function_name", "job_class", "job_of", "repetition_of", "study_of"),
    "_verdict": ("People", "Verdict", "verdict", "verdict_on"),
    "_work": ("Work",),
}


def __getattr__(name: str) -> Any:
    # imported when first asked for: a command loads the job it does and no other
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"sfumato.jobs.{home}"), name)
    raise AttributeError(f"module 'sfumato.jobs' has no attribute {name!r}")
