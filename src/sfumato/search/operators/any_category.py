"""Any category: Gray mutation as it was printed, which may draw the category that is there."""

import numpy as np

from sfumato.data import Attribute
from sfumato.search.operators.gray_mutation import GrayMutation


class AnyCategory(GrayMutation):
    """As `gray_mutation`, but a category is replaced by one drawn among all of its domain, the same one included.

    Such a mutation changes nothing now and then, most often where there are few categories. Missing values stay.

    Source: Marés, *thesis*, §3.3, "among all valid values".
    """

    def category(self, attribute: Attribute, code: int, rng: np.random.Generator) -> int:
        return int(rng.integers(attribute.domain_size)) if code >= 0 and attribute.domain_size else code
