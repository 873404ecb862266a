"""One domain for many maskings: recoded categories of all of them beside the original ones.

Files that are crossed must speak of the same categories. The categories that recodings made are added behind
the original ones, each with the originals it covers. Two that cover the same are one category, whatever they
were called; the same name for different sets gets a number.
"""

from collections.abc import Sequence

import numpy as np

from sfumato.data import MISSING, Attribute, Table
from sfumato.data.encoding import code_type


def joint_attribute(original: Attribute, masked: Sequence[Attribute]) -> tuple[Attribute, list[np.ndarray]]:
    """The attribute with the categories of all, and for each the new code of each of its codes.

    >>> sizes = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> fewer = sizes.evolve(categories=("S", "M+"), covers={"M+": ("M", "L")})
    >>> joint, codes = joint_attribute(sizes, [sizes, fewer])
    >>> joint.categories, joint.covers, codes[1].tolist()
    (('S', 'M', 'L', 'M+'), {'M+': ('M', 'L')}, [0, 3])
    """
    names = list(original.categories)
    known = {frozenset(_members(original, name)): code for code, name in enumerate(names)}
    covers = dict(original.covers)
    maps = []
    for attribute in masked:
        codes = []
        for category in attribute.categories:
            members = _members(attribute, category)
            code = known.setdefault(frozenset(members), len(names))
            if code == len(names):
                names.append(_free(category, [*names, *original.missing]))
                if members != (category,):
                    covers[names[-1]] = members
            codes.append(code)
        maps.append(np.array(codes, np.int64))
    if len(names) == original.domain_size:
        return original, maps
    return original.evolve(categories=tuple(names), covers=covers, hierarchy=None), maps


def _members(attribute: Attribute, category: str) -> tuple[str, ...]:
    return attribute.covers.get(category, (category,))


def _free(name: str, taken: Sequence[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} #{number}"
    return free


def in_joint_domain(
    original: Table, tables: Sequence[Table], names: Sequence[str]
) -> tuple[Table, list[Table]]:
    """The original and its masked versions with one domain for each of the named attributes."""
    attributes, columns = [], [dict[str, np.ndarray]() for _ in tables]
    for name in names:
        if original.schema[name].is_numeric:
            continue
        joint, maps = joint_attribute(original.schema[name], [table.schema[name] for table in tables])
        attributes.append(joint)
        for table, codes, new in zip(tables, maps, columns, strict=True):
            new[name] = np.append(codes, MISSING).astype(code_type(joint.domain_size))[table[name]]
    wide = original.replace({}, attributes)
    masked = [table.replace(new, attributes) for table, new in zip(tables, columns, strict=True)]
    return wide, masked


def without_unused(masked: Table, original: Table, names: Sequence[str]) -> Table:
    """The masked table without the recoded categories that no record has."""
    columns, attributes = {}, []
    for name in names:
        attribute, declared = masked.schema[name], original.schema[name]
        if attribute.is_numeric or attribute.categories == declared.categories:
            continue
        used = np.zeros(attribute.domain_size, bool)
        used[masked[name][masked[name] >= 0]] = True
        used[: declared.domain_size] = True
        new = np.cumsum(used) - 1
        kept = tuple(c for c, stays in zip(attribute.categories, used, strict=True) if stays)
        covers = {c: members for c, members in attribute.covers.items() if c in kept}
        columns[name] = np.where(masked[name] < 0, masked[name], new[masked[name]])
        attributes.append(
            declared if kept == declared.categories else attribute.evolve(categories=kept, covers=covers)
        )
    return masked.replace(columns, attributes) if attributes else masked
