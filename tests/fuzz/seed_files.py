"""Writes the files of statistics packages in `seeds`, from which the fuzzer makes damaged ones.

They are kept, as what their writers write holds the time at which it was written. Run this file to write them anew.
"""

import datetime
from pathlib import Path

from sas_files import sas7bdat

SEEDS = Path(__file__).with_name("seeds")
CANARY = "QZX81"
NAMES = ("age", "town", "pay", "sex")
ROWS = [(20.0 + i, f"{CANARY}{i}", 100.5 * i, float(i % 2 + 1)) for i in range(8)]


def main() -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame(ROWS, columns=list(NAMES))
    labels = {"sex": {1.0: "female", 2.0: "male"}}
    dated = frame.assign(day=[datetime.date(2020, 1, 1 + i) for i in range(len(frame))])
    lettered = frame.assign(pay=[*frame["pay"][:-1], "a"])
    for name, packed in (("people.sav", False), ("people.zsav", True)):
        pyreadstat.write_sav(
            dated, SEEDS / name, compress=packed, variable_value_labels=labels, missing_ranges={"pay": [0.0]}
        )
    pyreadstat.write_sav(dated, SEEDS / "rows.sav", row_compress=True, column_labels={"age": "Age in years"})
    for version in (8, 10, 12, 13, 14, 15):
        pyreadstat.write_dta(
            lettered,
            SEEDS / f"people{version}.dta",
            version=version,
            missing_user_values={"pay": ["a"]},
            variable_value_labels={"sex": {1: "female", 2: "male"}},
        )
    for version in (5, 8):
        pyreadstat.write_xport(dated, SEEDS / f"people{version}.xpt", file_format_version=version)
    (SEEDS / "people.sas7bdat").write_bytes(sas7bdat(NAMES, ROWS))


if __name__ == "__main__":
    main()
