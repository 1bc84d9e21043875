"""The plugin for Claude Code: hooks, a skill, two commands; and the marketplace that this repository is."""

import json
from collections.abc import Iterator
from typing import Any

from docs.pages.recipes import read_facts
from synaptic.agents.claude.entries import REGISTERED_EVENTS, TIMEOUT, TIMEOUTS
from synaptic.agents.shared.ours import ENTRY_ARGUMENT
from synaptic.model.event import EVENTS, ToolEvent

FOLDER = "plugin"
MARKETPLACE = ".claude-plugin/marketplace.json"
NAME = "synaptic"
MADE = "Made by `make gen`: change docs/pages/plugin.py instead."

DISPATCH = """\
#!/bin/sh
# {made}
# Hands an event to the engine. Which home's is told by where this file lies: a repository can set HOME for hooks.
case $0 in
    */.claude/plugins/*) home=${{0%%/.claude/plugins/*}} ;;
    *) home=$HOME ;;
esac
dispatch=$home/.synaptic/bin/dispatch
# Without a daemon the first call starts one; an entry of the settings shall be that first, or it is judged twice.
[ -S "$home/.synaptic/run/daemon.sock" ] || sleep 0.3
[ -x "$dispatch" ] && exec "$dispatch" "$@"
# `synaptic down` takes both files out. One without the other was done by somebody else.
if [ -e "$home/.synaptic/engine" ] && [ "$2" = PreToolUse ]; then
    echo "synaptic: blocked, because it could not be checked: $dispatch is missing; type: synaptic up" >&2
    exit 2
fi
if [ "$2" = SessionStart ]; then
    echo '{{"systemMessage": "{missing}"}}'
fi
exit 0
"""
MISSING = (
    "The Synaptic plugin is on and its engine is not installed: nothing is checked. In a terminal of your own, type: "
    "uv tool install {name} && {command} up"
)
SKILL = """\
---
name: refusals
description: What to do when Synaptic has refused, asked about or rewritten a tool call. Read it when a tool result \
or a permission prompt names Synaptic or a policy such as git.force-push.
---
<!-- {made} -->
Synaptic judges every tool call before it runs. A refusal says what was refused, why, and what to do instead.

1. Do what the reason offers instead. It is nearly always the same work in a way that loses nothing.
2. If you do not understand it, run `{command} explain --last` and read which policy spoke and what it saw.
3. A rewritten call has run in the form that the reason shows. Go on from its result; do not run the old form again.
4. If the work cannot be done without what was refused, stop and tell the user: the command, the policy, the reason. \
Only the user can allow it, in a terminal of their own.

Do not try the same effect another way: through a script, an interpreter, another tool, an encoded command or a
sub-agent. That is judged as well, it is in the journal, and `{command} report` shows it to the user as a refusal
that was not obeyed. Verbs of `{command}` that loosen, trust or install are refused to agents.
"""
EXPLAIN = """\
---
description: Why a call was refused, asked about or rewritten
argument-hint: "[number]"
allowed-tools: Bash({command} explain:*)
---
<!-- {made} -->
Run `{command} explain $ARGUMENTS` (without a number: `{command} explain --last`) and tell the user in a few sentences
what arrived, which policy decided, why, and what it offers instead. Quote the reason word for word. Change nothing.
"""
INBOX = """\
---
description: What was refused lately, and what waits for an answer
allowed-tools: Bash({command} report:*), Bash({command} explain:*)
---
<!-- {made} -->
Run `{command} report` and show the user its list: refusals, those that were not obeyed, questions that nobody answered.
For the ones the user asks about, run `{command} explain NUMBER`. Change nothing, and try none of these calls again.
"""
README = """\
<!-- {made} -->
# Synaptic for Claude Code

{summary}. Every tool call of the session is judged before it runs: what would lose work is refused with what to do
instead, and everything is in a journal on this machine.

The plugin brings the entries, a skill that explains refusals, `/{name}:explain` and `/{name}:inbox`. The engine is a
program of its own; in a terminal:

```console
$ uv tool install {package}
$ {command} up
```

In Claude Code, from the repository that holds this folder: `/plugin install {name} --marketplace OWNER/REPOSITORY`.

`{command} up` also writes entries into your settings. Both may be there: an event that arrives twice is judged once.
Without the engine nothing is checked, and the session says so when it starts.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Every file of the plugin by its path, and the marketplace's."""
    facts = read_facts()
    words = {**facts, "package": facts["name"], "name": NAME, "made": MADE}
    words["missing"] = MISSING.format(name=facts["name"], command=facts["command"])
    about = _describe(facts)
    plugin = {**about, "author": {"name": "Synaptic"}, "license": facts["license"]}
    plugin["keywords"] = ["hooks", "guard", "safety", "journal", "policies"]
    listed = {"name": NAME, "owner": {"name": "Synaptic"}, "metadata": {"description": about["description"]}}
    yield MARKETPLACE, _to_json({**listed, "plugins": [{**about, "source": f"./{FOLDER}"}]})
    yield f"{FOLDER}/.claude-plugin/plugin.json", _to_json(plugin)
    yield f"{FOLDER}/hooks/hooks.json", _to_json({"description": about["description"], "hooks": make_hooks()})
    texts = {"bin/dispatch": DISPATCH, "README.md": README, "skills/refusals/SKILL.md": SKILL}
    for path, text in {**texts, "commands/explain.md": EXPLAIN, "commands/inbox.md": INBOX}.items():
        yield f"{FOLDER}/{path}", text.format(**words)


def make_hooks() -> dict[str, list[dict[str, Any]]]:
    """One entry per event, in the form that no shell reads."""
    return {event: [_make_group(event)] for event in REGISTERED_EVENTS}


def _make_group(event: str) -> dict[str, Any]:
    hook = {
        "type": "command",
        "command": "${CLAUDE_PLUGIN_ROOT}/bin/dispatch",
        "args": ["claude", event, f"{ENTRY_ARGUMENT}plugin"],
        "timeout": TIMEOUTS.get(event, TIMEOUT),
    }
    return {**({"matcher": ".*"} if issubclass(EVENTS[event], ToolEvent) else {}), "hooks": [hook]}


def _describe(facts: dict[str, str]) -> dict[str, Any]:
    text = f"{facts['summary']}: every tool call is judged before it runs, and journaled on this machine."
    return {"name": NAME, "version": facts["version"], "description": text}


def _to_json(value: object) -> str:
    return f"{json.dumps(value, indent=2)}\n"
