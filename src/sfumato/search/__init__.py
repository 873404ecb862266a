"""Searching for the protection with the best balance of disclosure risk and information loss."""

from sfumato.search.maskings.candidates import Candidate, evaluate_candidates
from sfumato.search.maskings.portfolio import portfolio

__all__ = ["Candidate", "evaluate_candidates", "portfolio"]
