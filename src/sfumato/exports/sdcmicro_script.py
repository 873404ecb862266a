"""The steps as a script of R: calls of the package sdcMicro where there are such, base R or a comment elsewhere."""

from collections.abc import Iterator

from sfumato.exports._r_words import one_line, r_column, r_text, r_truth, r_vector
from sfumato.exports._script import Script, number
from sfumato.exports._sdcmicro_steps import object_of, step_lines

READERS = {
    ".parquet": "as.data.frame(arrow::read_parquet({file}))",
    ".sav": "as.data.frame(haven::zap_labels(haven::read_sav({file})))",
    ".por": "as.data.frame(haven::zap_labels(haven::read_por({file})))",
    ".dta": "as.data.frame(haven::zap_labels(haven::read_dta({file})))",
    ".sas7bdat": "as.data.frame(haven::read_sas({file}))",
    ".xpt": "as.data.frame(haven::read_xpt({file}))",
}


def sdcmicro_script(script: Script) -> str:
    """A script that reads the file, does the steps and writes what they made; what R has no call for is said."""
    lines = [*(f"# {line}" for line in script.heading()), "", "library(sdcMicro)", "", *_reading(script)]
    for place, step in enumerate(script.steps, start=1):
        lines += ["", f"# step {place}: {one_line(step.masking.plain())}", *step_lines(step)]
    if script.by_hand.fixed:
        lines += ["", f"# nothing may change: {one_line(', '.join(script.by_hand.fixed))}"]
    return "\n".join([*lines, "", *_ending(script), ""])


def _ending(script: Script) -> Iterator[str]:
    gone = [name for step in script.steps for name in step.masking.leaves_out(step.before)]
    schema = script.original.schema
    if any(name not in gone for name in schema.with_role("key")):
        yield "# what the keys give away now"
        yield object_of(schema.select(name for name in schema.names if name not in gone))
        yield 'print(sdc, type = "kAnon")'
        yield 'print(sdc, type = "risk")'
        yield ""
    yield f'write.csv(d, {r_text(script.output)}, row.names = FALSE, na = "")'


def _reading(script: Script) -> Iterator[str]:
    yield f"d <- {_reader(script)}"
    for attribute in script.original.schema:
        column = r_column(attribute.name)
        if attribute.missing:
            codes = map(number, attribute.missing_numbers)
            listed = f"c({', '.join(codes)})" if attribute.is_numeric else r_vector(attribute.missing)
            yield f"{column}[{column} %in% {listed}] <- NA"
        if not attribute.is_numeric and attribute.role != "identifier" and attribute.categories:
            ordered = ", ordered = TRUE" if attribute.scale == "ordinal" else ""
            yield f"{column} <- factor({column}, levels = {r_vector(attribute.categories)}{ordered})"


def _reader(script: Script) -> str:
    known = READERS.get(script.suffix)
    if known is not None:
        return known.format(file=r_text(script.file))
    delimiter = script.text.delimiter or ("\t" if script.suffix == ".tsv" else ",")
    return (
        f"read.csv({r_text(script.file)}, sep = {r_text(delimiter)}, header = {r_truth(script.text.header is not False)}, "
        f"{_marks(script)}"
        f'na.strings = "", check.names = FALSE, stringsAsFactors = FALSE, fileEncoding = {r_text(script.text.encoding or "utf-8")})'
    )


def _marks(script: Script) -> str:
    """How numbers and comments are written, where that is not as usual."""
    text = script.text
    decimal = 'dec = ",", ' if text.decimal == "," else ""
    return decimal + (f"comment.char = {r_text(text.comment)}, " if text.comment else "")
