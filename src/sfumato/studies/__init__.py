"""Jobs people ask for: describe, mask, evaluate, attack, protect, evolve; and the report and record they leave behind."""

from sfumato.studies.attack import Attacks, attack
from sfumato.studies.describe import Profile, describe
from sfumato.studies.evaluate import Evaluation, evaluate
from sfumato.studies.evolve import evolve
from sfumato.studies.evolve_equation import evolve_equation
from sfumato.studies.evolve_pram import evolve_pram
from sfumato.studies.evolved import Evolved
from sfumato.studies.evolved_equation import EvolvedEquation
from sfumato.studies.evolved_pram import EvolvedPram
from sfumato.studies.graph_structure import StructureEvaluation, evaluate_structure, protect_structure
from sfumato.studies.graph_study import (
    GraphEvaluation,
    GraphStudy,
    evaluate_graph,
    protect_graph,
    study_graph,
)
from sfumato.studies.group_attack import GroupAttack, group_attack
from sfumato.studies.group_attributes import Grouped, group_attributes
from sfumato.studies.group_protect import group_protect
from sfumato.studies.group_protected import GroupProtection
from sfumato.studies.honesty import HeldOut, Honesty, honesty
from sfumato.studies.large_describe import describe_from_disk
from sfumato.studies.large_evaluate import evaluate_from_disk
from sfumato.studies.large_mask import mask_from_disk
from sfumato.studies.large_protect import protect_from_disk
from sfumato.studies.large_protection import LargeProtection
from sfumato.studies.mask import mask, mask_and_evaluate
from sfumato.studies.protect import protect
from sfumato.studies.protection import Protection
from sfumato.studies.release import write_release

__all__ = [
    "Attacks",
    "Evaluation",
    "Evolved",
    "EvolvedEquation",
    "EvolvedPram",
    "GraphEvaluation",
    "GraphStudy",
    "GroupAttack",
    "GroupProtection",
    "Grouped",
    "HeldOut",
    "Honesty",
    "LargeProtection",
    "Profile",
    "Protection",
    "StructureEvaluation",
    "attack",
    "describe",
    "describe_from_disk",
    "evaluate",
    "evaluate_from_disk",
    "evaluate_graph",
    "evaluate_structure",
    "evolve",
    "evolve_equation",
    "evolve_pram",
    "group_attack",
    "group_attributes",
    "group_protect",
    "honesty",
    "mask",
    "mask_and_evaluate",
    "mask_from_disk",
    "protect",
    "protect_from_disk",
    "protect_graph",
    "protect_structure",
    "study_graph",
    "write_release",
]
