"""What Balasch's thesis prints: the groupings made by hand, and the scores of all of them."""

K = (5, 10, 25, 50, 100)

# Appendix A, Tables A.1 and A.2; attributes are counted from 1. "All together" and "one by one" are G^n and G^1
BY_HAND = {
    "census": {
        "correlated by 4": "2 4 6 7, 5 10 11 12, 1 3 8 9",
        "uncorrelated by 4": "1 2 4 5, 3 6 10 11, 7 8 9 12",
        "correlated by 3": "2 4 7, 3 11 12, 5 6 10, 1 8 9",
        "uncorrelated by 3": "2 3 5, 8 10 11, 7 9 12, 1 4 6",
    },
    "water_treatment": {
        "correlated by 10": (
            "1 4 5 6 7 11 13 17 20 36, 3 9 10 15 16 18 21 22 23 29, "
            "2 8 12 14 19 26 28 31 33 37, 24 25 27 30 32 34 35 38"
        ),
        "uncorrelated by 10": (
            "1 2 3 24 4 9 8 25 5 10, 12 27 6 15 14 30 7 16 19 32, "
            "11 18 26 34 13 21 28 35 17 22, 20 36 29 23 31 33 37 38"
        ),
        "correlated by 5": (
            "1 4 5 6 7, 11 13 17 20 36, 3 9 10 15 16, 18 21 22 23 29, 2 8 12 14 19, "
            "26 28 31 33 37, 24 25 27 30, 32 34 35 38"
        ),
        "uncorrelated by 5": (
            "1 2 3 24 4, 9 8 25 5 10, 12 27 6 15 14 30, 7 16 19 32, 11 18 26 34 13 21, "
            "28 35 17 22, 20 36 29 23, 31 33 37 38"
        ),
        "correlated by 3": (
            "1 4 5, 6 7 11, 13 17 20, 3 9 10, 15 16 18, 21 22 23, 2 8 12, 14 19 26, 28 31 33, "
            "29 36 37, 24 25 27, 30 32 34, 35 38"
        ),
        "uncorrelated by 3": (
            "1 2 3, 24 4 9, 8 25 5, 12 27 6, 15 14 30, 7 16 19, 11 18 26, 34 13 21, 28 35 17, "
            "10 32 22, 20 36 29, 23 31 33, 37 38"
        ),
    },
}

# Tables 5.4 and 5.3, scores by k
SCORES = {
    "census": {
        "all together": (12.0, 12.4, 14.2, 15.5, 17.9),
        "one by one": (48.9, 48.1, 45.3, 41.8, 37.6),
        "correlated by 4": (39.7, 37.3, 31.4, 24.4, 16.6),
        "uncorrelated by 4": (34.5, 27.8, 19.6, 14.9, 15.1),
        "correlated by 3": (40.4, 38.0, 33.1, 27.0, 20.1),
        "uncorrelated by 3": (38.0, 34.3, 27.5, 20.9, 16.2),
    },
    "water_treatment": {
        "all together": (24.8, 30.2, 36.2, 41.7, 50.4),
        "one by one": (49.3, 48.9, 47.2, 45.0, 46.1),
        "correlated by 10": (43.8, 45.3, 44.0, 40.9, 40.4),
        "uncorrelated by 10": (43.4, 45.9, 44.0, 41.1, 44.7),
        "correlated by 5": (42.1, 43.9, 47.0, 49.5, 45.5),
        "uncorrelated by 5": (42.7, 45.3, 48.7, 49.8, 49.7),
        "correlated by 3": (42.4, 43.2, 46.6, 50.1, 52.3),
        "uncorrelated by 3": (42.2, 43.3, 46.1, 49.7, 52.2),
    },
}

# Tables 5.2 and 5.1: IL, ID, DLD, score and number of groups of what GOMM found, by k
GOMM = {
    "census": (
        (8.01, 32.01, 0.00, 12.01, 1),
        (11.97, 25.90, 0.00, 12.46, 1),
        (13.67, 22.12, 2.87, 13.08, 2),
        (15.64, 20.31, 1.30, 13.22, 2),
        (16.28, 18.60, 3.80, 13.74, 3),
    ),
    "water_treatment": (
        (35.74, 27.93, 0.00, 24.85, 1),
        (48.05, 25.07, 0.00, 30.29, 1),
        (49.52, 24.14, 6.05, 32.31, 2),
        (52.78, 23.85, 7.89, 34.32, 3),
        (58.33, 22.92, 5.79, 36.34, 5),
    ),
}

# the last rows of Tables 5.4 and 5.3, with the one decimal of the scores they stand below
FOUND = {"census": (12.0, 12.4, 13.0, 13.2, 13.7), "water_treatment": (24.8, 30.2, 32.3, 34.3, 36.3)}


def groups_by_hand(file: str, size: int) -> dict[str, list[list[int]]]:
    """Every grouping made by hand, attributes counted from 0.

    >>> groups_by_hand("census", 12)["correlated by 3"]
    [[1, 3, 6], [2, 10, 11], [4, 5, 9], [0, 7, 8]]
    """
    parsed = {
        name: [[int(number) - 1 for number in group.split()] for group in text.split(",")]
        for name, text in BY_HAND[file].items()
    }
    return {
        "all together": [list(range(size))],
        "one by one": [[attribute] for attribute in range(size)],
        **parsed,
    }
