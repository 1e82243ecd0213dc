"""What if Slurm were configured differently: the form, the replays, and the result file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.history.tiny_site import SITE
from tests.history.web.served import Served, copied
from tests.slurm.tiny_site import job
from tests.slurm.tiny_site import make as make

from schedlab.cli.served_twin import ServedTwin
from schedlab.errors import InputError, ParameterError
from schedlab.history.site import read_site
from schedlab.history.web.access import Scope
from schedlab.history.web.app import create_app
from schedlab.history.web.pages.what_if import waits_table
from schedlab.history.web.plots.comparison import wait_unit, waits_figure
from schedlab.history.web.serve import ServicePlace
from schedlab.slurm import SlurmSite

PAGE = {"accept": "text/html"}
JOBS = [job(number, 20.0 * number, 1 + number % 4, 600, 90.0) for number in range(30)]
HOLDER = "schedlab.cli.served_twin:ServedTwin"


@pytest.fixture
def twin(make: Callable[..., SlurmSite], tmp_path: Path) -> ServedTwin:
    """The twin of four nodes and thirty jobs."""
    make(*JOBS)
    return ServedTwin(tmp_path / "site")


@pytest.fixture
def twinned(_made: Served, twin: ServedTwin, tmp_path: Path) -> Iterator[Served]:
    """A service with that twin."""
    own = copied(_made, tmp_path / "service")
    with_twin = Served(replace(own.settings, twin=twin))
    yield with_twin
    with_twin.close()


def posted(twin: ServedTwin, **changed: str) -> dict[str, str]:
    """Return what a browser sends: every field, some of them changed."""
    fields = {each.name: each.value for group in twin.groups().values() for each in group}
    return {**fields, "add": "", "phases": "2", "seed": "0", **changed}


def test_the_form_knows_the_present_values(twinned: Served) -> None:
    """The form has the present values in groups."""
    page = twinned.browser("root").get("/what-if/slurm", headers=PAGE).text
    assert re.search(r'name="SchedulerParameters.bf_interval" value="30"', page)
    assert re.search(r'name="PriorityMaxAge" value="7-00:00:00"', page)
    for group in ("Backfill", "Main scheduler", "Priorities", "Nodes", "Preemption"):
        assert f"<summary>{group}</summary>" in page
    assert "configuration of Slurm" in twinned.browser("root").get("/what-if", headers=PAGE).text


def test_a_what_if_of_the_twin(twinned: Served, twin: ServedTwin) -> None:
    """A what-if is replayed in the background; its URL holds it, and a file has the result."""
    root = twinned.browser("root")
    changed = {"SchedulerParameters.bf_interval": "5", "add": "1:z1"}
    answer = root.post("/what-if/slurm", data=posted(twin, **changed))
    assert answer.status_code == 303, answer.text
    place = answer.headers["location"]
    assert "set=SchedulerParameters.bf_interval=5&add=1:z1&phases=2&seed=0" in place
    assert "Replaying" in root.get(place, headers=PAGE).text
    twinned.app.state.service.runner.run_next()
    page = root.get(place, headers=PAGE).text
    assert "SchedulerParameters.bf_interval=5 instead of 30" in page
    assert "1 more node like z1" in page
    assert "Backfill (1 changed)" in page
    found = re.search(r'href="([^"]+/result)"', page)
    assert found is not None
    file = root.get(found[1])
    told = file.json()
    assert "attachment" in file.headers["content-disposition"]
    expected = twin.what_if(
        ["SchedulerParameters.bf_interval=5"], ["1:z1"], 2, 0, lambda share: None
    )
    assert told["rows"] == json.loads(json.dumps(expected["rows"]))
    assert told["settings"]["nodes"] == ["1:z1"]
    assert len(told["waits_s"]["twin"]) == 101
    sue = twinned.browser("sue").get(place, headers=PAGE).text
    assert "have not been replayed for you yet" in sue
    assert twinned.browser("sue").get(found[1]).status_code == 404


def test_the_api_gives_what_the_page_gives(twinned: Served, twin: ServedTwin) -> None:
    """A program asks, waits and reads; an operator's token is enough, and short names work."""
    sue = twinned.program("sue", [Scope.READ])
    listed = sue.get("/v1/slurm/parameters").json()["parameters"]
    offered = [each.name for group in twin.groups().values() for each in group]
    assert [each["name"] for each in listed] == offered
    question = {"changes": ["bf_interval=5"], "nodes": ["1:z1"], "phases": 2}
    asked = sue.post("/v1/slurm/what-if", json=question)
    assert asked.status_code == 202, asked.text
    task = asked.json()
    changes = ["SchedulerParameters.bf_interval=5"]
    full = {"changes": changes, "nodes": ["1:z1"], "phases": 2, "seed": 0}
    assert task["settings"] == full
    assert (task["state"], task["result"]) == ("waiting", None)
    twinned.app.state.service.runner.run_next()
    done = sue.get(f"/v1/slurm/what-if/{task['id']}").json()
    expected = twin.what_if(changes, ["1:z1"], 2, 0, lambda share: None)
    assert done["state"] == "done"
    assert done["result"] == json.loads(json.dumps(expected))
    page = twinned.browser("sue").get(f"/what-if/slurm/{task['id']}/result").json()
    assert page["rows"] == done["result"]["rows"]
    assert sue.post("/v1/slurm/what-if", json=question).json()["id"] == task["id"]
    assert (
        twinned.program("root", [Scope.READ]).get(f"/v1/slurm/what-if/{task['id']}").status_code
        == 404
    )


@pytest.mark.parametrize(
    ("question", "status", "told"),
    [
        ({}, 400, "nothing is changed"),
        ({"changes": ["bf_interval=often"]}, 400, "bf_interval"),
        ({"changes": ["bf_intervall=3"]}, 400, "near: SchedulerParameters.bf_interval"),
        ({"nodes": ["16:none"]}, 400, "no node is like"),
        ({"nodes": ["1:z1"], "phases": 1000}, 422, "phases"),
        ({"nodes": ["1:z1"], "speed": 1}, 422, "speed"),
    ],
)
def test_a_mistake_is_told_by_the_api(
    twinned: Served, question: dict[str, object], status: int, told: str
) -> None:
    """The answer is one sentence, and nothing is replayed."""
    answer = twinned.browser("root").post("/v1/slurm/what-if", json=question)
    assert answer.status_code == status
    assert told in answer.json()["detail"]
    assert not twinned.app.state.service.runner.run_next()


@pytest.mark.parametrize(
    ("waits_s", "unit"),
    [({"twin": [0.1, 9.0]}, (1, "s")), ({"twin": [0.0, 7200.0]}, (3600, "h")), ({}, (1, "s"))],
)
def test_waits_are_drawn_in_a_unit_that_suits(
    waits_s: dict[str, list[float]], unit: tuple[int, str]
) -> None:
    """If all jobs wait for seconds only, hours would be numbers with many zeros."""
    assert wait_unit(waits_s) == unit
    assert f"wait ({unit[1]})" in waits_figure(waits_s or {"none": []}).xaxis.axis_label
    assert all(unit[1] in name for name in list(waits_table(waits_s))[1:])


def test_short_names_in_an_address_fill_in_the_form(twinned: Served) -> None:
    """Short names work as in ``--set``."""
    page = twinned.browser("root").get("/what-if/slurm?set=bf_interval=7", headers=PAGE).text
    assert re.search(r'name="SchedulerParameters.bf_interval" value="7"', page)
    assert "now 30" in page


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, "nothing is changed"),
        ({"SchedulerParameters.bf_interval": "often"}, "bf_interval is"),
        ({"add": "16"}, "is not a number of nodes"),
        ({"add": "16:none"}, "no node is like"),
        ({"add": "1:z1", "phases": "none"}, "must be a whole number"),
        ({"add": "1:z1", "phases": "1000"}, "phases"),
        ({"add": "1:z1", "seed": "-1"}, "must be a whole number"),
    ],
)
def test_a_mistake_is_told_on_the_page(
    twinned: Served, twin: ServedTwin, changed: dict[str, str], told: str
) -> None:
    """The page comes back with the form as it was filled in."""
    answer = twinned.browser("root").post("/what-if/slurm", data=posted(twin, **changed))
    assert answer.status_code == 400
    assert told in answer.text.lower() or told in answer.text
    for name, value in changed.items():
        assert f'name="{name}"' in answer.text
        assert f'value="{value}"' in answer.text
    query = "set=bf_intervall=3"
    wrong = twinned.browser("root").get(f"/what-if/slurm?{query}", headers=PAGE)
    assert wrong.status_code == 400
    assert "SchedulerParameters.bf_interval" in wrong.text


def test_the_twin_tells_of_all_jobs(twinned: Served) -> None:
    """Managers may not see all jobs, so they may not use the twin."""
    assert twinned.browser("meg").get("/what-if/slurm").status_code == 403
    assert "configuration of Slurm" not in twinned.browser("meg").get("/what-if").text


def test_a_cancelled_task_goes_back_to_its_settings(twinned: Served, twin: ServedTwin) -> None:
    """A cancelled task is not replayed."""
    root = twinned.browser("root")
    place = root.post("/what-if/slurm", data=posted(twin, add="1:z1")).headers["location"]
    task = re.search(r'action="([^"]+/cancel)"', root.get(place, headers=PAGE).text)
    assert task is not None
    assert root.post(task[1]).headers["location"] == place
    assert not twinned.app.state.service.runner.run_next()
    assert "Cancelled." in root.get(place, headers=PAGE).text


def test_what_stops_the_progress_stops_the_replays(twin: ServedTwin) -> None:
    """A task that is no longer wanted ends soon."""

    def stop(share: float) -> None:
        raise KeyError(share)

    with pytest.raises(KeyError):
        twin.what_if(["bf_interval=5"], [], 2, 0, stop)


def test_a_folder_that_was_imported_again_is_read_again(
    twin: ServedTwin, make: Callable[..., SlurmSite]
) -> None:
    """The next what-if uses the new history."""
    before = twin.version()
    make(*JOBS[:10])
    assert twin.version() != before
    assert twin.what_if(["bf_interval=5"], [], 1, 0, lambda share: None)["jobs"] == 10


def test_the_site_file_names_the_folder(twin: ServedTwin, tmp_path: Path) -> None:
    """The path starts at the site file's folder; the service makes the twin that it is given."""
    path = tmp_path / "site.toml"
    path.write_text(SITE.replace("[site]", '[slurm]\nsite = "site"\n\n[site]', 1))
    assert ServicePlace(site=str(path)).settings().twin is None
    made = ServicePlace(site=str(path), twin=HOLDER).settings().twin
    assert made is not None
    assert made.groups() == twin.groups()


def test_a_folder_that_is_none_is_met_at_the_start(served: Served, tmp_path: Path) -> None:
    """The fault is found at the start, not at the first request."""
    with pytest.raises(InputError, match="no site folder with a history"):
        create_app(replace(served.settings, twin=ServedTwin(tmp_path / "nowhere")))


def test_a_wrong_section_is_told(tmp_path: Path) -> None:
    """Unknown keys are errors."""
    path = tmp_path / "site.toml"
    path.write_text(f'{SITE}\n[slurm]\nfolder = "site"\n')
    with pytest.raises((InputError, ParameterError), match="slurm"):
        read_site(path)
