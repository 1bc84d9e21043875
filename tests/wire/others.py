"""Recorded calls of Copilot, Cline, OpenCode, Cursor and Amp: `python -m tests.wire.others` writes the goldens anew."""

import json
from functools import cache
from pathlib import Path

from synaptic.model.call import Call, Request
from synaptic.wire.adapters import adapter
from tests.wire.answers import SITUATIONS
from tests.wire.foreign import LEFT_OUT, answered

HERE = Path(__file__).parent
AGENTS = ("copilot", "cline", "opencode", "cursor", "amp")
GOLDEN = HERE / "other_answers.json"


@cache
def calls(agent: str) -> dict[str, Call]:
    """Every recorded call by the name of its file; those of Cursor are written after its documentation."""
    files = sorted((HERE / agent).rglob("*.json"))
    return {str(file.relative_to(HERE / agent).with_suffix("")): _decoded(agent, file) for file in files}


def _decoded(agent: str, file: Path) -> Call:
    data, env = file.read_bytes(), {}
    if agent == "amp":
        found = json.loads(data)
        data, env = json.dumps(found["stdin"]).encode(), found["env"]
    named = file.name.partition(".")[0] if agent == "copilot" else ""
    return adapter(agent).decode(Request(agent, named or ("PreToolUse" if agent == "amp" else ""), data, "1", env))


def table(agent: str) -> dict[str, dict[str, dict[str, object]]]:
    situations = {name: said for name, said in SITUATIONS.items() if name not in LEFT_OUT}
    return {
        name: {title: answered(call, said) for title, said in situations.items()}
        for name, call in calls(agent).items()
        if call.event.hook_event_name in adapter(agent).table
    }


def written() -> str:
    """All tables as JSON, one answer a line."""
    agents = []
    for agent in AGENTS:
        rows = []
        for name, said in table(agent).items():
            lines = [f"   {json.dumps(title)}: {json.dumps(row)}" for title, row in said.items()]
            rows.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n  }")
        agents.append(f" {json.dumps(agent)}: {{\n" + ",\n".join(rows) + "\n }")
    return "{\n" + ",\n".join(agents) + "\n}\n"


if __name__ == "__main__":
    GOLDEN.write_text(written())
