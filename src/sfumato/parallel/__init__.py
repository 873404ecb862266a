"""Where jobs run: here or on the cores of this machine. Knows no statistics."""

from sfumato.parallel.jobs import available_cores, run_jobs

__all__ = ["available_cores", "run_jobs"]
