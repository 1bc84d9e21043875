"""The case sets that the guard is measured on: where each comes from, and its rows."""

from pathlib import Path

import msgspec

FOLDER = Path(__file__).parents[1] / "tests" / "corpus"
PROJECT = "/home/dev/app"
UNJUDGED_WEIGHT = 3
"""Of the real commands without a judgement every third is here, so each of them stands for three."""


class Row(msgspec.Struct, frozen=True):
    """One command, and what a guard must do about it: `block`, `allow`, or nothing that was written down before."""

    cmd: str
    expect: str = ""
    topic: str = ""
    tier: str = "core"
    cwd: str = ""
    """Where it was typed; empty for the folder of the set."""
    verdict_by_eye: str = ""
    """Of a command that agents truly ran, what an alarm about it would be: right, debatable or wrong."""
    why: str = ""

    @property
    def weight(self) -> int:
        """How many commands it stands for."""
        return 1 if self.verdict_by_eye or self.expect else UNJUDGED_WEIGHT


class CaseSet(msgspec.Struct, frozen=True):
    """Rows of one origin."""

    name: str
    source: str
    cwd: str = PROJECT
    presets: tuple[str, ...] = ("essentials",)
    is_real: bool = False
    """Whether the rows are what agents did, so that alarms are counted instead of misses."""

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.jsonl"


CASE_SETS = (
    CaseSet("commands", "rows on which the tests of public guards agree", cwd="/home/dev/project"),
    CaseSet("examined", "written by people who had not seen the policies"),
    CaseSet(
        "real",
        "commands that agents truly ran, from public transcripts",
        presets=("essentials", "strict"),
        is_real=True,
    ),
)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file, one JSON object a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Row) for line in lines if line.strip()]
