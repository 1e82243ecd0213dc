"""The pages of jobs in a real browser: searched, sorted, zoomed and compared.

One file, since all tests look at the jobs of one demo, which takes long to fill.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from tests.history.records import job
from tests.history.web.accessible import faults, reached_by_keyboard
from tests.history.web.browsing import Visitors, needs_chromium
from tests.history.web.served import Served

from schedlab.history.demo import EPOCH_S
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store

pytestmark = [pytest.mark.slow, needs_chromium]

HOSTILE = (
    '<img src=x onerror="document.title=1"></script><script>document.title=2</script>"\'{{7*7}}'
)
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module", autouse=True)
def _stranger(demo: Served) -> None:
    """Add a job on a shared node whose every name is an attack, and a job that no sensor saw."""
    start_s = EPOCH_S + 4 * 3_600 + 600
    document = {
        "cluster": "mini",
        "jobid": "9000",
        "queue_time": from_epoch(start_s - 60),
        "start_time": from_epoch(start_s),
        "end_time": from_epoch(start_s + 3_600),
        "req_walltime_sec": 7_200,
        "resource_req": {"num_host": 1, "num_cpu_perhost": 4},
        "per_host": [{"node_id": "n04"}, {"node_id": HOSTILE}],
        "state": "completed",
        "exclusive": False,
        "user_identifier": HOSTILE,
        "accounting_group": HOSTILE,
        "job_name": HOSTILE,
        "tags": [HOSTILE],
    }
    before_s = EPOCH_S - 30 * 86_400  # when no sensor saw anything
    unseen = document | {
        "jobid": "9100",
        "queue_time": from_epoch(before_s),
        "start_time": from_epoch(before_s + 300),
        "end_time": from_epoch(before_s + 3_900),
        "per_host": [{"node_id": "n01"}],
        "user_identifier": "ada",
        "accounting_group": "group1",
        "job_name": "unseen",
        "tags": [],
    }
    with Store.open(demo.settings.store) as store:
        store.put(list(map(JobRecord.model_validate, (document, unseen))), source="stranger")


def ids(page: Page) -> list[str]:
    """Return the job ids in the list once the page has loaded."""
    page.wait_for_load_state()
    return page.locator("table.jobs td.title > a").all_inner_texts()


def open_job(page: Page, jobid: str) -> None:
    """Open the page of a job in the way that a user does."""
    page.goto(f"/jobs?jobid={jobid}")
    page.get_by_role("link", name=jobid, exact=True).click()
    page.wait_for_selector("section.timeline[data-filled]")


def ranges(page: Page) -> set[tuple[float, float]]:
    """Return the ranges of the figures that zoom, in ms: a single one if they move together."""
    found = page.evaluate(
        """() => Bokeh.documents
             .filter((each) => [...each._all_models.values()].some(({ name }) => name === "line-0"))
             .map((each) => each.roots()[0].x_range)
             .map((range) => [range.start, range.end])"""
    )
    assert len(found) == 4
    return {(start, end) for start, end in found}


def test_jobs_are_searched_and_the_link_says_how(visitors: Visitors) -> None:
    """A user who gets the URL sees the same jobs in the same order."""
    page = visitors.page("admin")
    page.goto("/jobs")
    expect(page.get_by_role("status")).to_have_text("108 jobs")
    page.get_by_label("User").fill("ada")
    page.get_by_text("More filters").click()
    page.get_by_label("Waited: at least").fill("10m")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Waited").click()
    found = ids(page)
    assert 0 < len(found) < 20
    assert parse_qs(urlsplit(page.url).query)["min_wait_s"] == ["10m"]
    waited = page.locator("td[data-label=Waited]").all_inner_texts()
    assert "h" in waited[0]
    other = visitors.page("helpdesk")
    other.goto(page.url)
    assert ids(other) == found
    assert other.get_by_label("User").input_value() == "ada"
    page.get_by_role("link", name="Waited").click()
    assert ids(page) == found[::-1]
    page.get_by_role("link", name="Clear").click()
    expect(page.locator("table.jobs td.title > a")).to_have_count(50)


def test_pages_follow_each_other(visitors: Visitors) -> None:
    """The pages have every job once, and the last page has no link to a next one."""
    page = visitors.page("admin")
    page.goto("/jobs")
    first = ids(page)
    found = list(first)
    for _ in range(2):
        page.get_by_role("link", name="Next page").click()
        found += ids(page)
    assert len(first) == 50
    assert len(found) == len(set(found)) == 108
    assert page.get_by_role("link", name="Next page").count() == 0
    page.get_by_role("link", name="First page").click()
    assert ids(page) == first


def test_what_is_downloaded_is_what_was_searched(visitors: Visitors) -> None:
    """The file has the jobs of all pages of the search."""
    page = visitors.page("admin")
    page.goto("/jobs?user=ada&from=2026-01-05T12:00&time=queued")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON lines").click()
    path = download.value.path()
    lines = [json.loads(line)["jobid"] for line in path.read_text().splitlines()]
    assert lines == ids(page)


def test_a_mistake_in_a_filter_is_explained(visitors: Visitors) -> None:
    """The typed text is still there to be corrected."""
    page = visitors.page("admin")
    page.goto("/jobs")
    page.get_by_text("More filters").click()
    page.get_by_label("Ran: at least").fill("soon")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text('"soon" is not a duration')
    assert page.get_by_label("Ran: at least").input_value() == "soon"
    assert "400" in visitors.complaints.pop()  # what the browser says of such an answer


def test_a_job_is_looked_at_closely(visitors: Visitors) -> None:
    """Zooming into one figure zooms all and fetches finer steps; the keyboard works, too."""
    page = visitors.page("admin")
    open_job(page, "1004")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1004")
    expect(page.get_by_text("It started at once.")).to_be_visible()
    open_job(page, "1007")
    expect(page.get_by_text("fewer than the 2 nodes it asked for were free")).to_be_visible()
    open_job(page, "1004")
    expect(page.get_by_text("350 g/kWh")).to_be_visible()
    (whole,) = ranges(page)
    first = page.locator("section.timeline").first
    first.locator("figure").hover()
    expect(first.locator(".at")).to_contain_text("2026-01-05 03:")
    expect(first.locator(".value").first).to_have_text(re.compile(r"^\d\d(\.\d)? %$"))
    figure = page.locator("section.timeline figure").first
    figure.scroll_into_view_if_needed()
    canvas = figure.bounding_box()
    assert canvas is not None
    middle = canvas["y"] + canvas["height"] / 2
    with page.expect_response(re.compile("/timelines/power_watt")) as answer:
        page.mouse.move(canvas["x"] + 0.5 * canvas["width"], middle)
        page.mouse.down()
        page.mouse.move(canvas["x"] + 0.6 * canvas["width"], middle, steps=5)
        page.mouse.up()
    asked = parse_qs(urlsplit(answer.value.url).query)
    span_s = float(asked["to_s"][0]) - float(asked["from_s"][0])
    assert span_s < 0.2 * (whole[1] - whole[0]) / 1e3
    page.wait_for_load_state("networkidle")
    (zoomed,) = ranges(page)
    assert whole[0] < zoomed[0] < zoomed[1] < whole[1]
    button = page.get_by_role("button", name="The whole job")
    button.focus()
    with page.expect_response(re.compile("/timelines/")):
        page.keyboard.press("Enter")
    assert ranges(page) == {whole}


def test_a_line_at_zero_is_to_be_seen(visitors: Visitors) -> None:
    """An idle GPU has a line above the axis, whose labels begin at 0."""
    page = visitors.page("admin")
    open_job(page, "1004")
    figures = page.evaluate(
        """() => Bokeh.documents.map((each) => each.roots()[0])
             .filter(({ left }) => left[0].type === "LinearAxis")
             .map(({ y_range, left }) => [y_range.start, y_range.end, left[0].bounds[0]])"""
    )
    assert len(figures) >= 4
    for start, end, first_label in figures:
        assert -0.2 * end < start < 0
        assert first_label == 0


def test_buttons_that_would_change_nothing_say_so(visitors: Visitors) -> None:
    """With the whole job in view, only zooming in has an effect; after that, the others do, too."""
    page = visitors.page("admin")
    open_job(page, "1004")
    page.wait_for_load_state("networkidle")

    def idle() -> list[str]:
        return page.locator('.zoom button[aria-disabled="true"]').all_inner_texts()

    assert idle() == ["Zoom out", "Earlier", "Later", "The whole job"]
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator('.zoom button[aria-disabled="true"]')).to_have_count(0)
    page.get_by_role("button", name="Earlier").click()
    expect(page.locator('.zoom button[aria-disabled="true"]')).to_have_text(["Earlier"])
    page.get_by_role("button", name="The whole job").click()
    expect(page.locator('.zoom button[aria-disabled="true"]')).to_have_count(4)


def test_where_nothing_was_measured_there_is_nothing_to_zoom(visitors: Visitors) -> None:
    """The page has no buttons without effect, no empty figures and no empty roofline."""
    page = visitors.page("admin")
    open_job(page, "9100")
    expect(page.get_by_text("nothing was measured in this time").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("group", name="Zoom")).to_be_hidden()
    expect(page.get_by_text("Drag across a figure")).to_be_hidden()
    expect(page.get_by_role("heading", name="Roofline")).to_be_hidden()
    expect(page.get_by_text("No node of the cluster was in use meanwhile.")).to_be_visible()
    assert page.locator("figure:visible").count() == 0
    assert faults(page) == []


def test_many_lines_become_a_band(visitors: Visitors) -> None:
    """Sixteen GPUs would be a tangle of lines; a band has minimum, median and maximum."""
    page = visitors.page("admin")
    page.goto("/jobs?min_num_host=5&sort=-run_s")
    open_job(page, ids(page)[0])
    band = page.locator("section.timeline", has=page.get_by_role("heading", name="GPU", exact=True))
    expect(band.locator(".legend")).to_contain_text("median of")
    expect(band.locator("figure")).to_have_attribute("data-drawn", "yes")
    columns = page.evaluate(
        """() => Bokeh.documents.flatMap((each) => [...each._all_models.values()])
             .find((model) => model.name === "band").data"""
    )
    known = [
        (low, middle, high)
        for low, middle, high in zip(columns["low"], columns["v"], columns["high"], strict=True)
        if low is not None and low == low
    ]
    assert known
    assert all(low <= middle <= high for low, middle, high in known)


def test_jobs_are_compared(visitors: Visitors) -> None:
    """Jobs are ticked, added by id and removed; lines run over the share of the run time."""
    page = visitors.page("admin")
    page.goto("/jobs?sort=-run_s")
    for box in page.locator("table.jobs input[type=checkbox]").all()[:2]:
        box.check()
    page.get_by_role("button", name="Compare ticked jobs").click()
    page.get_by_label("Add a job by its id").fill("1004")
    page.get_by_role("button", name="Add").click()
    page.wait_for_selector("section.timeline[data-filled]")
    page.wait_for_load_state("networkidle")
    assert page.locator("table.compared thead th").count() == 3
    filled = page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
             .filter((model) => model.type === "ColumnDataSource" && model.name)
             .map((model) => [model.data.t.at(0), model.data.t.at(-1)])"""
    )
    assert filled == [[0, 100]] * 3
    page.get_by_label("Remove job 1004").click()
    assert page.locator("table.compared thead th").count() == 2


def test_a_line_that_hides_another_is_put_aside(visitors: Visitors) -> None:
    """Lines of devices with equal values overlap: a click hides one, and each has other dashes."""
    page = visitors.page("admin")
    open_job(page, "1004")
    gpus = page.locator("section.timeline", has=page.get_by_role("heading", name="GPU", exact=True))
    first = gpus.get_by_role("button", name="gpu 0").first
    seen = """() => Bokeh.documents[1].roots()[0].renderers.filter(
      ({ glyph }) => glyph.type === "Line").map(
      ({ visible, glyph }) => [visible, String(glyph.line_dash?.value ?? glyph.line_dash)])"""
    before = page.evaluate(seen)
    assert len({dash for _, dash in before}) == len(before) == 4
    first.click()
    assert [visible for visible, _ in page.evaluate(seen)] == [False, True, True, True]
    expect(first).to_have_attribute("aria-pressed", "false")
    first.press("Enter")
    assert page.evaluate(seen) == before


def test_a_table_tells_what_a_figure_shows(visitors: Visitors) -> None:
    """For users who cannot see the figure, it lists minimum, mean and maximum of each line."""
    page = visitors.page("admin")
    open_job(page, "1004")
    cpu = page.locator("section.timeline", has=page.get_by_role("heading", name="CPU", exact=True))
    cpu.locator("details.values summary").press("Enter")
    rows = [row.all_inner_texts() for row in [cpu.locator("tbody tr").nth(0).locator("th, td")]]
    (of, least, mean, greatest) = rows[0]
    record = page.request.get("/v1/jobs/1004").json()["per_host"][0]
    assert of == record["node_id"]
    assert float(least) <= float(mean) <= float(greatest)
    assert float(mean) == pytest.approx(record["used_cpu_percent_avg"], rel=0.05)


def test_no_group_of_facts_stands_alone(visitors: Visitors) -> None:
    """In a wide window the last group is below the one before it, not in a row of its own."""
    page = visitors.page("admin", viewport={"width": 1200, "height": 900})
    open_job(page, "1004")
    boxes = {
        group.locator("h3").inner_text().lower(): group.bounding_box()
        for group in page.locator(".fact-groups > div").all()
    }
    energy, result = boxes["energy"], boxes["result"]
    assert energy is not None
    assert result is not None
    assert result["x"] == energy["x"]
    assert result["y"] > energy["y"]


def test_attempts_at_a_job_lead_to_each_other(visitors: Visitors, demo: Served) -> None:
    """Links lead from the first attempt, which was requeued, to the one that ended, and back."""
    about: dict[str, Any] = {"cluster": "mini", "user_identifier": "ada", "partition": "all"}
    first = job("8000", state="requeued", attempt=1, **about)
    second = job("8000.r2", queued_s=200, attempt=2, **about)
    with Store.open(demo.settings.store) as store:
        store.put([first, second], source="scheduler")
    page = visitors.page("ada")
    open_job(page, "8000")
    page.get_by_role("link", name="attempt 2").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("8000.r2")
    expect(page.locator(".attempts strong")).to_have_text("attempt 2")
    page.get_by_role("link", name="attempt 1").click()
    expect(page.locator(".attempts strong")).to_have_text("attempt 1")


def test_names_are_never_run(visitors: Visitors) -> None:
    """A user may call a job what they like; it stays text wherever it is shown."""
    page = visitors.page("admin")
    page.goto("/jobs?jobid=9000")
    expect(page.locator("td.title .name")).to_have_text(HOSTILE)
    page.get_by_role("link", name=HOSTILE).click()
    assert ids(page) == ["9000"]
    open_job(page, "9000")
    expect(page.get_by_role("heading", level=1)).to_contain_text(HOSTILE)
    expect(page.locator(".legend li").nth(1)).to_contain_text(HOSTILE)
    expect(page.get_by_role("cell", name="1004")).to_be_visible()  # it ran on the same node
    page.get_by_role("link", name="Compare", exact=True).click()
    page.wait_for_selector("section.timeline[data-filled]")
    assert page.title() == "Compare jobs · schedlab"
    assert page.locator("img[src=x]").count() == 0


def test_jobs_of_other_users_are_not_listed_and_not_found(visitors: Visitors) -> None:
    """Other users' jobs are not in a user's list, and their pages are not found."""
    page = visitors.page("boole")
    page.goto("/jobs")
    assert "9000" not in ids(page)
    answer = page.goto("/jobs/107")
    assert answer is not None
    assert answer.status == 404
    assert "404" in visitors.complaints.pop()


def test_a_source_that_fails_is_said_so(visitors: Visitors, demo: Served) -> None:
    """A note replaces the figure and says why; the page and the other figures are there."""
    site = demo.settings.site
    assert site is not None
    gpus, aside = site.path.parent / "gpus.parquet", site.path.parent / "aside"
    gpus.rename(aside)
    try:
        page = visitors.page("admin")
        open_job(page, "1004")
        gpu = page.locator("section.timeline", has=page.get_by_role("heading", name="GPU power"))
        expect(gpu.locator(".note")).to_contain_text(
            re.compile("Not to be had|nothing was measured")
        )
        expect(gpu.locator("figure")).to_be_hidden()  # an empty frame would look like a measured 0
        expect(gpu.locator(".legend")).to_be_hidden()
        visitors.complaints[:] = [each for each in visitors.complaints if "502" not in each]
    finally:
        aside.rename(gpus)


@pytest.mark.parametrize("path", ["/jobs?min_wra=0", "/jobs/5", "/compare?job=5&job=6"])
def test_pages_can_be_read_and_used(visitors: Visitors, path: str) -> None:
    """Labels, contrasts, headings and widths are right in light and dark, and on a phone."""
    page = visitors.page("admin")
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page, of_colours=True) == []
    page.set_viewport_size(PHONE)
    assert faults(page) == []


def test_a_job_is_found_without_a_mouse(visitors: Visitors) -> None:
    """The Tab key reaches every field and the link that skips to the content."""
    page = visitors.page("admin")
    page.goto("/jobs?user=ada")
    reached = reached_by_keyboard(page)
    assert reached[0] == "Skip to the content"
    assert {"jobid", "user", "state", "from", "to"} <= set(reached)
    assert any(name.startswith("Compare job") for name in reached)


def test_the_public_sees_no_name(visitors: Visitors) -> None:
    """The same pages show pseudonyms, and offer no search by a name."""
    page = visitors.page()
    page.goto("/jobs")
    assert page.get_by_label("User").count() == 0
    text = page.inner_text("main")
    page.goto("/jobs/5")
    page.wait_for_load_state("networkidle")
    text += page.content()
    assert not re.search(r"\b(ada|boole|curry|dirac|n0\d|train-\d+)\b", text)


def test_what_is_being_typed_is_not_lost_when_a_task_ends(visitors: Visitors, demo: Served) -> None:
    """The administration page would otherwise reload by itself to show what was counted."""
    page = visitors.page("admin")
    page.goto("/admin")
    name = page.locator("#tokens").get_by_label("Name")
    name.fill("grafana")
    assert demo.app.state.service.runner.run_next()
    expect(page.locator("[data-task]")).to_contain_text("Load the page again")
    expect(name).to_have_value("grafana")
    page.goto("/admin")
    expect(page.locator("[data-task]")).to_have_count(0)
