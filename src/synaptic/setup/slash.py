"""Install the agent's `/skill` command: a skill folder of ours, written only when the user asks for it.

It is no file in `commands/`: the client takes a `commands/skill.md` for the SKILL.md of a skill called `commands`, and
then knows none of the user's commands any more.
"""

from pathlib import Path

from synaptic.files.replace import delete_file, drop_folders, make_folders, read_file, replace_file
from synaptic.model.refusal import Refusal
from synaptic.setup.options import SetupChange, SetupOptions

COMMAND_MARK = "<!-- synaptic:skill 1 -->"
COMMAND_TEXT = f"""---
name: skill
description: Install, remove, upgrade and look up skill packages
argument-hint: install|remove|upgrade|search|info|list|verify|bootstrap [NAME] [--channel C] [--scope S]
allowed-tools: Bash(synaptic skill plan:*), Bash(synaptic skill search:*), Bash(synaptic skill info:*), \
Bash(synaptic skill list:*), Bash(synaptic skill verify:*)
disable-model-invocation: true
---
{COMMAND_MARK}
The user asks for: `/skill $ARGUMENTS`

1. For `install`, `upgrade` and `remove`, run `synaptic skill plan $ARGUMENTS` and show its output to the user word for
   word: it lists the hooks, files and commands that would be written, registered and executed.
2. Then tell the user to type `synaptic skill $ARGUMENTS` in a terminal of their own, where it asks once more. An agent
   is refused what writes (`install`, `upgrade`, `remove`, `bootstrap`): do not try it in another way.
3. Any other verb (`search`, `info`, `list`, `outdated`, `verify`, `diff`) needs no plan: run
   `synaptic skill $ARGUMENTS` and show what it says.

Never edit `settings.json`, `registry.toml` or files under `.synaptic` by hand for this.
"""


def locate_command(options: SetupOptions) -> Path:
    return options.settings.parent / "skills" / "skill" / "SKILL.md"


def install_command(options: SetupOptions) -> SetupChange:
    """Write or update the command. Somebody else's skill of that name is refused."""
    path = locate_command(options)
    there = read_file(path)
    if there is not None and COMMAND_MARK.encode() not in there:
        hint = "move it away, then run `synaptic bootstrap --slash` again"
        raise Refusal("conflict", "is a skill of your own", where=str(path), hint=hint)
    make_folders(path.parent)
    if there != COMMAND_TEXT.encode():
        replace_file(path, COMMAND_TEXT.encode(), 0o644)
    return SetupChange(what="/skill command", path=str(path), done=there != COMMAND_TEXT.encode())


def remove_command(options: SetupOptions) -> SetupChange:
    """Remove the command if it is ours."""
    path = locate_command(options)
    ours = COMMAND_MARK.encode() in (read_file(path) or b"")
    if ours:
        delete_file(path)
        drop_folders((str(path.parent), str(path.parent.parent)))
    return SetupChange(what="/skill command", path=str(path), done=ours, undo="synaptic bootstrap --slash")
