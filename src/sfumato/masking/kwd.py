"""k-Ward diagonal: the groups of k-Ward, found by looking at neighbours only."""

from sfumato.masking._kward import KWardFamily


class Kwd(KWardFamily):
    """k-Ward (see `kward`) that measures a few distances for each merge instead of a row of the matrix.

    Groups stand on the axis in the order of their means. Where y stands between x and z and may be merged with
    both, D(x, z) > min(D(x, y), D(y, z)); for with D(x, y) ≥ D and D(y, z) ≥ D the gaps are at least
    √(D(1/n_x + 1/n_y)) and √(D(1/n_y + 1/n_z)), and the square of their sum exceeds D(1/n_x + 1/n_z). So the
    pair to merge are neighbours, or a group of fewer than k and one of k or more with only groups of k or more
    between them: the diagonal of the distance matrix, and the search beyond full groups in the source. The
    source looks for such groups in one direction only; looking both ways makes the groups those of k-Ward in
    every case. A heap keeps the candidates: n log n in time, n in memory.

    Groups hold k to 2k − 1 records. `recursion` reports the number of merges and distances.

    Source: Fayyoumi, *thesis*, Algorithm 3, §3.4.1.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 2.0, 3.0, 7.0, 9.0, 30.0, 34.0]}))
    >>> Kwd(k=2).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [2.0, 2.0, 2.0, 8.0, 8.0, 32.0, 32.0]
    """
