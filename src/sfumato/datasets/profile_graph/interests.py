"""What users talk about: three of the 18 topics each, mostly those of their community."""

import numpy as np

from sfumato.datasets.profile_graph.communities import Communities

TOPICS = (
    "Business_Finance",
    "Disaster_Accident",
    "Education",
    "Entertainment_Culture",
    "Environment",
    "Health_Medical_Pharma",
    "Hospitality_Recreation",
    "Human Interest",
    "Labor",
    "Law_Crime",
    "Politics",
    "Religion_Belief",
    "Social Issues",
    "Sports",
    "Technology_Internet",
    "Weather",
    "War_Conflict",
    "Other",
)
LIKED = np.array([9, 1, 3, 14, 3, 4, 7, 8, 2, 4, 9, 2, 5, 10, 13, 1, 3, 6]) / 104  # of all talk
FAVOURITES = np.array([2.6, 2.0, 1.5, 0.9])  # what a community adds to the logarithm of its favourites


def interests(communities: Communities, rng: np.random.Generator) -> np.ndarray:
    """Three different topics for each user, the favourite first.

    Each user draws them without replacement from the chances of the community, by Gumbel's trick.
    """
    appeal = np.tile(np.log(LIKED), (communities.count, 1))
    noise = rng.gumbel(size=appeal.shape)
    favourites = np.argsort(-(appeal + noise), axis=1)[:, : len(FAVOURITES)]
    np.put_along_axis(appeal, favourites, np.take_along_axis(appeal, favourites, axis=1) + FAVOURITES, axis=1)
    drawn = appeal[communities.of_rank] + rng.gumbel(size=(len(communities.members), len(TOPICS)))
    return communities.by_user(np.argsort(-drawn, axis=1)[:, :3].astype(np.int8))
