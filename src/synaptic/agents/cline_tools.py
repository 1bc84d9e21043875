"""Cline's tools in canonical terms: those of the command line take lists, those of the editor's extension take text."""

import re
from collections.abc import Iterator, Mapping

from synaptic.agents.payload import DECODER
from synaptic.agents.quoting import quoted
from synaptic.agents.translate import Form
from synaptic.model.patch import patched, rewritten
from synaptic.model.tool import Input, Tool

SHELL = "run_commands"
LISTS = {SHELL: "commands", "read_files": "files", "search_codebase": "queries", "apply_patch": "input"}
"""Tools that take their one argument bare as well."""
BARE = ("commands", "cmd", "command", "args")
NAMES = {"path": "file_path", "old_text": "old_string", "new_text": "new_string"}
OURS = frozenset({*NAMES.values(), "content"})
"""Keys that Cline does not read: beside its own they could only mislead."""
BACK = {"file_path": "path", "old_string": "old_text", "new_string": "new_text", "content": "new_text"}
HERE = re.compile(r"""(?<!<)<<-?\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_./-]+))""")
REFUSAL = re.compile(r"printf '%s\\n' 'BLOCKED: (?:[^']|'\\'')*'; exit 1")


def refusal(reason: str) -> dict[str, object]:
    """The call that runs in place of a refused one: it says why, and fails."""
    return {"commands": [f"printf '%s\\n' {quoted(f'BLOCKED: {reason}')}; exit 1"]}


def is_refusal(command: str) -> bool:
    """Whether a command is such a call, and nothing else."""
    return REFUSAL.fullmatch(command) is not None


def _commands(given: Input) -> Iterator[str]:
    """Each command under any of the keys: which of them runs depends on the types of the others."""
    for listed in (given.get("commands"), given, given.get("cmd")):
        found = map(_command, listed if isinstance(listed, list) else [listed])
        yield from _joined([one for one in found if one is not None])


def _command(one: object) -> str | None:
    """As shell text; what is given word by word runs without a shell, and means the same in one."""
    if not isinstance(one, Mapping):
        return one if isinstance(one, str) else None
    first, words = one.get("command"), one.get("args")
    if not isinstance(first, str):
        return None
    return " ".join(map(quoted, [first, *map(str, words)])) if isinstance(words, list) and words else first


def _joined(commands: list[str]) -> Iterator[str]:
    """As the client does it: the lines of a here-document that are sent one by one are one command."""
    at = 0
    while at < len(commands):
        found = HERE.search(commands[at])
        word = next(filter(None, found.groups()), None) if found else None
        end = next((later for later in range(at + 1, len(commands)) if commands[later].strip() == word), at)
        yield "\n".join(commands[at : end + 1])
        at = end + 1


def _run(given: Input) -> Tool:
    """Each of several commands has a shell of its own: a `cd` in one moves no other, a quote in one hides no other."""
    found = list(_commands(given))
    text = found[0] if len(found) == 1 else "\n".join(f"bash -c {quoted(one)}" for one in found)
    return Tool("Bash", {**{key: value for key, value in given.items() if key not in BARE}, "command": text})


def _run_again(native: Input, new: Input) -> dict[str, object] | None:
    command = new.get("command")
    if len(list(_commands(native))) != 1 or not isinstance(command, str):
        return None
    again: dict[str, object] = {**{key: value for key, value in new.items() if key != "command"}, "commands": [command]}
    return _exact(again, _run(again), new)


def _exact(again: dict[str, object], read: Tool, new: Input) -> dict[str, object] | None:
    """What is sent must read as what was decided."""
    return again if dict(read.input) == dict(new) else None


def _files(given: Input) -> list[str]:
    """Every path under any of the keys."""
    several = (given.get(key) for key in ("files", "file_paths", "paths", "path"))
    listed = [one for found in several for one in (found if isinstance(found, list) else [found])]
    paths = (one.get("path") if isinstance(one, Mapping) else one for one in listed)
    return list(dict.fromkeys(path for path in paths if isinstance(path, str)))


def _look(given: Input) -> Tool:
    paths = _files(given)
    return Tool("Read", {**given, "file_path": paths[0], "paths": paths} if paths else given)


def _edit(given: Input) -> Tool:
    """Without a text to replace and a line to insert at, the file is made."""
    read = {key: value for key, value in given.items() if value is not None and key not in OURS}
    found = {NAMES.get(key, key): value for key, value in read.items()}
    if "old_string" in found or "insert_line" in found:
        return Tool("Edit", found)
    return Tool("Write", {"content" if key == "new_string" else key: value for key, value in found.items()})


def _edit_again(native: Input, new: Input) -> dict[str, object] | None:
    again: dict[str, object] = {BACK.get(key, key): value for key, value in new.items()}
    return _exact(again, _edit(again), new)


def _patch(given: Input) -> Tool:
    text = given.get("input")
    return patched(text) if isinstance(text, str) else Tool("Edit", given)


def _patch_again(native: Input, new: Input) -> dict[str, object] | None:
    text = rewritten(new)
    return None if text is None else {"input": text}


def _search(given: Input) -> Tool:
    queries = given.get("queries")
    listed = queries if isinstance(queries, list) else [queries]
    return Tool("Grep", {**given, "pattern": "|".join(map(str, listed))})


def _fetch(given: Input) -> Tool:
    asked = given.get("requests")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], Mapping) else {}
    return Tool("WebFetch", {**given, **first})


def _mcp(given: Input) -> Tool:
    """The extension's one tool for all servers."""
    arguments = given.get("arguments")
    try:
        found = DECODER.decode(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        found = None
    name = f"mcp__{given.get('server_name', '')}__{given.get('tool_name', '')}"
    return Tool(name, found if isinstance(found, dict) else given)


def _never(native: Input, new: Input) -> None:
    return None


def _in_extension(name: str) -> Form:
    """An edit by the editor's extension, which takes the file's path from either of two keys."""

    def read(given: Input) -> Tool:
        path = given.get("path") or given.get("absolutePath")
        rest = {key: value for key, value in given.items() if key not in ("path", "absolutePath", "file_path")}
        if "diff" in rest:
            rest["new_string"] = rest.pop("diff")
        return Tool(name, {"file_path": path, **rest} if path else rest)

    return Form(name, read=read, write=_never)


TOOLS: Mapping[str, Form] = {
    SHELL: Form("Bash", read=_run, write=_run_again),
    "editor": Form("Edit", read=_edit, write=_edit_again),
    "apply_patch": Form("Edit", read=_patch, write=_patch_again),
    "read_files": Form("Read", read=_look, write=_never),
    "search_codebase": Form("Grep", read=_search, write=_never),
    "fetch_web_content": Form("WebFetch", read=_fetch, write=_never),
    "web_search": Form("WebSearch"),
    "spawn_agent": Form("Agent", {"task": "prompt"}),
    "skills": Form("Skill"),
    "execute_command": Form("Bash"),
    "write_to_file": _in_extension("Write"),
    "new_rule": _in_extension("Write"),
    "replace_in_file": _in_extension("Edit"),
    "read_file": Form("Read", {"path": "file_path"}),
    "search_files": Form("Grep", {"regex": "pattern", "file_pattern": "glob"}),
    "list_files": Form("LS"),
    "web_fetch": Form("WebFetch"),
    "new_task": Form("Agent", {"context": "prompt"}),
    "use_mcp_tool": Form("mcp", read=_mcp, write=_never),
}
