"""Every page draws what it drew: see drawn_pages, which also says how to accept a change."""

import drawn_pages as pages
import pytest

from sfumato.web.ui.treatment_panels import singling_in_words


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> pages.Desk:
    return pages.Desk(tmp_path_factory.mktemp("drawn") / "desk")


@pytest.mark.parametrize("name", pages.CASES)
def test_a_page_draws_what_it_drew(name: str, desk: pages.Desk) -> None:
    told = pages.difference(name, pages.drawn(desk, name))
    assert not told, "\n" + told


def test_nothing_is_recorded_that_is_not_drawn() -> None:
    assert {path.stem for path in pages.DRAWN.iterdir()} == set(pages.CASES)


def test_more_columns_that_single_people_out_are_counted_beyond_five() -> None:
    found = {f"c{place}": 9 - place for place in range(6)}
    assert singling_in_words(found, records=None).count(" and 1 more column.") == 1
    assert "more" not in singling_in_words(dict(list(found.items())[:5]), records=None)
