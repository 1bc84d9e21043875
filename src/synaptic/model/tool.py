"""A tool call in canonical names: the shell is `Bash`, a path is `file_path`, whatever the agent calls them."""

from collections.abc import Mapping

import msgspec

from synaptic.model.carried import NOTHING_CARRIED, Carried, read_carried, replace_at
from synaptic.model.once import computed_once
from synaptic.model.startup import write_as_command

Input = Mapping[str, object]

SHELL = frozenset({"Bash", "PowerShell"})
PATCH = "ApplyPatch"
"""One call that changes several files: `paths` names them all."""
EDITS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit", PATCH})
READS = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead"})
DESCRIBED_TOOLS = EDITS | READS | {
    "WebFetch", "WebSearch", "Agent", "Task", "Skill", "SlashCommand", "TodoRead", "TodoWrite", "ToolSearch",
    "AskUserQuestion", "ExitPlanMode", "SendMessage", "StructuredOutput", "TaskCreate", "TaskUpdate",
}  # fmt: skip
"""Tools whose arguments are known: none of them runs a command, and files are under `PATH_KEYS`."""
PATH_KEYS = ("file_path", "notebook_path", "path", "filePath")


class Tool(msgspec.Struct, frozen=True, dict=True):
    """The name and input of one call, with the questions that policies ask of it."""

    name: str
    input: Input

    @computed_once
    def command(self) -> str:
        """The shell text that the call runs, whatever the tool is called; nothing when it runs none."""
        if self.name in SHELL and isinstance(text := self.input.get("command"), str):
            return text
        if self.name in EDITS:
            return next(filter(None, (write_as_command(path, self.input) for path in self.paths)), "")
        return self.carried.command

    @computed_once
    def carried(self) -> Carried:
        """What a tool that no table describes would run, and which files it names."""
        return NOTHING_CARRIED if self.name in DESCRIBED_TOOLS else read_carried(self.name, self.input)

    @property
    def is_edit(self) -> bool:
        return self.name in EDITS

    @property
    def is_read(self) -> bool:
        return self.name in READS

    @property
    def may_write(self) -> bool:
        """Whether it may change the files that it names."""
        return self.name in EDITS or (self.name not in SHELL and self.carried.may_write)

    @computed_once
    def roles(self) -> tuple[str, ...]:
        """Names of described tools that it is like: whoever judges one of those judges this call, too."""
        return ("Bash",) if self.name not in SHELL and self.command else ()

    @computed_once
    def paths(self) -> tuple[str, ...]:
        """Every path the call names under a known key."""
        given = self.input
        found = [given[key] for key in PATH_KEYS if key in given]
        several = self.input.get("paths")
        if isinstance(several, list | tuple):
            found.extend(several)
        if self.name not in SHELL:
            found.extend(self.carried.paths)
        return tuple(dict.fromkeys(value for value in found if isinstance(value, str) and value)) if found else ()

    def read_text(self, key: str) -> str:
        value = self.input.get(key)
        return value if isinstance(value, str) else ""

    def replace_command(self, new: str) -> dict[str, object] | None:
        """The input with another command, under the very key it came from; None where that cannot be said exactly."""
        if self.name in SHELL and isinstance(self.input.get("command"), str):
            return {**self.input, "command": new}
        carried = self.carried
        if not carried.place or not new.startswith(carried.prefix):
            return None
        again = replace_at(self.input, carried.place, new.removeprefix(carried.prefix))
        return again if read_carried(self.name, again).command == new else None

    def replace_values(self, **values: object) -> dict[str, object]:
        """The input with some values replaced: what a rewrite returns."""
        return {**self.input, **values}
