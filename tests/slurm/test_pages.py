"""The pages about a twin: one file each, complete, offline, and true to the figures."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.slurm.tiny_site import CONF, job, run

from schedlab.errors import InputError
from schedlab.slurm import SlurmHistory, SlurmSite
from schedlab.slurm.changes import changed_site, parameter_named, present_text, present_values
from schedlab.slurm.fidelity import Fidelity, fidelity_of
from schedlab.slurm.periods import part_of
from schedlab.slurm.replay import history_of, phases_of, replay_all
from schedlab.slurm.waits import AS_IT_WAS, CHANGED, TWIN
from schedlab.slurm.what_if import compare_replays

Make = Callable[..., SlurmSite]
JOBS = [
    job(number, 20.0 * number, 1 + number % 4, 600, 90.0 + 10 * (number % 5))
    for number in range(40)
]
PHASES = 3


def known(site: SlurmSite) -> SlurmSite:
    """Return the site with a past: jobs start 100 s after their submission and run for 60 s."""
    import polars as pl

    history = history_of(site)
    start_s = pl.col("submit_s") + 100.0
    details = history.details.with_columns(
        start_s=start_s, first_start_s=start_s, end_s=start_s + 60.0
    )
    return replace(site, history=SlurmHistory(history.workload, details, history.commands))


@pytest.fixture
def site(make: Make, tmp_path: Path) -> SlurmSite:
    """A site of forty jobs, also written to a folder."""
    from schedlab.slurm import write_site

    made = known(make(*JOBS))
    write_site(made, tmp_path / "site")
    return made


@pytest.fixture
def found(site: SlurmSite) -> Fidelity:
    """The fidelity of three replays."""
    return fidelity_of(site, replay_all(site, phases_of(site, PHASES)))


def body(page: str) -> str:
    """Return what a reader sees, without scripts and tags."""
    return re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL))


def test_fidelity_as_a_page(site: SlurmSite, found: Fidelity, tmp_path: Path) -> None:
    """The page has the command's figures, says what was replayed, and loads nothing."""
    path = tmp_path / "fidelity.html"
    code, said = run("fidelity", tmp_path / "site", "--phases", PHASES, "--report", path)
    assert code == 0
    assert f"written: {path}" in said.replace("\n", "")
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"<(script|img|iframe)[^>]+src=|<link[^>]+href=", page)
    assert len(re.findall(r'data-root-id="', page)) == 3
    text = body(page)
    for told in (
        "tiny",
        "22.05",
        "2001-09-09 01:46:40",
        "40 that started",
        "1.67 min",
        "batch, fast",
        "NumPy",
    ):
        assert told in text, told
    every = found.rows[0]
    assert f"{100 * every.wait_error:+.1f} %" in text
    assert f"{found.real_use:.1%}".replace("%", " %") in text
    first = found.departures[0]
    assert f"Job {first.job}: started at 2001-09-09" in text


def test_errors_are_drawn_as_they_are(found: Fidelity) -> None:
    """The height of the line at 30 s is the share that the table has, and no job is lost."""
    from schedlab.slurm.pages.figures import error_figure

    plot = error_figure(found.waits)
    data = next(each for each in plot.renderers if "mean" in each.data_source.data).data_source.data
    at = np.flatnonzero(data["x"] <= 30.0)[-1]
    assert data["mean"][at] == pytest.approx(found.rows[0].near)
    assert data["mean"][-1] == 1.0
    assert np.all(data["least"] <= data["mean"] + 1e-12)
    assert np.all(data["mean"] <= data["most"] + 1e-12)


def test_waits_over_time_are_means_of_their_minutes(site: SlurmSite, found: Fidelity) -> None:
    """Each point is the mean of the jobs that were submitted in its minute, at its date."""
    from schedlab.slurm.pages.facts import clock_of
    from schedlab.slurm.pages.figures import over_time_figure

    plot, period = over_time_figure(found.waits, clock_of(site))
    assert period == "minute"
    real, twin = (
        each.data_source.data
        for each in plot.renderers
        if "jobs" in each.data_source.data and type(each.glyph).__name__ == "Scatter"
    )
    assert real["jobs"].sum() == 40
    np.testing.assert_allclose(real["mean"][real["jobs"] > 0], 100.0)
    minute = np.floor((found.waits.submit_s + 1_000_000_000) / 60)
    own = minute == minute[0]
    waits = np.mean(found.waits.by_name[TWIN], axis=0)
    assert twin["mean"][0] == pytest.approx(waits[own].mean())
    assert twin["x"][0] == pytest.approx((minute[0] + 0.5) * 60_000)


def test_use_is_that_of_one_time(site: SlurmSite) -> None:
    """Jobs that still ran when the history was collected count until then."""
    import polars as pl

    history = history_of(site)
    last = pl.col("submit_s") < pl.col("submit_s").max()
    details = history.details.with_columns(end_s=pl.when(last).then(pl.col("end_s")))
    cut = replace(site, history=SlurmHistory(history.workload, details, history.commands))
    replays = replay_all(site, phases_of(site, 1))
    whole, known_only = fidelity_of(site, replays), fidelity_of(cut, replays)
    assert 0 < known_only.real_use < 1
    assert known_only.real_use == pytest.approx(whole.real_use, rel=0.1)
    assert known_only.twin_use.mean == pytest.approx(whole.twin_use.mean, rel=0.1)


def test_what_if_as_a_page(site: SlurmSite, tmp_path: Path) -> None:
    """The page has the changes with present values, the differences, and three lines of waits."""
    path = tmp_path / "what-if.html"
    code, said = run(
        *("what-if", tmp_path / "site", "--set", "bf_interval=5", "--add-nodes", "2:z1"),
        *("--phases", 2, "--report", path, "--json"),
    )
    assert code == 0
    rows = json.loads(said[: said.rindex("}") + 1])["rows"]
    text = body(path.read_text(encoding="utf-8"))
    assert "SchedulerParameters.bf_interval=5 instead of 30" in text
    assert "2 more nodes like z1" in text
    assert f"{rows[0]['difference']:+.1%}" in text
    low, high = rows[0]["interval"]
    assert f"{low:+.1%} to {high:+.1%}" in text


def test_what_if_draws_all_three(site: SlurmSite) -> None:
    """The figure has the past, the twin, and the changed twin."""
    from schedlab.slurm.pages.figures import waits_figure

    before = replay_all(site, phases_of(site, 2))
    compared = compare_replays(site, before, before)
    legend = [each.label.value for each in waits_figure(compared.waits).legend[0].items]
    assert legend == [AS_IT_WAS, TWIN, CHANGED]
    quantiles = compared.waits.quantiles([0, 50, 100])
    assert quantiles[AS_IT_WAS] == [100.0, 100.0, 100.0]
    assert quantiles[TWIN] == quantiles[CHANGED]


def test_a_past_that_is_not_known_is_not_drawn(make: Make, tmp_path: Path) -> None:
    """What-if needs no real starts; without them the page has only the two twins."""
    make(*JOBS)
    path = tmp_path / "what-if.html"
    code, said = run(
        "what-if", tmp_path / "site", "--set", "bf_interval=5", "--phases", 1, "--report", path
    )
    assert code == 0, said
    assert AS_IT_WAS not in re.findall(r'"value":"([^"]+)"', path.read_text(encoding="utf-8"))


def test_a_proposal_as_a_page(site: SlurmSite, tmp_path: Path) -> None:
    """The page has a verdict, guards, a table, and a diff if something is proposed."""
    pytest.importorskip("cma")
    path = tmp_path / "proposal.html"
    code, said = run(
        *("tune", tmp_path / "site", "--out", tmp_path / "out", "--generations", 1, "--phases", 1),
        *("--parameter", "bf_interval", "--guard", "max wait < 200 %", "--report", path),
    )
    assert code == 0, said
    told = json.loads((tmp_path / "out" / "proposal.json").read_text())
    assert "waits" not in told
    page = path.read_text(encoding="utf-8")
    assert told["verdict"][1:] in body(page)
    assert "max wait &lt; 200% of now" in page
    assert ('id="diff"' in page) == told["is_better"]


def test_names_are_escaped(make: Make, tmp_path: Path) -> None:
    """A cluster may have any name."""
    make(*JOBS, conf=CONF.replace("ClusterName=tiny", "ClusterName=<b>tiny"))
    path = tmp_path / "what-if.html"
    run("what-if", tmp_path / "site", "--set", "bf_interval=5", "--phases", 1, "--report", path)
    assert "<title>&lt;b&gt;tiny: what if</title>" in path.read_text(encoding="utf-8")


def test_a_twin_that_starts_nothing_is_told(site: SlurmSite) -> None:
    """Both comparisons need jobs that start."""
    (made,) = replay_all(site, phases_of(site, 1))
    never = replace(made, start_s=np.full_like(made.start_s, np.nan))
    with pytest.raises(InputError, match="no job started both in reality"):
        fidelity_of(site, [never])
    with pytest.raises(InputError, match="no job of the history starts in all replays"):
        compare_replays(site, [made], [never])


def test_other_real_runs_stand_beside_the_twin(make: Make, site: SlurmSite, tmp_path: Path) -> None:
    """They show how far Slurm differs from itself; a run of other jobs is refused."""
    from schedlab.slurm import write_site

    history = history_of(site)
    later = history.details.with_columns(start_s=history.details["start_s"] + 40.0)
    later = later.with_columns(first_start_s=later["start_s"])
    other = replace(site, history=SlurmHistory(history.workload, later))
    write_site(other, tmp_path / "other")
    path = tmp_path / "page.html"
    asked = ("fidelity", tmp_path / "site", "--phases", 1, "--replica")
    code, said = run(*asked, tmp_path / "other", "--report", path)
    assert code == 0
    told = "real replica other: mean wait 140 s (+40.0%), start ± 40 s, half of them within 40 s"
    assert told in " ".join(said.split())
    assert "Other real runs of the same jobs" in path.read_text(encoding="utf-8")
    code, said = run(*asked, tmp_path / "other", "--json")
    assert json.loads(said)["replicas"][0]["start_error_s"] == pytest.approx(40)
    write_site(part_of(site, np.arange(len(JOBS)) < 7), tmp_path / "fewer")
    code, said = run(*asked, tmp_path / "fewer")
    assert code == 2
    assert "fewer: has 7 jobs, the site 40" in " ".join(said.split())


@pytest.mark.parametrize("command", [("fidelity",), ("what-if", "--set", "bf_interval=5")])
def test_a_page_that_cannot_be_written(
    site: SlurmSite, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """The error comes before the replays."""
    path = tmp_path / "nowhere" / "page.html"
    code, said = run(command[0], tmp_path / "site", *command[1:], "--report", path)
    assert code == 2
    assert "does not exist" in said.replace("\n", " ")


def test_every_value_is_written_as_it_is_read(site: SlurmSite) -> None:
    """Setting a parameter to the value that a form shows changes nothing."""
    for name in present_values(site):
        same = changed_site(site, [f"{name}={present_text(site, name)}"])
        assert same.parameters == site.parameters, name
    assert parameter_named("bf_window")[2].metadata["kind"] == "plain minutes"
    assert present_text(site, "bf_window") == "1440"
    assert present_text(site, "PriorityMaxAge") == "7-00:00:00"


def test_replays_need_no_bokeh() -> None:
    """Only a command that makes a page loads the library that draws it."""
    code = (
        "import sys, schedlab.slurm.fidelity, schedlab.slurm.what_if, schedlab.slurm.pages; "
        "assert 'bokeh' not in sys.modules and 'cma' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


CHROMIUM = shutil.which("chromium")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_page_draws_itself_on_a_phone(site: SlurmSite, tmp_path: Path) -> None:
    """The page works offline and is no wider than the window."""
    path = tmp_path / "fidelity.html"
    assert run("fidelity", tmp_path / "site", "--phases", 1, "--report", path)[0] == 0
    told = path.read_text(encoding="utf-8").replace(
        "</body>",
        "<script>addEventListener('load', () => setTimeout(() => { document.title = 'width ' +"
        " document.documentElement.scrollWidth + ' of ' + innerWidth + ' canvas ' +"
        " document.querySelectorAll('[data-root-id]').length }, 2000))</script></body>",
    )
    path.write_text(told, encoding="utf-8")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000")
    profile = f"--user-data-dir={tmp_path}/profile"
    seen = subprocess.run(
        [str(CHROMIUM), *flags, profile, "--window-size=500,900", "--dump-dom", path.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
        text=True,
    ).stdout
    width, window = map(int, re.findall(r"<title>width (\d+) of (\d+)", seen)[0])
    assert width <= window


LOOK = """() => {
  const models = [...Bokeh.documents[0]._all_models.values()];
  const of = (type, name) =>
    models.filter((each) => each.type.endsWith(type) && each[name]).map((each) => each[name]);
  return { labels: of("Axis", "major_label_text_color"), legends: of("Legend", "label_text_color"),
           lines: of("Line", "line_color").map((each) => each.value),
           page: getComputedStyle(document.body).backgroundColor };
}"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_page_follows_the_reader_into_the_dark(site: SlurmSite, tmp_path: Path) -> None:
    """Figures follow too: they are painted once, and would stay dark on a dark page."""
    from tests.history.web.accessible import faults
    from tests.history.web.browsing import chromium

    path = tmp_path / "fidelity.html"
    assert run("fidelity", tmp_path / "site", "--phases", 1, "--report", path)[0] == 0
    with chromium() as browser:
        page = browser.new_page(color_scheme="light", viewport={"width": 1200, "height": 900})
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("canvas")
        light = page.evaluate(LOOK)
        assert "#333333" in light["lines"]
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(f"({LOOK})().labels.every((colour) => colour === '#a0a9bb')")
        dark = page.evaluate(LOOK)
        assert set(dark["legends"]) == {"#e6e9f0"}
        assert "#333333" not in dark["lines"]
        assert "#d5dae4" in dark["lines"]
        assert dark["page"] != light["page"]
        assert faults(page, of_colours=True) == []
        page.emulate_media(color_scheme="light")
        page.wait_for_function(f"({LOOK})().lines.includes('#333333')")
        assert page.evaluate(LOOK)["lines"] == light["lines"]
        assert complaints == []
