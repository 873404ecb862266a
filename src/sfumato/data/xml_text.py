"""XML, which may be written by anybody: entities are refused, since they can hide or swell to anything."""

from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from sfumato.core import DataError, FileError, SfumatoError

SPACE = " "  # between a namespace and a name


def entity_free_parser(source: Path) -> Any:
    """A parser whose handlers are to be set; `source` is named where an entity is declared."""
    parser = expat.ParserCreate(namespace_separator=SPACE)
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise DataError(
            f"{source}, line {parser.CurrentLineNumber}: declared entities are not read, since they can hide "
            "anything; write the text itself."
        )

    parser.EntityDeclHandler = refuse
    return parser


def parse_xml(parser: Any, file: IO[bytes], source: Path) -> None:
    """Let a parser read all of a file; whatever it refuses becomes one sentence."""
    try:
        parser.ParseFile(file)
    except SfumatoError:
        raise
    except OSError:
        raise FileError(f"{source} cannot be read.") from None
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise DataError(f"{source}, line {error.lineno}: not valid XML ({reason}).") from None
    except (LookupError, ValueError):  # whatever Python's codecs refuse
        raise DataError(f"{source} is in an encoding that cannot be read: write it as UTF-8.") from None
