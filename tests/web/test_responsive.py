import threading
import time
from pathlib import Path
from typing import Any

import pytest
from benches import Server, visiting

from sfumato.data import write_table
from sfumato.datasets import household_survey

LONGEST = 0.2  # seconds that anybody may wait for the server


@pytest.mark.slow
def test_a_large_file_leaves_the_server_free(tmp_path: Path, browser: Any) -> None:
    survey = household_survey(200_000)
    write_table(survey.select(survey.names[:12]), tmp_path / "large.csv")
    waits: list[float] = []
    over = threading.Event()
    with Server(tmp_path) as server, visiting(browser, server) as page:

        def probe() -> None:
            with server.client() as client:
                while not over.is_set():
                    start = time.perf_counter()
                    client.get("/static/favicon.svg")
                    waits.append(time.perf_counter() - start)
                    time.sleep(0.01)

        probing = threading.Thread(target=probe)
        probing.start()
        try:
            page.locator("button.entry", has_text="large.csv").click()
            page.wait_for_selector("text=200,000 records, 12 columns")
            page.get_by_role("button", name="Save the schema").click()
            page.wait_for_selector("text=The schema is saved.")
            page.get_by_role("link", name="Protect").first.click()
            page.get_by_role("button", name="Start the search").click()
            page.wait_for_selector("text=running")
            page.wait_for_timeout(5000)  # while the map is drawn again and again
            page.get_by_role("link", name="Risk").first.click()
            page.wait_for_selector("text=of the records stand alone")
            page.get_by_role("button", name="Let them try").click()
            page.wait_for_selector("text=What each attacker does")
            page.get_by_role("link", name="Protect").first.click()
            page.get_by_role("button", name="Pause").click()  # it is still at work
            page.wait_for_selector("text=paused")
            page.get_by_role("button", name="Stop").click()
            page.wait_for_selector("text=stopped", timeout=300_000)
        finally:
            over.set()
            probing.join()
    assert len(waits) > 50
    print(
        f"longest wait {1000 * max(waits):.0f} ms, 99th percentile {1000 * sorted(waits)[-len(waits) // 100]:.0f} ms"
    )
    assert max(waits) < LONGEST
