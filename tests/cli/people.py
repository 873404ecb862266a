"""Small hand-made files: twenty persons, whose names must never appear in a message."""

SECRET = "SECRET_7351"
ROWS = [
    (f"{SECRET}_{i}", str(20 + 3 * i % 50), "fm"[i % 2], ("north", "south")[i % 3 == 0], str(900 + 37 * i))
    for i in range(20)
]
HEADER = ("name", "age", "sex", "region", "income")


def csv(rows=ROWS, header=HEADER, delimiter=","):
    lines = [header, *rows] if header else rows
    return "".join(delimiter.join(line) + "\n" for line in lines)


def with_cell(row, column, value):
    """The file with one cell changed."""
    rows = [list(cells) for cells in ROWS]
    rows[row][HEADER.index(column)] = value
    return csv(rows)


def schema(**changes):
    """The schema of the file, with the text of some attributes changed or (None) left out."""
    names = ", ".join(f'"{row[0]}"' for row in ROWS)
    attributes = {
        "name": f'scale = "nominal"\nrole = "identifier"\ncategories = [{names}]',
        "age": 'scale = "numeric"\nrole = "key"\nstorage = "integer"\ndecimals = 0\nlow = 0\nhigh = 120',
        "sex": 'scale = "nominal"\nrole = "key"\ncategories = ["f", "m"]',
        "region": 'scale = "nominal"\nrole = "key"\ncategories = ["north", "south"]',
        "income": 'scale = "numeric"\nrole = "confidential"\nstorage = "integer"\ndecimals = 0',
    }
    attributes |= changes
    return "\n".join(
        f"[attributes.{name}]\n{text}\n" for name, text in attributes.items() if text is not None
    )


PEOPLE = csv()
SCHEMA = schema()
