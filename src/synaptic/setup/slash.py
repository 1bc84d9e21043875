"""Install the agent's `/skill` command: a skill folder of ours, written only when the user asks for it.

It is no file in `commands/`: the client takes a `commands/skill.md` for the SKILL.md of a skill called `commands`, and
then knows none of the user's commands any more.
"""

from pathlib import Path

from synaptic.files.replace import delete, drop_folders, make_folders, read, replace
from synaptic.model.refusal import Refusal
from synaptic.setup.options import Change, Options

MARK = "<!-- synaptic:skill 1 -->"
TEXT = f"""---
name: skill
description: Install, remove, upgrade and look up skill packages
argument-hint: install|remove|upgrade|search|info|list|verify|bootstrap [NAME] [--channel C] [--scope S]
allowed-tools: Bash(synaptic skill plan:*), Bash(synaptic skill search:*), Bash(synaptic skill info:*), \
Bash(synaptic skill list:*), Bash(synaptic skill verify:*)
disable-model-invocation: true
---
{MARK}
The user asks for: `/skill $ARGUMENTS`

1. For `install`, `upgrade` and `remove`, run `synaptic skill plan $ARGUMENTS` and show its output to the user word for
   word: it lists the hooks, files and commands that would be written, registered and executed.
2. Ask the user whether to go on. Without a clear yes, stop here.
3. Then run `synaptic skill $ARGUMENTS --yes` and show what it says.
4. Any other verb (`search`, `info`, `list`, `outdated`, `verify`, `diff`, `bootstrap`) needs no plan: run
   `synaptic skill $ARGUMENTS` and show what it says.

Never edit `settings.json`, `registry.toml` or files under `.synaptic` by hand for this.
"""


def command_file(options: Options) -> Path:
    return options.settings.parent / "skills" / "skill" / "SKILL.md"


def install_command(options: Options) -> Change:
    """Write or update the command. Somebody else's skill of that name is refused."""
    path = command_file(options)
    there = read(path)
    if there is not None and MARK.encode() not in there:
        hint = "move it away, then run `synaptic bootstrap --slash` again"
        raise Refusal("conflict", "is a skill of your own", where=str(path), hint=hint)
    make_folders(path.parent)
    if there != TEXT.encode():
        replace(path, TEXT.encode(), 0o644)
    return Change(what="/skill command", path=str(path), done=there != TEXT.encode())


def remove_command(options: Options) -> Change:
    """Remove the command if it is ours."""
    path = command_file(options)
    ours = MARK.encode() in (read(path) or b"")
    if ours:
        delete(path)
        drop_folders((str(path.parent), str(path.parent.parent)))
    return Change(what="/skill command", path=str(path), done=ours, undo="synaptic bootstrap --slash")
