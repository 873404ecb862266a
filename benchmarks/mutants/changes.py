"""Single changes of a source file, each of which some test should notice."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
CALCULATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}

Replacement = tuple[str, ast.expr | ast.stmt, ast.AST]
"""The kind of a change, what is replaced, and by what."""


@dataclass(frozen=True)
class Change:
    """A change of the bytes from `start` to `end` of a source."""

    kind: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def made(self, source: str) -> str:
        data = source.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()


def changes(source: str) -> list[Change]:
    """All single changes of a source. Texts, annotations, decorators and what only type checkers see stay as they are.

    >>> [change.new for change in changes("if n < 2: n += 1")]
    ['(not n < 2)', '(n <= 2)', '(n >= 2)', '3', '1', 'pass', 'n -= 1', '2', '0']
    """
    data, starts = source.encode(), [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return [
        _change(data, starts, *found) for node in _nodes(ast.parse(source)) for found in _replacements(node)
    ]


def _change(data: bytes, starts: list[int], kind: str, old: ast.expr | ast.stmt, new: ast.AST) -> Change:
    assert old.end_lineno is not None and old.end_col_offset is not None
    start, end = starts[old.lineno - 1] + old.col_offset, starts[old.end_lineno - 1] + old.end_col_offset
    text = ast.unparse(ast.fix_missing_locations(new))
    return Change(
        kind=kind,
        line=old.lineno,
        start=start,
        end=end,
        old=data[start:end].decode(),
        new=text if isinstance(new, (ast.stmt, ast.Constant)) else f"({text})",
    )


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What is run, from above; of a text with fields nothing, since Python 3.11 does not say where its parts are."""
    if isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list", "type_params"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _nodes(child)


def _replacements(node: Any) -> Iterator[Replacement]:
    """Those of one node, without its parts."""
    if isinstance(node, ast.stmt) and _may_be_left_out(node):
        yield "left out", node, ast.Pass()
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield "condition", node.test, ast.UnaryOp(ast.Not(), node.test)
    for kind, replacements in KINDS.get(type(node), {}).items():
        for new in replacements(node):
            yield kind, node, new


def _may_be_left_out(node: ast.stmt) -> bool:
    """Names that are given no value would be missed at once; what is done to values might not be."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, (ast.Subscript, ast.Attribute)) for target in node.targets)
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return called or isinstance(node, (ast.AugAssign, ast.Raise, ast.Delete))


def _comparisons(node: ast.Compare) -> Iterator[ast.AST]:
    for place, one in enumerate(node.ops):
        for other in COMPARISONS[type(one)]:
            yield ast.Compare(
                node.left, [*node.ops[:place], other(), *node.ops[place + 1 :]], node.comparators
            )


def _calculations(node: ast.BinOp) -> Iterator[ast.AST]:
    if type(node.op) in CALCULATIONS and not _is_text(node.left) and not _is_text(node.right):
        yield ast.BinOp(node.left, CALCULATIONS[type(node.op)](), node.right)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), (str, bytes))


def _steps(node: ast.AugAssign) -> Iterator[ast.AST]:
    if type(node.op) in CALCULATIONS:
        yield ast.AugAssign(node.target, CALCULATIONS[type(node.op)](), node.value)


def _signs(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand


def _joined(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(value + 1), ast.Constant(value - 1))
    elif isinstance(value, float):
        yield ast.Constant(value * 2 if value else 1.0)


def _returned(node: ast.Return) -> Iterator[ast.AST]:
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield ast.Return(ast.Constant(None))


def _ends(node: ast.Break | ast.Continue) -> Iterator[ast.AST]:
    yield ast.Continue() if isinstance(node, ast.Break) else ast.Break()


KINDS: dict[type[ast.AST], dict[str, Callable[[Any], Iterator[ast.AST]]]] = {
    ast.Compare: {"comparison": _comparisons},
    ast.BinOp: {"calculation": _calculations},
    ast.AugAssign: {"calculation": _steps},
    ast.UnaryOp: {"sign": _signs},
    ast.BoolOp: {"and, or": _joined},
    ast.Constant: {"constant": _constants},
    ast.Return: {"return": _returned},
    ast.Break: {"break, continue": _ends},
    ast.Continue: {"break, continue": _ends},
}
