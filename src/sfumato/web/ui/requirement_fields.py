"""What a release must meet, asked before anything is tried: a policy, in words, and further requirements."""

import asyncio
from typing import Any

from nicegui import ui

from sfumato.core import DataError
from sfumato.search.maskings.policy_files import policy_names
from sfumato.web.bench import Visit
from sfumato.web.office_policies import keep_policy, policy_paths, policy_setting
from sfumato.web.ui import html
from sfumato.web.ui.fields import choice, entry, lines

USUAL = ""  # the policy that holds where none is named
NONE = "none"
POLICIES = {
    "scientific": "scientific use: few are found, little is learned",
    "public": "public use: hardly anybody is found, nobody for certain",
    "none": "none: balance loss and risk",
}
ASKED = ("policy", "require")  # the options that are asked for here
EXAMPLE = 'title = "Our office"\nrequire = ["people_found <= 2", "k >= 5"]\nchanged_values = false'
FIELDS = {  # the words of the page, what is required, and what may be written there
    "k": ("Everybody shares key values with at least", "k >= {}", "k, such as 5"),
    "found": ("People found by an intruder, at most %", "people_found <= {}", "such as 2"),
    "linkage": ("Records found by distance linkage, at most %", "distance_linkage <= {}", "such as 2"),
    "risk": ("Disclosure risk at most %", "disclosure_risk <= {}", "such as 30"),
}
CALLED = {"k": "k", "found": "People found", "linkage": "Linkage", "risk": "Risk"}


class RequirementFields:
    """The fields of a policy and of requirements; `usual` is the policy that holds where none is chosen."""

    def __init__(self, visit: Visit, *, usual: str = "scientific", chosen: str = USUAL) -> None:
        self._visit, self._usual, self._chosen = visit, usual, chosen

    async def draw(self) -> None:
        self._policy_place = ui.element("div")
        await self._draw_policy(self._chosen)
        html.words("Required beside the policy; leave a field empty to require nothing of it.", kind="faint")
        with html.row():
            self._limits = {
                name: entry(label, hint=hint, width=10) for name, (label, _, hint) in FIELDS.items()
            }
        with html.more("Further requirements, and what these mean"):
            self._further = lines(
                "Further requirements, one a line", hint="learned <= 5\nhousehold_k >= 3"
            ).props("rows=2")
            for meaning in MEANINGS:
                html.words(meaning, kind="small")
        with html.more("Bring your office's own policy"):
            self._draw_own()

    def settings(self) -> dict[str, Any]:
        """What a job is told. What is required stands beside the policy that the page shows, never in its place."""
        require = [
            rule.format(limit)
            for name, (_, rule, _) in FIELDS.items()
            if (limit := _limit(CALLED[name], self._limits[name].value))
        ]
        require += [line.strip() for line in str(self._further.value or "").splitlines() if line.strip()]
        policy = self.policy
        if policy == USUAL and require and self._usual != NONE:
            policy = self._usual
        named = {"policy": policy_setting(self._visit.bench.workspace, policy)} if policy != USUAL else {}
        return {**named, **({"require": require} if require else {})}

    @property
    def policy(self) -> str:
        value = str(self._choice.value)
        return USUAL if value == self._usual else value

    async def _draw_policy(self, chosen: str) -> None:
        own = {name: f"your own: {name}" for name in policy_paths(self._visit.bench.workspace)}
        offered = {**{name: POLICIES.get(name, name) for name in sorted(policy_names(), reverse=True)}, **own}
        self._policy_place.clear()
        with self._policy_place:
            self._choice = choice(
                "Policy: what every release must meet",
                offered,
                value=chosen if chosen in offered else self._usual,
                on_change=self._show_words,
            )
            self._words = html.said_aloud().classes("policy-words")
        await self._show_words(self._choice.value)

    async def _show_words(self, name: str) -> None:
        """The sentences of the policy, under its name."""
        asked = {"name": policy_setting(self._visit.bench.workspace, name)}
        found = await html.attempted(
            self._words, "Reading the policy …", lambda: self._visit.ask("policy", asked)
        )
        if found is not None:
            with self._words, ui.element("ul").classes("small"):
                for sentence in found["words"]:
                    html.words(sentence, tag="li")

    def _draw_own(self) -> None:
        html.words(
            "A policy is a small TOML file: a title, what it requires, and which methods your office accepts.",
            kind="small faint",
        )
        text = lines("Its text (TOML)", hint=EXAMPLE, accept=".toml")
        said = html.said_aloud()

        async def keep() -> None:
            asked = {"toml": text.value or " "}
            found = await html.attempted(
                said, "Reading the policy …", lambda: self._visit.ask("policy", asked)
            )
            text.complain(found is None)
            if found is None:
                return
            name = await asyncio.to_thread(
                keep_policy, self._visit.bench.workspace, found["title"], str(text.value)
            )
            await self._draw_policy(name)
            with said:
                html.notice(f"Kept as {name}, for every project, and chosen above.", kind="good")

        html.action("Keep and choose this policy", keep)


MEANINGS = (
    "k: the smallest number of released records that share all their key values.",
    "People found: of 100 people, those that an intruder finds who knows their key values.",
    "Distance linkage: the share of records whose released version is nearest to their own original.",
    "Disclosure risk = (interval disclosure + distance linkage) / 2.",
)


def _limit(what: str, text: Any) -> str:
    """A number as a requirement takes it; nothing where nothing is required."""
    text = str(text or "").strip().replace(",", ".")
    if not text:
        return ""
    try:
        number = float(text)
    except ValueError:
        raise DataError(f"{what} must be a number. Got {text[:20]!r}.") from None
    if not 0 <= number < 1e9:
        raise DataError(f"{what} must be a number from 0 on. Got {text[:20]!r}.")
    return f"{number:g}"
