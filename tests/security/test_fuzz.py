"""A short run of the fuzzer; the long one is `python -m tests.security.fuzz`."""

import asyncio
from pathlib import Path

import pytest

from tests.security.fuzz import Finding, Subject, _send_timed, fuzz, iter_commands, read_seeds, run_shares, summarize

COUNT = 1500
FOUND = {
    "moves onto moves": "mkdir -p old" + " && mv * old/d" * 50,
    "a guess in what is no shell": "${a:-git diff HEAD | git apply -R -}",
    "a quote that does not end": "g$'it show HEAD:README.md | tee -a README.md",
    "many empty stages": "do/null" + ">|" * 9_000,
    "blanks in code": """python3 -c 'import os; os.system("bash -c 'alias c=cp; c a src/b.py'")'""" + "\r" * 20_000,
    "backslashes with an escape": "bash -c 'ls' '\\x72" + "\\" * 20_000,
    "substitutions in one another": "$nohup (" + "$(" * 16 + "-exec " + "$((" * 16 + "curl $%{a?/git }" + ")" * 40,
    "searches in searches": "find . a b c -exec " * 400,
    "one list for many deletions": "git status | " * 60 + "rm -rf x | " * 700 + "cat",
    "a name that no file system has": "git add -f build/o.\udfffjs",
}
"""What millions of commands have found."""


@pytest.mark.parametrize("seed", [1, 2])
def test_no_mutated_command_raises_or_hangs(seed: int) -> None:
    found: list[Finding] = []
    asyncio.run(fuzz(COUNT, seed, found.append))
    assert [finding for finding in found if finding.kind != "slow"] == []


@pytest.mark.parametrize("command", FOUND.values(), ids=FOUND)
def test_what_was_found_once_is_not_found_again(command: str, tmp_path: Path) -> None:
    found, seconds = asyncio.run(_send_timed(Subject(tmp_path), command))
    assert found == []
    assert seconds < 5


def test_the_same_seed_gives_the_same_commands() -> None:
    seeds = read_seeds()
    assert list(iter_commands(seeds, 20, 5)) == list(iter_commands(seeds, 20, 5))
    assert len(set(iter_commands(seeds, 200, 5))) > 150


def test_several_processes_send_all_commands_between_them(capfd: pytest.CaptureFixture[str]) -> None:
    found = run_shares(21, 3, 2)
    told = capfd.readouterr().err
    assert [finding for finding in found if finding.kind != "slow"] == []
    assert "fuzz 1: 11 of 11 commands" in told
    assert "fuzz 2: 10 of 10 commands" in told


def test_slow_commands_are_told_at_the_end_with_the_slowest_first() -> None:
    found = [Finding("slow", "a", "0.30 s"), Finding("policy x", "b"), Finding("slow", "c", "1.20 s")]
    assert summarize(9, found).splitlines() == [
        "9 commands, 1 exceptions and hangs, 2 slow",
        "1.20 s: 'c'",
        "0.30 s: 'a'",
    ]
