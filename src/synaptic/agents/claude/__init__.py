"""Claude Code: how it is recognised, told, switched off and started again. Its dialect and entries have own files."""

import re

from synaptic.agents.base import (
    RESULT_EVENTS,
    Absence,
    Agent,
    AgentSign,
    CallTrail,
    CommandLine,
    HookBypass,
    HookSwitch,
    ReportedVersion,
    SettingsFolder,
    split_options,
)
from synaptic.agents.claude.dialect import ADAPTER
from synaptic.agents.claude.entries import REGISTERED_EVENTS, SETTINGS_NAME, make_files
from synaptic.agents.claude.transcript import read_transcript_line
from synaptic.agents.shared.ours import ENTRY_ARGUMENT

PAYLOAD_BEGINNING = re.compile(rb'\{"session_id":"[^"\\]*","transcript_path":"[^"\\]*/\.claude/projects/')
"""How it begins every payload. An agent's own fields come first: no tool input can imitate them here."""
PLUGIN_VERBS = tuple(
    f"{noun} {verb}" for noun in ("plugin", "plugins") for verb in ("disable", "uninstall", "remove", "marketplace")
)
"""What may take our plugin out; the marketplace goes with its plugins."""

AGENT = Agent(
    name="claude",
    title="Claude Code",
    note="",
    adapter=ADAPTER,
    events=REGISTERED_EVENTS,
    unseen=(),
    absence=Absence(variables={"CLAUDE_CODE_SESSION_ATTENDED": "0"}),
    trail=CallTrail(proves_run=RESULT_EVENTS, after_refusal="PostToolBatch", read_line=read_transcript_line),
    reported_version=ReportedVersion("transcript", ("version",)),
    sign=AgentSign(
        lambda seen: False, beginning=PAYLOAD_BEGINNING
    ),  # it is who is meant when nobody else is recognised
    reads_claude_settings=True,
    imitates="",
    folder=SettingsFolder("CLAUDE_CONFIG_DIR", ".claude"),
    named_files={},
    files=make_files,
    mark=ENTRY_ARGUMENT,
    strict_events=frozenset(),
    agreement=None,
    switches=(HookSwitch(SETTINGS_NAME, ("disableAllHooks",), True),),
    guards=(
        "settings.local.json",
        "managed-settings.json",
        "plugins/cache/synaptic",  # our own plugin, and whether it is there
        "plugins/installed_plugins.json",
        "shell-snapshots",  # sourced in front of every command of its Bash tool
    ),
    credentials=(".claude/.credentials.json",),
    programs=("claude",),
    processes=("claude", "@anthropic-ai/claude-code/", "/claude/versions/"),
    version_arguments=("--version",),
    command_line=CommandLine(
        resume=split_options("-r --resume -c --continue --session-id --fork-session --from-pr --teleport"),
        switches=split_options(
            "-p --print -c --continue --fork-session --verbose --dangerously-skip-permissions --bare --brief --chrome "
            "--allow-dangerously-skip-permissions --no-chrome --disable-slash-commands --ide --include-hook-events "
            "--include-partial-messages --no-session-persistence --replay-user-messages --restricted --safe-mode "
            "--strict-mcp-config --tmux --forward-subagent-text --ax-screen-reader --bg --background --desktop "
            "--exclude-dynamic-system-prompt-sections"
        ),
        several=split_options(
            "--add-dir --allowedTools --allowed-tools --disallowedTools --disallowed-tools --betas --file "
            "--mcp-config --tools"
        ),
    ),
    bypass=HookBypass(
        unless="user",  # `--setting-sources user,project`
        options=split_options("--settings --setting-sources --bare --safe-mode --restricted --managed-settings"),
        variables=frozenset({"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"}),
        unasked=split_options("--dangerously-skip-permissions --permission-mode=bypassPermissions"),
        verbs=frozenset({"config set", "config add", "config remove", "config rm", *PLUGIN_VERBS}),
        own_program=frozenset({"CLAUDE_CODE_EXECPATH"}),
    ),
    shell_variables=("CLAUDECODE",),
    session_variables=("CLAUDE_CODE_SESSION_ID",),
)
