"""How a number of ours stands beside the printed one."""


def mark(ours: float, published: float, *, same: float, higher: bool = False, why: str = "") -> str:
    """Reproduced where the two are no more than `same` apart; else better, or worse and why.

    Lower is better, unless `higher` is.

    >>> mark(85, 61.2, same=1, higher=True), mark(20, 6.2, same=1, why="small areas")
    ('better', 'worse: small areas')
    """
    if abs(ours - published) <= same:
        return "reproduced"
    if (ours > published) == higher:
        return "better"
    return f"worse: {why}" if why else "worse"
