"""Create a YAML hook with its script: both are written, checked, and removed again when something is wrong."""

import hashlib
import os
from pathlib import Path

import msgspec
import yaml

from synaptic.files.inside import name_inside, open_inside
from synaptic.files.place import drop_file
from synaptic.files.replace import explain_os_error
from synaptic.hooks.config import Config
from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.yaml import HOOK_ID, read_definitions
from synaptic.model.errors import DeclarationError, SettingsError
from synaptic.model.event import EVENTS

PYTHON_STUB = '''\
#!/usr/bin/env python3
"""{summary}"""

import json
import sys


def main() -> None:
    context = json.load(sys.stdin)  # event_type, session_id, timestamp and the fields of the event
    result = {{}}  # logs, messages_to_user, suggested_abilities, follow_up_actions, usage_recorded, error
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
'''
BASH_STUB = """\
#!/usr/bin/env bash
# {summary}
set -euo pipefail
context="$(cat)" # one JSON object: event_type, session_id, timestamp and the fields of the event
: "${{context}}"
printf '{{}}' # logs, messages_to_user, suggested_abilities, follow_up_actions, usage_recorded, error
"""
TYPESCRIPT_STUB = """\
#!/usr/bin/env node
// {summary}
// Node 20 runs this file as it is. Types may be written from Node 22.18 on, which leaves them out by itself.
let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => (text += part));
process.stdin.on("end", () => {{
  const context = JSON.parse(text); // event_type, session_id, timestamp and the fields of the event
  void context;
  const result = {{}}; // logs, messages_to_user, suggested_abilities, follow_up_actions, usage_recorded, error
  process.stdout.write(JSON.stringify(result));
}});
"""
STUB_LANGUAGES = {"python": ("py", PYTHON_STUB), "bash": ("sh", BASH_STUB), "typescript": ("ts", TYPESCRIPT_STUB)}


class HookRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a new hook."""

    id: str
    event: str
    language: str = "python"
    summary: str = ""
    blocking: bool = False
    match: dict[str, object] = {}


class WrittenHook(msgspec.Struct, frozen=True, kw_only=True):
    """Paths that were written, relative to the repository."""

    definition: str
    script: str
    sha256: str
    """Of the script as it was written."""


def scaffold_hook(root: Path, wanted: HookRequest) -> WrittenHook:
    """Write both files. Raises DeclarationError, with nothing written, when the hook could not be used."""
    _check_request(root, wanted)
    extension, template = STUB_LANGUAGES[wanted.language]
    summary = " ".join(wanted.summary.split()).replace('"""', "'''") or f"Runs on {wanted.event}."
    definition = root / ".system" / "hooks" / f"{wanted.id}.yaml"
    script = root / "scripts" / "hooks" / f"{wanted.id}.{extension}"
    stub = template.format(summary=summary)
    text = _format_definition(wanted, summary, f"./{script.relative_to(root)}")
    written: list[Path] = []
    try:
        for path, content, mode in ((script, stub, 0o755), (definition, text, 0o644)):
            _write_new_file(root, path, content, mode)
            written.append(path)
        _, problems = read_definitions(
            [(DeclarationFile(str(definition), "project", str(root)), text.encode())], Config()
        )
        if problems:
            raise DeclarationError(problems[0])
    except (DeclarationError, SettingsError):
        for path in written:
            drop_file(root, path)
        raise
    return WrittenHook(
        definition=str(definition.relative_to(root)),
        script=str(script.relative_to(root)),
        sha256=hashlib.sha256(stub.encode()).hexdigest(),
    )


def _check_request(root: Path, wanted: HookRequest) -> None:
    if not HOOK_ID.fullmatch(wanted.id):
        raise DeclarationError(f"`{wanted.id}` is no id", hint="use a-z, 0-9, _ and -")
    if wanted.event not in EVENTS:
        raise DeclarationError(f"there is no event `{wanted.event}`", hint=make_hint(wanted.event, EVENTS))
    if wanted.language not in STUB_LANGUAGES:
        raise DeclarationError(
            f"there is no stub in `{wanted.language}`", hint=make_hint(wanted.language, STUB_LANGUAGES)
        )
    taken = [*(root / ".system" / "hooks").glob("*.y*ml"), *(root / ".synaptic" / "hooks").glob("*.y*ml")]
    extension = STUB_LANGUAGES[wanted.language][0]
    script = root / "scripts" / "hooks" / f"{wanted.id}.{extension}"
    for path in (*(path for path in taken if path.stem == wanted.id), *([script] if script.exists() else [])):
        raise DeclarationError(f"`{wanted.id}` is already there", where=str(path), hint="choose another id")


def _format_definition(wanted: HookRequest, summary: str, command: str) -> str:
    table: dict[str, object] = {
        "id": wanted.id,
        "event_type": wanted.event,
        "enabled": True,
        "summary": summary,
        **({"blocking": True} if wanted.blocking else {}),
        **({"match": wanted.match} if wanted.match else {}),
        "handler": {"kind": "script", "command": command},
    }
    return yaml.safe_dump(table, sort_keys=False, allow_unicode=True)


def _write_new_file(root: Path, path: Path, text: str, mode: int) -> None:
    # EXCL: a file that appeared since the check is never overwritten.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with explain_os_error(path, "written"):
        handle = open_inside(root, name_inside(root, path), flags, make=0o755)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(handle, mode)
