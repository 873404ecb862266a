"""Recursive k-Ward diagonal: the sorted file is cut into parts, grouped by looking at neighbours only."""

from sfumato.masking._kward import RecursiveKWard


class Kwdr(RecursiveKWard):
    """The cuts of `kwr` and the shortcut of `kwd`: the groups are those of `kwr`, in less time.

    Sorted records are cut into `parts` of equal size where the parts hold at least the share `threshold` of
    the variance along the axis (by default, the share found one cut earlier); each part is grouped by k-Ward.
    As `kwd` takes only n log n steps, there is little left for the cuts to save: use it to compare.
    Groups hold k to 2k − 1 records. `recursion` shows the cuts as a tree of parentheses.

    Source: Fayyoumi, *thesis*, §3.5.3 and Tables 3.8–3.9.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 30.0, 95.0]}))
    >>> Kwdr(k=2, threshold=0.5).recursion(firms).to_dict()["tree"]
    '(()())'
    """
