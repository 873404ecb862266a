"""Contracts: methods and their parameters, the registry, random streams, progress, results, errors."""

from sfumato.core.advice import Advice
from sfumato.core.errors import (
    Cancelled,
    DataError,
    FileError,
    GateError,
    MissingExtraError,
    ParameterError,
    SfumatoError,
    UnknownNameError,
)
from sfumato.core.method import Aliases, Method
from sfumato.core.parameters import Parameter, param, parameters
from sfumato.core.promise import Promise
from sfumato.core.results import Result
from sfumato.core.streams import Key, Seed, another, marked, stream

__all__ = [
    "Advice",
    "Aliases",
    "Cancelled",
    "DataError",
    "FileError",
    "GateError",
    "Key",
    "Method",
    "MissingExtraError",
    "Parameter",
    "ParameterError",
    "Promise",
    "Result",
    "Seed",
    "SfumatoError",
    "UnknownNameError",
    "another",
    "marked",
    "param",
    "parameters",
    "stream",
]
