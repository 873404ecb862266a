"""One domain for many maskings: recoded categories of all of them beside the original ones.

Files that are crossed must speak of the same categories. The categories that recodings made are added behind
the original ones, each with the originals it covers; the same name for different sets gets a number.
"""

from collections.abc import Sequence

import numpy as np

from sfumato.data import Attribute, Table


def joint_attribute(original: Attribute, masked: Sequence[Attribute]) -> tuple[Attribute, list[np.ndarray]]:
    """The attribute with the categories of all, and for each the new code of each of its codes.

    >>> sizes = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> fewer = sizes.evolve(categories=("S", "M+"), covers={"M+": ("M", "L")})
    >>> joint, codes = joint_attribute(sizes, [sizes, fewer])
    >>> joint.categories, joint.covers, codes[1].tolist()
    (('S', 'M', 'L', 'M+'), {'M+': ('M', 'L')}, [0, 3])
    """
    known: dict[tuple[str, tuple[str, ...]], int] = {
        (category, ()): code for code, category in enumerate(original.categories)
    }
    names = list(original.categories)
    covers: dict[str, tuple[str, ...]] = {}
    maps = []
    for attribute in masked:
        codes = []
        for category in attribute.categories:
            members = () if category in original.categories else attribute.covers.get(category, ())
            if (category, members) not in known:
                known[category, members] = len(names)
                names.append(_free(category, names))
                if members:
                    covers[names[-1]] = members
            codes.append(known[category, members])
        maps.append(np.array(codes, np.int64))
    return original.evolve(categories=tuple(names), covers=covers), maps


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
            values = table[name]
            new[name] = np.where(values < 0, values, codes[values]) if len(codes) else values
    wide = original.replace({}, attributes)
    masked = [table.replace(new, attributes) for table, new in zip(tables, columns, strict=True)]
    return wide, masked


def without_unused(masked: Table, original: Table, names: Sequence[str]) -> Table:
    """The masked table without the recoded categories that no record has."""
    columns, attributes = {}, []
    for name in names:
        attribute = masked.schema[name]
        if attribute.is_numeric or attribute.categories == original.schema[name].categories:
            continue
        used = np.zeros(attribute.domain_size, bool)
        used[masked[name][masked[name] >= 0]] = True
        used[: original.schema[name].domain_size] = True
        new = np.cumsum(used) - 1
        kept = tuple(c for c, stays in zip(attribute.categories, used, strict=True) if stays)
        covers = {c: members for c, members in attribute.covers.items() if c in kept}
        columns[name] = np.where(masked[name] < 0, masked[name], new[masked[name]])
        attributes.append(attribute.evolve(categories=kept, covers=covers))
    return masked.replace(columns, attributes) if attributes else masked
