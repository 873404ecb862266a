"""The command line: reads what people ask for, does jobs, prints what came out. No statistics."""

from sfumato.cli.command_line import CommandLine

EPILOG = """\b
Exit status:
  0    done
  1    something unexpected failed, or a bar of a reproduction does not hold
  2    the command, a file or the data were refused
  3    no candidate meets what --require asks for; nothing was written
  130  stopped with Ctrl-C; no file is left half-written
  143  ended by SIGTERM; no file is left half-written, and what was kept for later is whole

Start with: sfumato demo, or sfumato describe FILE."""

HELP = """Protect data about people before they are released.

sfumato looks for the protected version of a file by which analysts lose least while intruders get no more than by
guessing, and shows the trade-off.
"""

main = CommandLine(name="sfumato", help=HELP, epilog=EPILOG)

__all__ = ["main"]
