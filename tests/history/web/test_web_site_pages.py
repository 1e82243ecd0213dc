"""Users and groups, Cluster, What if and Administration in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import func, select
from tests.history.web.accessible import faults
from tests.history.web.browsing import Visitors, needs_chromium
from tests.history.web.served import Served

from schedlab import simulate
from schedlab.history.store import Store
from schedlab.history.store.tables import jobs
from schedlab.history.to_workload import workload_of
from schedlab.platform import Platform
from schedlab.units import short_duration

pytestmark = [pytest.mark.slow, needs_chromium]


@pytest.fixture(scope="module", autouse=True)
def _simulating(demo: Served) -> Iterator[None]:
    """Run the part of the service that works in the background."""
    runner = demo.app.state.service.runner
    runner.start()
    yield
    runner.stop()


def open_drawn(page: Page, path: str) -> None:
    """Open the page, and wait until its tasks have reloaded it and all figures are drawn."""
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == 200
    expect(page.locator("[data-task]")).to_have_count(0, timeout=300_000)
    figures = page.locator("figure.plot")
    expect(page.locator("figure.plot[data-drawn]")).to_have_count(figures.count())


@pytest.mark.parametrize(
    ("account", "path"),
    [
        ("admin", "/users"),
        ("ada", "/users/ada"),
        ("leader", "/groups/group1?period=day"),
        ("admin", "/cluster"),
        ("leader", "/what-if"),
        ("helpdesk", "/alerts"),
        ("helpdesk", "/efficiency"),
        ("leader", "/reports?period=month"),
        ("admin", "/admin"),
    ],
)
def test_a_page_can_be_used(visitors: Visitors, account: str, path: str) -> None:
    """Labels, contrast and width are right in light and dark, and on a phone."""
    page = visitors.page(account, color_scheme="light")
    open_drawn(page, path)
    assert faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page, of_colours=True) == []
    page.set_viewport_size({"width": 390, "height": 844})
    for _ in range(50):  # figures follow the window a moment later
        found = faults(page)
        if not found:
            break
        page.wait_for_timeout(100)
    assert found == []


def test_advice_is_asked_for_and_given(visitors: Visitors, demo: Served) -> None:
    """A user has the past simulated; the page shows the wait of a direct simulation."""
    page = visitors.page("boole")
    open_drawn(page, "/users/boole")
    page.get_by_role("button", name="Simulate").click()
    verdict = page.locator("#advice .verdict")
    expect(verdict).to_contain_text("in simulation")
    with Store.open(demo.settings.store) as store:
        workload = workload_of(store)
    own = workload.labelled("user") == "boole"
    wait_s = simulate(workload, machine(demo), "easy").wait_s[own].mean()
    expect(verdict).to_contain_text(short_duration(wait_s))
    expect(page.locator("#advice")).to_contain_text("The past is no promise")
    expect(page.locator("figure.plot[data-drawn]")).to_have_count(4)


def machine(demo: Served) -> Platform:
    """Return the cluster of the miniature site, as its file describes it."""
    assert demo.settings.site is not None
    return demo.settings.site.platform().only("mini")


def choose_all_of_it(page: Page, demo: Served) -> None:
    """Fill the window with the whole history of the miniature site."""
    with demo.database.reading() as connection:
        span = connection.execute(select(func.min(jobs.c.queue_s), func.max(jobs.c.end_s)))
        first_s, last_s = span.one()
    for field, at_s in (("From", first_s - 60), ("To", last_s + 60)):
        filled = page.evaluate("at => new Date(1000 * at).toISOString().slice(0, 16)", at_s)
        page.get_by_label(field, exact=True).fill(filled)


def test_what_if_is_asked_and_answered(visitors: Visitors, demo: Served) -> None:
    """A wrong name is answered with the nearest one; the result stands beside what happened."""
    page = visitors.page("admin", timezone_id="UTC")
    page.goto("/what-if")
    page.get_by_text("By name").click()
    page.get_by_label("Further policies").fill("eazy")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Simulate").click()
    expect(page.get_by_role("alert")).to_contain_text('did you mean "easy"?')
    visitors.complaints.clear()  # the browser has noted the answer 400 on its console
    page.get_by_label("Further policies").fill("")
    choose_all_of_it(page, demo)
    page.get_by_label("none").check()
    page.get_by_label("sjf").uncheck()
    expect(page.get_by_text("2 policies")).to_be_visible()
    page.get_by_role("button", name="Simulate").click()
    rows = page.locator("#result tbody tr")
    expect(rows).to_have_count(3)
    expect(page.locator("figure.plot[data-drawn]")).to_have_count(2)
    expect(page.locator("#machine")).to_contain_text(
        "jobs asked for part of a node; simulated as shared"
    )
    with Store.open(demo.settings.store) as store:
        workload = workload_of(store)
    for place, policy in ((1, "fcfs"), (2, "easy")):
        wait_s = simulate(workload, machine(demo), policy).wait_s.mean()
        expect(rows.nth(place)).to_contain_text(policy)
        expect(rows.nth(place)).to_contain_text(short_duration(wait_s))
    page.get_by_role("link", name=re.compile("^20")).first.click()
    expect(page.locator("#result")).to_be_visible()


def test_a_slider_is_moved_by_keys_and_by_its_field(visitors: Visitors) -> None:
    """Both have the same value, and the slider gives it to screen readers."""
    page = visitors.page("leader")
    page.goto("/what-if")
    slider, field = page.get_by_label("Depth, slider"), page.get_by_label("Depth", exact=True)
    expect(slider).to_have_attribute("aria-valuetext", "all")
    slider.press("ArrowLeft")
    expect(field).to_have_value("1000")
    slider.press("Home")
    expect(field).to_have_value("1")
    field.fill("60")
    expect(slider).to_have_attribute("aria-valuetext", "60")
    expect(slider).to_have_value("5")
    field.fill("")
    expect(slider).to_have_attribute("aria-valuetext", "all")


def test_results_are_linked_taken_away_and_compared(visitors: Visitors, demo: Served) -> None:
    """The URL brings the result back, files are downloaded, and two results are side by side."""
    page = visitors.page("helpdesk", timezone_id="UTC", viewport={"width": 1200, "height": 900})
    page.goto("/what-if")
    choose_all_of_it(page, demo)
    page.get_by_role("button", name="Simulate").click()
    expect(page.locator("#result")).to_be_visible()
    linked = page.url
    page.get_by_text("Settings", exact=True).first.click()
    page.get_by_label("whole, one job each").check()
    page.get_by_role("button", name="Simulate").click()
    expect(page.locator("#machine")).to_contain_text("as whole nodes")
    for name, suffix in (("Parquet", "parquet"), ("SVG", "svg")):
        with page.expect_download() as started:
            page.get_by_role("link", name=name, exact=True).click()
        assert started.value.suggested_filename.endswith(suffix)
    for box in page.get_by_label(re.compile("Compare the result")).all():
        box.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("columnheader", name=re.compile("Result"))).to_have_count(2)
    expect(page.locator("figure.plot[data-drawn]")).to_have_count(1)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert faults(page) == []
    page.goto(linked)
    expect(page.locator("figure.plot[data-drawn]")).to_have_count(2)
    assert faults(page) == []


def test_the_cluster_is_looked_at_in_time(visitors: Visitors) -> None:
    """The form chooses the time; dragging zooms all figures together."""
    page = visitors.page("admin", viewport={"width": 1200, "height": 900})
    open_drawn(page, "/cluster")
    page.get_by_label("From").fill("2026-01-05T00:00")
    page.get_by_label("To").fill("2026-01-06T00:00")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("figure.plot[data-drawn]")).to_have_count(1)
    assert "from=2026-01-05T00%3A00" in page.url
    ranges = "() => Bokeh.documents[0].roots()[0].children.map(each => each.x_range.start)"
    before = page.evaluate(ranges)
    assert len(before) == 5
    box = page.locator("figure.plot").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 400, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 700, box["y"] + 60, steps=5)
    page.mouse.up()
    after = page.evaluate(ranges)
    assert len(set(after)) == 1
    assert after[0] > before[0]
    page.get_by_role("link", name="earlier").click()
    expect(page.get_by_label("To")).to_have_value("2026-01-05T00:00")


def test_support_sees_what_was_held_and_not_used(visitors: Visitors) -> None:
    """The page lists jobs with better requests, idle GPUs and users, with links to their pages."""
    page = visitors.page("helpdesk")
    page.goto("/efficiency")
    worst = page.locator("table.wasted tbody tr").first
    expect(worst.locator(".words")).to_contain_text("ask for")
    assert page.get_by_role("group", name="Users").locator("tbody tr").count() == 4
    idle = page.get_by_role("group", name="Idle GPUs").locator("tbody tr")
    assert idle.count() > 0
    idle.first.get_by_role("link").first.click()
    expect(page.locator(".advice")).to_contain_text("ask for none")
    assert page.locator(".footprint.poor").count() >= 1
    own = visitors.page("ada")
    own.goto("/efficiency")
    users = own.locator("table.wasted td[data-label=User]").all_inner_texts()
    assert set(users) == {"ada"}
    assert own.get_by_role("group", name="Users").count() == 0


@pytest.mark.parametrize(("kind", "begins"), [("HTML", b"<!doctype html>"), ("PDF", b"%PDF-")])
def test_a_report_is_looked_at_and_taken_along(
    visitors: Visitors, kind: str, begins: bytes
) -> None:
    """Users see their own report; it comes as a file, too, and other weeks are a click away."""
    page = visitors.page("ada")
    page.goto("/reports?date=2026-01-07")
    expect(page.get_by_role("heading", level=1)).to_have_text("Report on user ada")
    ended = page.locator("tr", has_text="Jobs that ended").first.locator("td").first
    assert int(ended.inner_text()) > 0
    expect(page.get_by_text("Cost")).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("link", name=f"{kind} file").click()
    assert taken.value.suggested_filename == f"report-user-ada-2026-W02.{kind.lower()}"
    assert Path(taken.value.path()).read_bytes().startswith(begins)
    page.get_by_role("link", name="later").click()
    expect(page.get_by_text("12 January to 18 January 2026")).to_be_visible()


@pytest.mark.parametrize("width", [400, 600, 820])
def test_no_column_of_a_mailed_report_is_cut_off(visitors: Visitors, width: int) -> None:
    """Mail programs show a page 600 pixels wide, and do not scroll sideways in it."""
    page = visitors.page("admin", viewport={"width": width, "height": 800})
    answer = page.request.get("/reports/file?format=html")
    page.set_content(answer.text())
    expect(page.get_by_role("columnheader", name="Cost").last).to_be_visible()
    widths = page.locator(".scroll, html").evaluate_all(
        "all => all.map((each) => [each.scrollWidth, each.clientWidth])"
    )
    assert len(widths) == 3
    assert all(whole <= shown for whole, shown in widths), widths


def test_a_report_leads_to_times_that_have_come(visitors: Visitors) -> None:
    """There is no report after a week that is not over."""
    page = visitors.page("admin")
    page.goto("/reports?date=2026-01-05")
    expect(page.get_by_role("link", name="later")).to_be_visible()
    page.goto(f"/reports?date={date.today()}")
    expect(page.get_by_role("link", name="earlier")).to_be_visible()
    expect(page.get_by_role("link", name="later")).to_have_count(0)


def test_a_bar_at_one_percent_is_not_green(visitors: Visitors) -> None:
    """The list shows poor use at a glance, also to those who see no colours."""
    page = visitors.page("helpdesk")
    page.goto("/jobs?jobid=1057")
    poor = page.locator("td[data-label=GPU] .footprint")
    expect(poor).to_contain_text("1 %, poor")
    colours = page.evaluate(
        """() => ["GPU", "CPU"].map((label) => getComputedStyle(
             document.querySelector(`td[data-label=${label}] rect.part`)).fill)"""
    )
    assert colours == ["rgb(179, 38, 30)", "rgb(27, 127, 75)"]


def test_colours_of_users_are_explained(visitors: Visitors) -> None:
    """A legend above the figure names each user's colour, users with the most work first."""
    page = visitors.page("admin")
    open_drawn(page, "/cluster")
    legend = page.get_by_role("list", name="Users").get_by_role("listitem")
    assert sorted(legend.all_inner_texts()) == ["ada", "boole", "curry", "dirac"]
    colours = [each.locator("rect").get_attribute("fill") for each in legend.all()]
    drawn = page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
             .filter((model) => model.type === "ColumnDataSource" && model.data.colour)
             .flatMap(({ data }) => data.user.map((user, at) => [user, data.colour[at]]))"""
    )
    assert {tuple(pair) for pair in drawn} == set(
        zip(legend.all_inner_texts(), colours, strict=True)
    )


@pytest.mark.parametrize("path", ["/cluster", "/users/ada?period=day"])
def test_a_table_stands_behind_each_figure(visitors: Visitors, path: str) -> None:
    """The table opens without a mouse, and has a header for each column and row."""
    page = visitors.page("admin")
    open_drawn(page, path)
    tables = page.locator("details.values")
    expect(tables).to_have_count(page.locator("figure.plot").count())
    for table in tables.all():
        table.locator("summary").press("Enter")
        expect(table.locator("thead th[scope=col]").nth(1)).to_be_visible()
        assert 0 < table.locator("tbody th[scope=row]").count() <= 24


def test_what_a_phone_cuts_off_is_seen_to_be(visitors: Visitors) -> None:
    """Tables have a shadow where they go on, and dates on an axis do not overlap."""
    page = visitors.page("admin", viewport={"width": 400, "height": 800})
    page.goto("/users")
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".scroll")]
             .filter((each) => each.scrollWidth > each.clientWidth)
             .map((each) => getComputedStyle(each).backgroundAttachment)"""
    )
    assert cut
    assert set(cut) == {"local, local, scroll, scroll"}
    open_drawn(page, "/cluster")
    policies = page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
             .filter((model) => model.type === "DatetimeAxis")
             .map((model) => model.major_label_policy.type)"""
    )
    assert set(policies) == {"NoOverlap"}


def test_what_was_asked_over_what_was_used_is_explained(visitors: Visitors) -> None:
    """The ratio is not the inverse of the WRA beside it: long jobs count more."""
    page = visitors.page("ada")
    open_drawn(page, "/users/ada")
    expect(page.locator("main")).to_contain_text("all time asked for over all time used")
    expect(page.get_by_title("over all that they ran")).to_have_text("Asked / used")


def test_one_goes_from_the_list_to_a_user(visitors: Visitors) -> None:
    """The list links to a page for each user, where the period is chosen."""
    page = visitors.page("helpdesk")
    page.goto("/users")
    page.get_by_role("link", name="curry").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("curry")
    page.get_by_role("link", name="by day").click()
    assert page.url.endswith("?period=day")
    expect(page.locator("figure.plot[data-drawn]")).to_have_count(4)


def test_the_public_sees_use_without_names(visitors: Visitors) -> None:
    """Pseudonyms have no links, and neither what-ifs nor administration are offered."""
    page = visitors.page()
    page.goto("/users")
    expect(page.locator("tbody tr").first).to_contain_text("user-")
    assert page.locator("tbody a").count() == 0
    open_drawn(page, "/cluster")
    # Pseudonyms come from a random key and may have any letters; so may encoded numbers.
    told = re.sub(r"\b(user|group|node)-[a-z2-7]+|[\w+/]{24,}=*", "", page.content())
    assert not {"ada", "boole", "n01"} & set(re.findall(r"\w+", told))
    offered = page.locator("header nav a").all_text_contents()
    assert "Cluster" in offered
    assert not {"What if", "Administration"} & set(offered)


def test_a_user_sees_own_bars_only(visitors: Visitors) -> None:
    """Other users' jobs are in the load, and nowhere else."""
    page = visitors.page("ada")
    open_drawn(page, "/cluster")
    gantt = page.locator("figure.plot script").text_content() or ""
    assert '"ada"' in gantt
    assert '"boole"' not in gantt
    assert "What if" not in page.locator("header nav a").all_text_contents()


def test_an_administrator_makes_and_withdraws_a_token(visitors: Visitors) -> None:
    """The token is shown once, and is gone from the page afterwards."""
    page = visitors.page("admin")
    open_drawn(page, "/admin")
    section = page.locator("#tokens")
    section.get_by_label("Name").fill("grafana")
    section.get_by_role("button", name="Make a token").click()
    expect(page.locator(".secret")).to_have_text(re.compile("^schedlab_"))
    page.get_by_role("button", name="Withdraw the token grafana").click()
    expect(page.get_by_role("button", name="Withdraw the token grafana")).to_have_count(0)
    assert page.locator(".secret").count() == 0


def test_an_administrator_makes_and_shuts_an_account(visitors: Visitors) -> None:
    """The administrator uses the form below the list."""
    page = visitors.page("admin")
    open_drawn(page, "/admin")
    section = page.locator("#accounts")
    section.get_by_label("Name").fill("emmy")
    section.get_by_label("Role").select_option("manager")
    section.get_by_label("Groups").fill("group2")
    section.get_by_role("button", name="Add or change").click()
    page.get_by_role("button", name="Block the account emmy").click()
    expect(page.get_by_role("button", name="Allow the account emmy")).to_be_visible()
    page.get_by_role("button", name="Remove the account emmy").click()
    expect(page.locator("#accounts tbody")).not_to_contain_text("emmy")
