"""Host lists, compared with ClusterShell, with which many sites fold theirs."""

from __future__ import annotations

import re

import pytest
from ClusterShell.NodeSet import NodeSet
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.platform.hostlist import expand_hosts, fold_hosts

names = st.builds(
    lambda rack, number, width, tail: f"{rack}{number:0{width}d}{tail}",
    st.sampled_from(["n", "gpu-", "r2c", "node"]),
    st.integers(0, 120),
    st.integers(1, 3),
    st.sampled_from(["", "-ib", ".cluster"]),
)
host_sets = st.lists(st.one_of(names, st.sampled_from(["login", "mds"])), max_size=40)


def test_the_notation_of_schedulers() -> None:
    """Ranges keep their width, numbers without a bracket stand for themselves."""
    assert expand_hosts("n[01-03,12],g2") == ("n01", "n02", "n03", "n12", "g2")
    assert expand_hosts("r[1-2]n[9-10]-ib") == ("r1n9-ib", "r1n10-ib", "r2n9-ib", "r2n10-ib")
    assert expand_hosts(" n1 , n2 ") == ("n1", "n2")
    assert expand_hosts("") == ()


def test_folding_names_runs_of_numbers() -> None:
    """A list that an operator reads has ranges, not every node."""
    assert fold_hosts(["n03", "n01", "n02", "g2", "n12"]) == "g2,n[01-03,12]"
    assert fold_hosts(["n9", "n10", "n11"]) == "n[9-11]"
    assert fold_hosts(["login"]) == "login"


@given(host_sets)
def test_folding_and_expanding_give_back_the_names(hosts: list[str]) -> None:
    """Nothing may be lost or invented, whatever the widths."""
    assert sorted(expand_hosts(fold_hosts(hosts))) == sorted(set(hosts))


@given(host_sets)
def test_clustershell_reads_what_we_fold(hosts: list[str]) -> None:
    """A host list must mean the same to the tools of the site."""
    assert set(NodeSet(fold_hosts(hosts))) == set(hosts)


@given(host_sets)
def test_we_read_what_clustershell_folds(hosts: list[str]) -> None:
    """This holds also where it folds in several dimensions, which we write out."""
    assert set(expand_hosts(str(NodeSet.fromlist(hosts)))) == set(hosts)


@pytest.mark.parametrize(
    "text", ["n[1-3", "n1]", "n[3-1]", "n[a-b]", "n1,,n2", "n[1-9999999]", "n[]"]
)
def test_a_broken_list_is_an_error_that_quotes_it(text: str) -> None:
    """Half a host list would put a job's energy on the wrong nodes."""
    with pytest.raises(InputError, match=re.escape(repr(text))):
        expand_hosts(text)
