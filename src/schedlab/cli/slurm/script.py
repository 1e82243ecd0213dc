"""schedlab slurm script."""

from __future__ import annotations

EXAMPLES = ("schedlab slurm script > collect-slurm.sh",)


def script() -> None:
    """Print a shell script that collects a dump on the cluster; it needs read access only."""
    from importlib.resources import files

    print((files("schedlab.slurm") / "collect-slurm.sh").read_text(encoding="utf-8"), end="")
