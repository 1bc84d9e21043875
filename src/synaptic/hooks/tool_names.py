"""Names of tools that are known, and the one that a misspelt name means: `Basch` is `Bash`."""

from functools import lru_cache

from synaptic.model.tool import DESCRIBED_TOOLS, SHELL

MORE_TOOLS = frozenset({
    "BashOutput", "KillBash", "KillShell", "TaskOutput", "TaskStop", "TaskGet", "TaskList", "Monitor", "LSP",
    "EnterPlanMode", "EnterWorktree", "ExitWorktree", "ListMcpResources", "ListMcpResourcesTool", "ReadMcpResource",
    "ReadMcpResourceTool", "CronCreate", "CronDelete", "CronList", "PushNotification", "RemoteTrigger", "TeamCreate",
    "TeamDelete", "Tasks", "Todo", "Search", "Fetch", "Workflow",
})  # fmt: skip
KNOWN_TOOLS = DESCRIBED_TOOLS | SHELL | MORE_TOOLS
SERVER_MARK = "__"
"""In the names of tools of MCP servers, which anybody may call anything."""
LEAST_LETTERS = 4
LONG_NAME = 8
"""Letters of a name in which two may be wrong."""


@lru_cache(maxsize=1024)
def find_meant_tool(name: str) -> str:
    """The known tool that an unknown name probably means; empty for one that resembles none: it may be a newer one."""
    if name in KNOWN_TOOLS or SERVER_MARK in name or not name.isalpha() or len(name) < LEAST_LETTERS:
        return ""
    wrong = 2 if len(name) >= LONG_NAME else 1
    low = name.lower()
    # Compared with the few that begin or end alike: a file may name a thousand.
    alike = (known for known in KNOWN_TOOLS if known[:1].lower() == low[:1] or known[-3:].lower() == low[-3:])
    near = ((count_differences(low, known.lower()), known) for known in alike)
    return min((one for one in near if one[0] <= wrong), default=(0, ""))[1]


def count_differences(one: str, other: str) -> int:
    """Letters that are missing, too many, wrong, or in the other order."""
    if abs(len(one) - len(other)) > 2:
        return max(len(one), len(other))
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        above, before = before, row
        row = [place]
        for at, against in enumerate(other, 1):
            least = min(before[at] + 1, row[-1] + 1, before[at - 1] + (letter != against))
            if place > 1 and at > 1 and letter == other[at - 2] and one[place - 2] == against:
                least = min(least, above[at - 2] + 1)
            row.append(least)
    return row[-1]
