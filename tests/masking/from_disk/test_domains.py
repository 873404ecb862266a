import numpy as np

from sfumato.data import Attribute
from sfumato.masking.from_disk.domains import Category, Domain, final_attribute, occurring, united

SIZE = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"), labels={"S": "small"})
COARSE = SIZE.evolve(categories=("S", "M..L"), covers={"M..L": ("M", "L")})


def test_an_attribute_that_no_part_changed_stays_as_it_is():
    found = [occurring(SIZE, SIZE, np.array(codes)) for codes in ([2, 0, -1], [-1], [1, 1])]
    domain, lookups = united(SIZE, [domain for domain, _ in found])
    attribute, to_codes = final_attribute(SIZE, domain)
    assert attribute == SIZE
    read = [to_codes[lookup][codes].tolist() for lookup, (_, codes) in zip(lookups, found, strict=True)]
    assert read == [[2, 0, -1], [-1], [1, 1]]


def test_categories_of_all_parts_come_in_the_order_of_their_middles():
    found = [occurring(SIZE, COARSE, np.array([1, 0, -1])), occurring(SIZE, SIZE, np.array([2, -1, 1]))]
    domain, lookups = united(SIZE, [domain for domain, _ in found])
    attribute, to_codes = final_attribute(SIZE, domain)
    assert attribute.categories == ("S", "M", "M..L", "L")
    assert attribute.covers == {"M..L": ("M", "L")}
    assert attribute.labels == {"S": "small"}
    read = [to_codes[lookup][codes].tolist() for lookup, (_, codes) in zip(lookups, found, strict=True)]
    assert read == [[2, 0, -1], [3, -1, 1]]


def test_a_name_that_stands_for_two_things_is_numbered():
    domains = [
        Domain((Category("other", ("S", "M"), ""),), changed=True),
        Domain((Category("other", ("M", "L"), ""),), changed=True),
    ]
    domain, lookups = united(SIZE, domains)
    attribute, to_codes = final_attribute(SIZE, domain)
    assert attribute.categories == ("other", "other 2")
    assert attribute.covers == {"other": ("S", "M"), "other 2": ("M", "L")}
    assert [to_codes[lookup].tolist() for lookup in lookups] == [[0, -1], [1, -1]]
