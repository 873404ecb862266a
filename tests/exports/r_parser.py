"""As much of the grammar of R as the scripts use: enough to refuse what R would not read."""

import re

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<space>[ \t]+)|(?P<line>\n)
    |(?P<text>"(?:[^"\\\n]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")
    |(?P<symbol>`(?:[^`\\\n]|\\.)+`)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<name>[A-Za-z.][A-Za-z0-9._]*(?:::[A-Za-z.][A-Za-z0-9._]*)?)
    |(?P<operator><-|%in%|\[\[|\]\]|==|!=|<=|>=|[-+*/&!~<>=,()\[\]])""",
    re.VERBOSE,
)
BINARY = {"<-", "%in%", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "&", "~"}


class Parser:
    """Reads a script and keeps every call, with its positional and named arguments."""

    def __init__(self, script):
        self.tokens, at = [], 0
        while at < len(script):
            found = TOKEN.match(script, at)
            assert found, f"no token of R: {script[at : at + 40]!r}"
            if found.lastgroup not in ("comment", "space"):
                self.tokens.append((found.lastgroup, found.group()))
            at = found.end()
        self.tokens.append(("end", ""))
        self.at, self.calls = 0, []
        while self.peek()[0] != "end":
            if self.peek()[0] == "line":
                self.at += 1
            else:
                self.expression()
                assert self.peek()[0] in ("line", "end"), self.tokens[self.at - 3 : self.at + 3]

    def peek(self):
        return self.tokens[self.at]

    def take(self, text=None):
        token = self.tokens[self.at]
        assert text is None or token[1] == text, (text, self.tokens[self.at - 4 : self.at + 4])
        self.at += 1
        return token

    def expression(self):
        value = self.unary()
        while self.peek()[0] == "operator" and self.peek()[1] in BINARY:
            self.take()
            value = self.unary()
        return value

    def unary(self):
        if self.peek()[1] in ("-", "!"):
            self.take()
            return self.unary()
        return self.postfix()

    def postfix(self):
        kind, text = self.take()
        if text == "(":
            self.expression()
            self.take(")")
        else:
            assert kind in ("text", "symbol", "number", "name"), (kind, text)
        while self.peek()[1] in ("(", "[", "[["):
            opening = self.take()[1]
            closing = {"(": ")", "[": "]", "[[": "]]"}[opening]
            positional, named = self.arguments(closing)
            if opening == "(":
                assert kind == "name", text
                self.calls.append((text, positional, named))
        return text

    def arguments(self, closing):
        positional, named = [], {}
        while self.peek()[1] != closing:
            if self.peek()[0] == "name" and self.tokens[self.at + 1][1] == "=":
                name = self.take()[1]
                self.take("=")
                assert name not in named
                named[name] = self.expression()
            else:
                positional.append(self.expression())
            if self.peek()[1] != closing:
                self.take(",")
        self.take(closing)
        return positional, named
