"""The examples on the page about the API, run against the miniature site."""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.history.web.listening import listening
from tests.history.web.served import Served
from tests.test_documents import COMMAND, FENCE, ROOT

from schedlab.errors import ServiceError
from schedlab.history import Client
from schedlab.history.demo import store_demo
from schedlab.history.web.settings import ServiceSettings

PAGE = (ROOT / "docs" / "guides" / "history-api.md").read_text(encoding="utf-8")
AT = "http://127.0.0.1:8080"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The URL at which the miniature site listens, and a token."""
    folder: Path = tmp_path_factory.mktemp("demo")
    site = store_demo(folder)
    served = Served(ServiceSettings(site.store.located(folder), site))
    token = served.program().headers["authorization"].removeprefix("Bearer ")
    with listening(served.app) as url:
        yield url, token
    served.close()


def blocks(language: str) -> list[str]:
    """Return the page's blocks in this language."""
    return [each["text"] for each in FENCE.finditer(PAGE) if each["language"] == language]


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")), reason="curl or jq is missing"
)
def test_the_commands_print_what_is_shown(demo: tuple[str, str]) -> None:
    """In the output shown, ``...`` stands for any text."""
    url, token = demo
    commands = [each for block in blocks("console") for each in COMMAND.finditer(block)]
    assert len(commands) > 8
    for each in commands:
        done = subprocess.run(
            ["bash", "-c", each["command"].replace(AT, url)],
            env={**os.environ, "TOKEN": token},
            capture_output=True,
            text=True,
        )
        printed = done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"
        agrees = doctest.OutputChecker().check_output(each["shown"], printed, doctest.ELLIPSIS)
        assert agrees, f"$ {each['command']}\n{printed}{done.stderr}"


@pytest.mark.slow
def test_accelerators_have_timelines_of_their_own(demo: tuple[str, str]) -> None:
    """The record has the address of each timeline; an item of the host itself has no device."""
    url, token = demo
    with Client(url, token) as service:
        host = service.job("1020")["per_host"][0]
        assert service.timeline(host["accelerator"][1]["power_watt"]).height > 0
        place = f"timelines/mini/1020/{host['node_id']}"
        for wrong in ("power_watt/0", "accelerator.power_watt/9", "accelerator.power_wat/0"):
            with pytest.raises(ServiceError, match="not found, or you have no permission"):
                service.timeline(f"{place}/{wrong}")
        with pytest.raises(ServiceError, match="of a device"):
            service.timeline(f"{place}/accelerator.power_watt")


@pytest.mark.slow
def test_the_client_does_what_is_shown(demo: tuple[str, str]) -> None:
    """Every line of the Python example gives a result."""
    url, token = demo
    (text,) = blocks("python")
    names = {"TOKEN": token}
    exec(compile(text.replace(AT, url), "page", "exec"), names)
    for name in ("jobs", "power", "by_group"):
        assert names[name].height > 0  # type: ignore[attr-defined]
    assert len(names["slow"]) > 70
