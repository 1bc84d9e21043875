"""The keys of one `[[rule]]`, as a person writes them."""

from typing import Annotated, Any, Literal

import msgspec

from synaptic.model.hook import Mode

TextList = str | tuple[str, ...]
Action = Literal["deny", "ask", "advise", "remind", "rewrite", "record"]
Example = str | dict[str, Any]
TELLING_ACTIONS = ("deny", "ask", "advise", "remind")
"""What needs a text: somebody is told something."""


class RuleEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The keys of one `[[rule]]`. Every condition that is given must hold; of a list, any item."""

    id: str
    """Its name, such as `npm.publish`: small letters, digits and `-`, with a dot; unique in its file."""
    then: Action
    """What happens: `deny`, `ask`, `advise`, `remind` (advice once), `rewrite`, or `record` (a note in the journal)."""
    say: str = ""
    """What the agent and the user are told. Needed for deny, ask, advise and remind."""
    instead: str = ""
    """A command that is shown as what to type instead."""
    event: TextList = ()
    """When it is asked: `PreToolUse`, or `UserPromptSubmit` beside `prompt`. Others: `Stop`, `PostToolUse`, ..."""
    run: TextList = ()
    """Program and leading words of a command that would run, wherever it stands: `npm publish`."""
    flags: TextList = ()
    """Options of that command, one of which is given: `--force`, `-f`. `-xf` and `--flag=value` count."""
    args: TextList = ()
    """Globs, one of which matches an argument of that command."""
    tool: TextList = ()
    """Names of tools, or globs: `WebFetch`, `mcp__github__*`."""
    edit: TextList = ()
    """Globs of files that a tool or a command changes: `package-lock.json`, `src/**`."""
    write: TextList = ()
    """The same, and files that are made in any way."""
    delete: TextList = ()
    """Globs of files that are removed or moved away."""
    read: TextList = ()
    """Globs of files that a tool or a command reads."""
    host: TextList = ()
    """Globs of machines that the call fetches from, sends to or logs in to: `*.example.com`."""
    branch: TextList = ()
    """Globs of the branch that is checked out where the call happens."""
    cwd: TextList = ()
    """Globs of the folder of the call, relative to the folder that the rule is about."""
    content: TextList = ()
    """Regular expressions for the new text of an edit, or of a file that a command prints."""
    prompt: TextList = ()
    """Regular expressions for the user's prompt."""
    agent: TextList = ()
    """Names of agents: `claude`, `codex`, ..."""
    subagent: bool | TextList | None = None
    """Whether a sub-agent acts, or the types of sub-agents."""
    mode: TextList = ()
    """Permission modes: `default`, `plan`, `acceptEdits`, `bypassPermissions`, ..."""
    context_over: Annotated[float, msgspec.Meta(gt=0, lt=1)] | None = None
    """The share of the context window, from 0 to 1, that is used at least."""
    after: TextList = ()
    """What has happened in this session: `tests ran`, `ran npm test`, `edited src/**`, `read docs/**`, `used Agent`."""
    before: TextList = ()
    """What has not happened in this session; beside `after`: not since the latest of that."""
    environment: TextList = ()
    """Names of environments in which the rule holds (`environment` of the config, or SYNAPTIC_ENV)."""
    once: Literal["session", "prompt"] = "session"
    """For remind: how often it may be told."""
    add: TextList = ()
    """For rewrite: words that are put behind the words of `run`, where they are not there."""
    remove: TextList = ()
    """For rewrite: words of the command that are taken out."""
    replace: dict[str, str] = {}
    """For rewrite: words of the command, and what stands in their place."""
    stops: tuple[Example, ...] = ()
    """Examples that the rule must speak about: a command, or a table such as `{ edit = "src/a.py" }`."""
    passes: tuple[Example, ...] = ()
    """Examples that it must be silent about."""
    enforcement: Mode = "enforce"
    """`advise` tells what it would do and lets the call go on; `shadow` only keeps it with the event."""
    enabled: bool = True
    """false switches it off and keeps the entry."""


CONDITION_KEYS = (
    "run", "flags", "args", "tool", "edit", "write", "delete", "read", "host", "branch", "cwd", "content", "prompt",
    "agent", "subagent", "mode", "context_over", "after", "before",
)  # fmt: skip
"""Keys that say when a rule speaks, apart from its event and its environment."""
LIST_KEYS = tuple(
    key
    for key in RuleEntry.__struct_fields__
    if key not in ("id", "then", "say", "instead", "once", "enabled", "enforcement", "subagent", "context_over")
)


def list_items(value: object) -> tuple[str, ...]:
    """The items of a key that takes one text or several."""
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, tuple) else ()
