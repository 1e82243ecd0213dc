"""The first agent of docs/learn/environments.md, by seed: ``python -m benchmarks.first_agent``.

Trains it as the page does and compares it with rules on the page's thirty unseen draws; writes
``benchmarks/first_agent.json``.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from statistics import fmean
from typing import Any

from schedlab import simulate

PAGE = Path(__file__).parents[1] / "docs/learn/environments.md"
OUT = Path(__file__).with_name("first_agent.json")
RULES = ("easy", "sjf+easy", "saf+easy")
SEEDS = (1, 2, 3)


def main() -> None:
    """Train by every seed, and compare."""
    found: dict[str, Any] = {}
    for seed in SEEDS:
        began, names = time.process_time(), dict[str, Any]()
        train, compare = blocks()
        exec("import numpy as np\n" + train.replace("seed=1,", f"seed={seed},"), names)
        spent_s = time.process_time() - began
        exec(compare, names)
        agent = names["as_policy"](names["model"], names["batch"])
        for policy in (*RULES, agent) if seed == SEEDS[0] else (agent,):
            name = policy if isinstance(policy, str) else f"learned, seed {seed}"
            values = [
                names["slowdown"].value(simulate(jobs, 16, policy)) for jobs in names["unseen"]
            ]
            found[name] = {"mean": round(fmean(values), 2), "draws": [round(v, 3) for v in values]}
            if name != policy:
                found[name]["training_cpu_s"] = round(spent_s, 1)
            print(name, {key: found[name][key] for key in found[name] if key != "draws"})
    OUT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def blocks() -> tuple[str, str]:
    """Return the code of the page's training, and of its comparison."""
    text = PAGE.read_text(encoding="utf-8").partition("## A first agent")[2]
    train, compare, *_ = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return train, compare


if __name__ == "__main__":
    main()
