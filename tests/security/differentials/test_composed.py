"""Constructions, alone and composed, really run in bash, dash and zsh and compared with the verdict"""

import itertools
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.differentials.compose import PAYLOADS, TEMPLATES, compose, iter_random
from tests.security.differentials.sandbox import Sandbox, find_missing

COMPOSITIONS = 150
"""How many a run of the suite looks at; `python -m tests.security.differentials` goes on for hours."""
SAMPLED = 40


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if missing := find_missing():
        problem = f"the sandbox needs: {', '.join(missing)}"
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail(problem)
        pytest.skip(problem)
    with Sandbox() as made:
        yield made


@pytest.mark.parametrize(("name", "payload"), list(zip(TEMPLATES, itertools.cycle(PAYLOADS), strict=False)))
def test_a_construction_that_does_damage_is_not_allowed(sandbox: Sandbox, name: str, payload: str) -> None:
    run = sandbox.run(compose(payload, (name,)).text)
    assert not run.is_through, f"{run.text!r} did {run.damage}"


@pytest.mark.parametrize("seed", range(COMPOSITIONS))
def test_a_composition_that_does_damage_is_not_allowed(sandbox: Sandbox, seed: int) -> None:
    run = sandbox.run(next(iter_random(seed)).text)
    assert not run.is_through, f"{run.text!r} did {run.damage}"


def test_the_rows_that_are_written_down_do_what_they_say(sandbox: Sandbox) -> None:
    """Not every program is on every machine; but a sandbox in which little happens proves nothing."""
    files = sorted(Path(__file__).parent.glob("*.toml"))
    rows = [row["text"] for file in files for row in tomllib.loads(file.read_text("utf-8")).get("command", [])]
    sample = rows[:: len(rows) // SAMPLED]
    assert sum(bool(sandbox.run(text).damage) for text in sample) > len(sample) * 0.7
