"""One domain for an attribute that was recoded part by part."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.data import MISSING, Attribute
from sfumato.data.attribute import free_name
from sfumato.masking._parts import category_order


class Category(NamedTuple):
    """A category of a part, and what it stands for in the original."""

    name: str
    originals: tuple[str, ...]
    label: str


class Domain(NamedTuple):
    """The categories that occur in a part, and whether they are those that were there before."""

    categories: tuple[Category, ...]
    changed: bool


def occurring(before: Attribute, after: Attribute, codes: np.ndarray) -> tuple[Domain, np.ndarray]:
    """The domain of a part, without categories that no record has, and the codes in it."""
    used = np.unique(codes[codes >= 0])
    lookup = np.full(after.domain_size + 1, MISSING)
    lookup[used] = np.arange(len(used))
    categories = tuple(_category(after, after.categories[code]) for code in used.tolist())
    return Domain(categories, after != before), lookup[codes]


def united(before: Attribute, domains: Sequence[Domain]) -> tuple[Domain, list[np.ndarray]]:
    """The domain of several parts together, and for each of them its codes in it; missing stays missing.

    Categories come in the order of the middle of what they stand for.
    """
    position = _positions(before)
    order = sorted({c for domain in domains for c in domain.categories}, key=lambda c: _key(c, position))
    code = {category: number for number, category in enumerate(order)}
    lookups = [np.array([*(code[c] for c in domain.categories), MISSING]) for domain in domains]
    return Domain(tuple(order), any(domain.changed for domain in domains)), lookups


def final_attribute(before: Attribute, domain: Domain) -> tuple[Attribute, np.ndarray]:
    """The attribute over a domain, and a lookup from codes in the domain to its codes."""
    if not domain.changed:
        code = {category: number for number, category in enumerate(before.categories)}
        return before, np.array([*(code[c.name] for c in domain.categories), MISSING])
    names = _free_names([c.name for c in domain.categories])
    pairs = list(zip(names, domain.categories, strict=True))
    after = before.evolve(
        categories=tuple(names),
        covers={name: c.originals for name, c in pairs if c.originals != (name,)},
        labels={name: c.label for name, c in pairs if c.label},
        hierarchy=None,
    )
    return after, np.arange(-1, len(names))[np.r_[1 : len(names) + 1, 0]]


def _category(attribute: Attribute, name: str) -> Category:
    return Category(name, attribute.covers.get(name, (name,)), attribute.labels.get(name, ""))


def _positions(before: Attribute) -> dict[str, int]:
    """Where each original category stands when the attribute is cut."""
    names = [before.categories[code] for code in category_order(before).tolist()]
    return {
        original: position
        for position, name in enumerate(names)
        for original in before.covers.get(name, (name,))
    }


def _key(category: Category, position: dict[str, int]) -> tuple[int, int, int, str]:
    at = [position.get(original, len(position)) for original in category.originals]
    return min(at) + max(at), min(at), max(at), category.name


def _free_names(names: Sequence[str]) -> list[str]:
    """The same names, with a number after one that stands for two things."""
    free: dict[str, None] = {}
    for name in names:
        free[free_name(name, free)] = None
    return list(free)
