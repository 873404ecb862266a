"""Topics: what a user talks about, from the words of the posts and of the documents they link to.

The source asked a web service for the topics of each text; here a file of words does it, without a network. The
file that ships has the same 18 topics; another one may have others.
"""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sfumato.core import DataError
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.graphs.profiles import Post, Profile

SHIPPED = Path(__file__).with_name("topic_words.toml")
OTHER = "Other"
LONG = 30  # words of a text that is about something, even if no word of ours is in it
ENOUGH = 0.5  # share of the best topic's score with which another topic counts too
NO_WORDS = re.compile(r"https?://\S+|[#@]\w+")
WORD = re.compile(r"[^\W\d_]+")


class TopicModel:
    """Counts the words of each topic in a text.

    Each word of a list counts once per occurrence, and a word of several lists is shared among them. A text is
    about the topic with the highest score, and about others with at least half of it; a long one without any
    word of ours is about "Other", if there is such a topic; a short one about nothing. As in the source, hashtags
    say nothing, and neither do addresses and names of users.

    >>> model = TopicModel.shipped()
    >>> model.topics_of("Doctors and nurses of the new hospital #Sports")
    ('Health_Medical_Pharma',)
    >>> model.topics_of("so tired today")
    ()
    """

    def __init__(self, words: dict[str, tuple[str, ...]]) -> None:
        self.topics = tuple(words)
        self._at: dict[str, list[int]] = {}
        for number, listed in enumerate(words.values()):
            for word in dict.fromkeys(word.casefold() for word in listed):
                self._at.setdefault(word, []).append(number)

    @classmethod
    def shipped(cls) -> "TopicModel":
        return cls.read(SHIPPED)

    @classmethod
    def read(cls, path: str | Path) -> "TopicModel":
        """Read a TOML file with a list of words for each topic."""
        tables = parsed_toml(small_text(Path(path), "File of topics"), str(path))
        try:
            return cls(msgspec.convert(tables, dict[str, tuple[str, ...]]))
        except msgspec.ValidationError:
            raise DataError(
                f'{path}: a file of topics is TOML with a list of words for each topic, such as Sports = ["ball"].'
            ) from None

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        """The words that belong to one topic only."""
        found: dict[str, list[str]] = {topic: [] for topic in self.topics}
        for word, topics in self._at.items():
            if len(topics) == 1:
                found[self.topics[topics[0]]].append(word)
        return {topic: tuple(words) for topic, words in found.items()}

    def topics_of(self, text: str) -> tuple[str, ...]:
        """The topics of a text, the best first."""
        words = WORD.findall(NO_WORDS.sub(" ", text).casefold())
        scores = self._scores(words)
        if not scores:
            return (OTHER,) if len(words) >= LONG and OTHER in self.topics else ()
        best = max(scores.values())
        kept = [topic for topic, score in scores.items() if score >= ENOUGH * best]
        return tuple(self.topics[topic] for topic in sorted(kept, key=lambda topic: (-scores[topic], topic)))

    def main_topics(self, profile: Profile, *, count: int = 3) -> tuple[str, ...]:
        """The most frequent topics of the posts of a user, the most frequent first; fewer where fewer are found.

        A post is about the topics of its text and of the documents it links to, each counted once. Of equally
        frequent topics, the one first in the file wins.
        """
        found = Counter(topic for post in profile.posts for topic in self._topics_of_post(post))
        order = {topic: number for number, topic in enumerate(self.topics)}
        return tuple(sorted(found, key=lambda topic: (-found[topic], order[topic]))[:count])

    def _topics_of_post(self, post: str | Post) -> Iterable[str]:
        texts = (post,) if isinstance(post, str) else (post.text, *post.documents)
        return dict.fromkeys(topic for text in texts for topic in self.topics_of(text))

    def _scores(self, words: list[str]) -> dict[int, float]:
        scores: dict[int, float] = {}
        for word in words:
            topics = self._at.get(word) or self._at.get(word.removesuffix("s"), [])
            for topic in topics:
                scores[topic] = scores.get(topic, 0.0) + 1 / len(topics)
        return scores
