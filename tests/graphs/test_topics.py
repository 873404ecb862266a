"""Topics from words."""

from pathlib import Path

import pytest

from sfumato.core import DataError, FileError
from sfumato.datasets.profile_graph import TOPICS
from sfumato.graphs.profiles import Post, Profile
from sfumato.graphs.topics import LONG, TopicModel

MODEL = TopicModel({"Sports": ("ball", "cup"), "Food": ("cup", "bread"), "Other": ()})


def test_the_shipped_words_are_of_the_18_topics_of_the_source() -> None:
    model = TopicModel.shipped()
    assert set(model.topics) == set(TOPICS)
    assert all(len(words) >= 25 for topic, words in model.words.items() if topic != "Other")


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("The president lost the vote in parliament", "Politics"),
        ("Heavy rain and a storm tomorrow, says the forecast", "Weather"),
        ("New laptop, new software, same old password", "Technology_Internet"),
        ("Striker scores in the last minute of the football match", "Sports"),
        ("Police arrested a suspect after the robbery", "Law_Crime"),
        ("Shares fall: investors fear inflation and recession", "Business_Finance"),
        ("Troops and tanks near the frontline despite the ceasefire", "War_Conflict"),
        ("Vaccine against malaria tested on patients in the hospital", "Health_Medical_Pharma"),
        ("Hotel by the beach, great restaurant and wine", "Hospitality_Recreation"),
    ],
)
def test_plain_sentences(text: str, topic: str) -> None:
    assert TopicModel.shipped().topics_of(text)[0] == topic


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("Balls and a CUP", ("Sports",)),  # 1.5 against 0.5
        ("a cup", ("Sports", "Food")),
        ("ball ball bread", ("Sports", "Food")),
        ("ball ball ball bread", ("Sports",)),
        ("#ball @cup https://bread.org/ball", ()),
        ("word " * (LONG - 1), ()),
        ("word " * LONG, ("Other",)),
    ],
)
def test_scores_of_words(text: str, topics: tuple[str, ...]) -> None:
    assert MODEL.topics_of(text) == topics


def test_a_long_text_without_words_is_nothing_where_there_is_no_other() -> None:
    assert TopicModel({"Sports": ("ball",)}).topics_of("word " * LONG) == ()


def test_main_topics_count_posts_and_merge_text_and_documents() -> None:
    posts = (
        "bread bread bread",
        Post("the ball", ("another ball", "bread")),  # Sports once, Food once
        Post("", ("ball",)),
        "ball",
    )
    assert MODEL.main_topics(Profile("ann", posts=posts)) == ("Sports", "Food")
    assert MODEL.main_topics(Profile("ann", posts=posts), count=1) == ("Sports",)
    assert MODEL.main_topics(Profile("ann")) == ()


def test_equally_frequent_topics_come_in_the_order_of_the_file() -> None:
    assert MODEL.main_topics(Profile("ann", posts=("bread", "ball"))) == ("Sports", "Food")


def test_words_of_ones_own_and_their_faults(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text('Chess = ["rook", "Bishop"]')
    assert TopicModel.read(file).topics_of("A bishop!") == ("Chess",)
    rule = "TOML with a list of words for each topic"
    faults = {'Chess = "rook"': rule, "Chess = [": "not valid TOML", "Chess = [1]": rule}
    for text, message in faults.items():
        file.write_text(text)
        with pytest.raises(DataError, match=message):
            TopicModel.read(file)
    with pytest.raises(FileError, match="does not exist"):
        TopicModel.read(tmp_path / "none.toml")


def test_three_main_topics_are_told_unless_another_number_is_asked_for() -> None:
    model = TopicModel({"Sea": ("sea",), "Air": ("air",), "Sun": ("sun",), "Sky": ("sky",)})
    profile = Profile("ann", posts=("sea", "sea", "air", "sun", "sun", "sun", "sky"))
    assert model.main_topics(profile) == ("Sun", "Sea", "Air")
    assert model.main_topics(profile, count=1) == ("Sun",)
    assert model.main_topics(profile, count=9) == ("Sun", "Sea", "Air", "Sky")
