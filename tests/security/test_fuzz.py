"""A short run of the fuzzer; the long one is `python -m tests.security.fuzz`."""

import asyncio

import pytest

from tests.security.fuzz import Finding, fuzz, iter_commands, read_seeds

COUNT = 1500


@pytest.mark.parametrize("seed", [1, 2])
def test_no_mutated_command_raises_or_hangs(seed: int) -> None:
    found: list[Finding] = []
    asyncio.run(fuzz(COUNT, seed, found.append))
    assert [finding for finding in found if finding.kind != "slow"] == []


def test_the_same_seed_gives_the_same_commands() -> None:
    seeds = read_seeds()
    assert list(iter_commands(seeds, 20, 5)) == list(iter_commands(seeds, 20, 5))
    assert len(set(iter_commands(seeds, 200, 5))) > 150
