"""Every command gives what it gave: see fingerprint_cases, which also says how to accept a change."""

import fingerprint_cases as fingerprints
import pytest

RECORDED = fingerprints.recorded()


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    return fingerprints.make_inputs(tmp_path_factory.mktemp("fingerprints") / "inputs")


@pytest.mark.parametrize("name", fingerprints.CASES)
def test_a_command_gives_what_it_gave(name, inputs, tmp_path):
    parts = fingerprints.outcome(fingerprints.CASES[name], inputs, tmp_path / "here")
    told = fingerprints.differences(name, parts, RECORDED.get(name, {}))
    assert not told, "\n" + "\n".join(told)


def test_commands_take_the_same_words():
    told = fingerprints.differences("options", fingerprints.options(), RECORDED[fingerprints.OPTIONS])
    assert not told, "\n" + "\n".join(told)


def test_nothing_is_recorded_that_is_not_compared():
    assert set(RECORDED) == {fingerprints.OPTIONS, *fingerprints.CASES}
