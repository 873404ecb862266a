"""Where jobs run: here or on the cores of this machine. Knows no statistics."""

from sfumato.parallel.workers import Workers, available_cores

__all__ = ["Workers", "available_cores"]
