"""The experiment gpu-placement against the figures that its trace was published with."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.experiments.test_committed_figures import check, small

from schedlab.errors import InputError
from schedlab.experiments import find_experiment, read_experiment, run_experiment


def test_without_its_data_it_says_what_it_needs(tmp_path: Path) -> None:
    """The trace does not come with the package."""
    experiment = read_experiment(find_experiment("gpu-placement"))
    with pytest.raises(InputError, match=r"needs openb_node_list_gpu_node\.csv\.gz; give with"):
        run_experiment(experiment, tmp_path / "out", data=tmp_path)


@pytest.mark.slow
def test_one_seed_is_as_it_was_and_near_the_published_means(
    shared_data: Path, tmp_path: Path
) -> None:
    """The ten published seeds lie up to half a point from their mean, and so may ours."""
    ours = check(small("gpu-placement", 42), tmp_path, data=shared_data / "gpu")
    for policy, theirs in (("Random", 0.875), ("BestFit", 0.931), ("FGD", 0.954)):
        assert ours["openb", "original", policy, "gpu_utilisation"] == pytest.approx(
            theirs, abs=0.005
        )
