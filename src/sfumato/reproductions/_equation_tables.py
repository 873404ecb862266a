"""What Marés' thesis reports of equations for PRAM: loss and risk, in percent."""

MAX, MEAN = "GP max", "GP mean"

# Tables 4.12–4.14
PUBLISHED = {
    "german": {
        "frequency": (37.88, 31.03),
        "uniform": (13.60, 46.12),
        MAX: (30.39, 34.33),
        MEAN: (19.11, 34.33),
    },
    "flare": {
        "frequency": (29.26, 36.09),
        "uniform": (16.06, 42.68),
        MAX: (37.03, 28.25),
        MEAN: (0.03, 52.19),
    },
    "housing": {
        "frequency": (32.31, 29.18),
        "uniform": (11.92, 54.15),
        MAX: (26.03, 21.10),
        MEAN: (40.84, 0.09),
    },
}
# the same for smaller depths, in Table 4.15; for depth 5 it repeats the tables before, but for Flare, where
# it has what Table 4.14 has for GP mean on Housing
DEPTHS = {
    "german": {3: (34.32, 34.52), 4: (30.97, 30.17)},
    "flare": {3: (38.27, 27.55), 4: (38.08, 27.79)},
    "housing": {3: (25.98, 21.11), 4: (19.22, 34.57)},
}
