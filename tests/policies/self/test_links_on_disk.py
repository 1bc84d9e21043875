"""Links on the disk that lead to the engine: what only reads, or takes the link away, is free."""

from pathlib import Path

import pytest

from tests.security.agent import test_links_on_disk as linked

project = linked.project


@pytest.mark.parametrize(
    "command", ["cat conf", "ls engine/bin", "cp conf copy", "rm conf", "rm up", "echo x > up/new", "mv conf c2"]
)
def test_what_only_reads_or_takes_the_link_away_is_free(project: Path, command: str) -> None:
    assert linked.decide(project, "Bash", command=command) == "allow"
