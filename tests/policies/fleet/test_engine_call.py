"""Which shell calls are calls of the engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts, with_command
from synaptic.policies.fleet.engine_call import classify_engine_call

NAMES = ("synaptic", "engine")


def called(command: str, tool: str = "Bash") -> str:
    event = PreToolUse(tool_name=tool, tool_input={"command": command}, cwd="/p")
    return classify_engine_call(event, with_command(Facts(root="/p", home="/h"), event), NAMES)


@pytest.mark.parametrize(
    "command",
    [
        "synaptic effort log done",
        "  synaptic effort log <<'EOF'\n## a\nrm -rf /\nEOF\n",
        "/home/u/.local/bin/synaptic effort log done",
        "cd a && cd b && synaptic effort log done",
        "echo '## done' | synaptic effort log",
        "cat notes.md | synaptic effort log",
        "synaptic effort log < notes.md",
        "synaptic effort log done; true",
        "synaptic effort log a && synaptic effort phase '2: B' && echo ok",
        "bash -lc 'cd src && synaptic effort log done'",
        "AGENT_ID=a synaptic effort log done",
        "engine log done",
    ],
)
def test_what_writes_to_the_log(command: str) -> None:
    """S3-141, S3-144"""
    assert called(command) == "log"


@pytest.mark.parametrize(
    "command",
    ["synaptic effort show", "synaptic effort log --help", "synaptic log", "engine session x", "synaptic --version"],
)
def test_what_neither_counts_nor_sets_back(command: str) -> None:
    """S3-141"""
    assert called(command) == "other"


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "echo engine log",
        "echo synaptic effort log",
        "grep -r engine src",
        "cat synaptic.md",
        "synaptic effort log done && make",
        "make && synaptic effort log done",
        "make | synaptic effort log",
        "synaptic effort log $(make)",
        "synaptic effort show > out.txt",
        "cat big.txt; synaptic effort log done",
        "ssh host synaptic effort log done",
        "docker exec box synaptic effort log done",
        "$RUN synaptic effort log done",
        "synaptic-other effort log",
        "synaptic effort log 'never closed",
        "bash -c 'synaptic effort log done; make'",
        "bash -c",
    ],
)
def test_what_counts_like_any_other_call(command: str) -> None:
    """S3-141"""
    assert called(command) == ""


def test_only_a_shell_can_call_it() -> None:
    assert called("synaptic effort log done", tool="Read") == ""


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=60))
def test_no_text_is_too_strange(text: str) -> None:
    assert called(f"synaptic {text}") in ("", "log", "other")


@given(
    st.sampled_from(["make", "pytest -q", "rm x", "curl http://localhost", "python run.py"]),
    st.sampled_from([";", "&&", "||", "|", "&"]),
)
def test_work_beside_the_log_is_still_work(work: str, operator: str) -> None:
    assert called(f"synaptic effort log done {operator} {work}") == ""
    assert called(f"{work} {operator} synaptic effort log done") == ""
