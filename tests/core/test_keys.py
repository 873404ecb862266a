"""Secret keys: what hangs on them, what is told of them, and how they are kept."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import FileError, Key, ParameterError, marked, stream
from sfumato.core.streams import number

keys = st.binary(min_size=32, max_size=32).map(Key)


@given(keys, st.text(), st.integers(0, 9))
def test_a_key_and_a_purpose_fix_a_stream(key, purpose, n):
    one, other = stream(key, purpose, n), stream(Key(key.secret), purpose, n)
    assert (one.random(5) == other.random(5)).all()
    assert (one.spawn(2)[1].random(5) == other.spawn(2)[1].random(5)).all()
    assert stream(key, purpose, n).random() != stream(key, purpose, n + 1).random()


@given(keys, keys)
def test_other_keys_give_other_streams_and_marks(one, other):
    if one != other:
        assert stream(one, "a").random() != stream(other, "a").random()
        assert one.mark != other.mark


def test_children_of_a_stream_are_unlike_it_and_each_other():
    made = stream(Key.drawn(), "search")
    drawn = [tuple(one.integers(2**63, size=4)) for one in (made, *made.spawn(3), *made.spawn(2))]
    assert len(set(drawn)) == 6


def test_a_stream_travels_to_another_process_as_it_is():
    made = stream(Key.drawn(), "search")
    made.random(7)
    assert pickle.loads(pickle.dumps(made)).random() == made.random()


def test_a_stream_is_what_philox_is_under_the_hash_of_the_key():
    key = Key(bytes(range(32)))
    words = stream(key, "order").bit_generator.state["state"]["key"]
    assert words.nbytes == 16  # 128 bits protect it
    assert (words != stream(key, "other").bit_generator.state["state"]["key"]).all()


def test_no_text_tells_a_key():
    key = Key(b"q" * 32)
    for told in (repr(key), str(key), f"{key}", key.mark, str(marked(key)), key.plain()):
        assert "qqq" not in told and key.secret.hex()[:8] not in told
    assert marked(7) == 7
    assert number(7, "a") == 7 and number(key, "a") != number(key, "b")


def test_a_key_is_kept_for_its_owner_alone(tmp_path):
    key = Key.drawn()
    key.write(tmp_path / "secret.key")
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    assert Key.read(tmp_path / "secret.key") == Key.convert(str(tmp_path / "secret.key")) == key


def test_a_folder_keeps_its_key(tmp_path):
    first = Key.kept_in(tmp_path / "run")
    assert Key.kept_in(tmp_path / "run") == first != Key.kept_in(tmp_path / "other")
    assert Key.kept_in(tmp_path / "third", first) == first == Key.kept_in(tmp_path / "third")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["secret.key"]


@pytest.mark.parametrize("text", ["", "abc", "0" * 63, "g" * 64, "0" * 64 + "\n1"])
def test_what_is_no_key_is_refused_without_telling_it(tmp_path, text):
    (tmp_path / "k").write_text(text)
    with pytest.raises(FileError, match="one line of 64 hexadecimal digits") as refusal:
        Key.read(tmp_path / "k")
    assert not text or text not in str(refusal.value)
    with pytest.raises(FileError):
        Key.read(tmp_path / "nowhere")
    with pytest.raises(ParameterError):
        Key(b"short")


def test_the_bits_of_streams_look_like_chance():
    bits = np.unpackbits(np.frombuffer(stream(Key.drawn(), "bits").bytes(100_000), np.uint8))
    assert abs(bits.mean() - 0.5) < 0.005  # seven standard errors
