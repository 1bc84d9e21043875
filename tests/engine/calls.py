"""A sample of the corpora and of every policy's own cases, as calls of tools."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synaptic.policies import cases
from synaptic.policies.base import load_policies

CORPUS = Path(__file__).parents[1] / "corpus"
CASE_ROOT = "/home/u/project"
"""Where the cases of policies take place."""
ToolCall = tuple[str, dict[str, Any]]


def sample_calls(root: str, every: int) -> list[ToolCall]:
    """Tool names and inputs, those of the cases moved to `root`; one in `every`."""
    calls = [*_corpus_calls(), *_case_calls(root)]
    return list({json.dumps(call): call for call in calls[::every]}.values())


def _corpus_calls() -> Iterator[ToolCall]:
    for name in ("commands.jsonl", "examined.jsonl", "opinions.jsonl"):
        for line in (CORPUS / name).read_text(encoding="utf-8").splitlines():
            yield "Bash", {"command": json.loads(line)["cmd"]}


def _case_calls(root: str) -> Iterator[ToolCall]:
    for policy in load_policies().values():
        for case in cases.load_cases(policy):
            if case.event == "PreToolUse":
                given = {"command": case.bash} if case.bash is not None else case.input
                yield case.tool or "Bash", json.loads(json.dumps(given, default=str).replace(CASE_ROOT, root))
