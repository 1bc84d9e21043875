"""How each agent is told what to do when it is started again: its command line, with another prompt and no old session.

An option that a table does not know takes the word after it, unless that is an option too: so a value is never
mistaken for a prompt. A command line is taken apart and put together again without loss.
"""

import os
from collections.abc import Sequence

import msgspec

Group = tuple[str, ...]
"""An option with its values, or one word that belongs to none; last, `--` with everything behind it."""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about one agent's command line, or that of one of its verbs."""

    flag: str = ""
    """The option that carries a prompt; empty where a prompt is a word of its own."""
    prompts: frozenset[str] = frozenset()
    """Every option that carries one."""
    words_are_prompts: bool = True
    """What words that belong to no option are; else they name something else, such as a folder."""
    resume: frozenset[str] = frozenset()
    """Options that continue an old session, or claim its id."""
    resume_verbs: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()
    """Options that give a prompt in another way, such as from a file."""
    switches: frozenset[str] = frozenset()
    """Options that take no value."""
    several: frozenset[str] = frozenset()
    """Options that take every word up to the next option."""
    verbs: frozenset[str] = frozenset()
    """Verbs that have a way of their own: `codex exec`."""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


CLAUDE = Way(
    resume=_set("-r --resume -c --continue --session-id --fork-session --from-pr --teleport"),
    switches=_set(
        "-p --print -c --continue --fork-session --verbose --dangerously-skip-permissions --bare --brief --chrome "
        "--allow-dangerously-skip-permissions --no-chrome --disable-slash-commands --ide --include-hook-events "
        "--include-partial-messages --no-session-persistence --replay-user-messages --restricted --safe-mode "
        "--strict-mcp-config --tmux --forward-subagent-text --ax-screen-reader --bg --background --desktop "
        "--exclude-dynamic-system-prompt-sections"
    ),
    several=_set(
        "--add-dir --allowedTools --allowed-tools --disallowedTools --disallowed-tools --betas --file "
        "--mcp-config --tools"
    ),
)
CODEX = Way(
    resume=_set("--last --all"),
    resume_verbs=_set("resume fork"),
    switches=_set(
        "--last --all --strict-config --oss --approve-for-me --dangerously-bypass-approvals-and-sandbox --full-auto "
        "--dangerously-bypass-hook-trust --worktree --search --no-alt-screen --no-daemon --skip-git-repo-check "
        "--ephemeral --ignore-user-config --ignore-rules --json"
    ),
    several=_set("-i --image"),
    verbs=_set("exec e"),
)
GEMINI = Way(
    flag="-i",
    prompts=_set("-i --prompt-interactive -p --prompt"),
    resume=_set("-r --resume -c --continue --session-file --session-id --fork-session"),
    switches=_set(
        "-d --debug --skip-trust -s --sandbox -y --yolo --acp --experimental-acp -l --list-extensions --screen-reader "
        "--raw-output --accept-raw-output-risk -c --continue --fork-session --bare --safe-mode --insecure "
        "--openai-logging --include-partial-messages --experimental-lsp --telemetry --telemetry-log-prompts"
    ),
    several=_set(
        "--policy --admin-policy --allowed-mcp-server-names --allowed-tools -e --extensions --include-directories "
        "--add-dir --fallback-model --core-tools --exclude-tools --disabled-slash-commands"
    ),
)
COPILOT = Way(
    flag="-i",
    prompts=_set("-i --interactive -p --prompt"),
    words_are_prompts=False,
    resume=_set("-r --resume --continue --session-id --connect"),
    switches=_set("--continue --yolo --allow-all --allow-all-tools --allow-all-paths --allow-all-urls -s --silent"),
    several=_set("--allow-tool --deny-tool --available-tools --excluded-tools --allow-url --deny-url"),
)
OPENCODE = Way(
    flag="--prompt",
    prompts=_set("--prompt"),
    words_are_prompts=False,
    resume=_set("-c --continue -s --session --fork"),
    switches=_set("-c --continue --fork --print-logs --pure --mdns --auto --mini --no-replay"),
    verbs=_set("run"),
)
OPENCODE_RUN = Way(
    resume=OPENCODE.resume,
    switches=OPENCODE.switches | _set("--share --thinking -i --interactive"),
    several=_set("-f --file"),
)
DROID = Way(
    resume=_set("-r --resume --last --fork"),
    resume_verbs=_set("resume"),
    switches=_set("--last --use-spec --disable-builtin-skills"),
    verbs=_set("exec"),
)
DROID_EXEC = Way(
    resume=_set("-s --session-id --fork"),
    other=_set("-f --file"),
    switches=_set("--skip-permissions-unsafe --disable-builtin-skills --use-spec --mission"),
)
UNKNOWN = Way(words_are_prompts=False, resume=_set("--resume --continue"), switches=_set("--continue"))
WAYS = {
    "claude": CLAUDE,
    "codex": CODEX,
    "codex exec": CODEX,
    "gemini": GEMINI,
    "qwen": GEMINI,
    "copilot": COPILOT,
    "opencode": OPENCODE,
    "opencode run": OPENCODE_RUN,
    "droid": DROID,
    "droid exec": DROID_EXEC,
}
ALIASES = {"codex e": "codex exec"}


def kind(command: Sequence[str]) -> str:
    """Which agent a command starts: its program's name."""
    return os.path.basename(command[0])  # noqa: PTH119 a name on PATH is no file


def restarted(command: Sequence[str], prompt: str, flag: str = "") -> tuple[str, ...]:
    """The command with this prompt in the place of its own, in a new session.

    A prompt takes the place, and the way, of the one before it. A word of its own comes first: at the end, an option
    that takes several values would swallow it.
    """
    start, way, groups = _taken_apart(command)
    if flag:
        way = msgspec.structs.replace(way, flag=flag, prompts=frozenset({flag}), words_are_prompts=False)
    kept = [group for group in groups if _name(group) not in way.resume | way.other]
    place = _prompt_at(kept, way)
    if place is not None:
        return _put_together(start, _replaced(kept, place, prompt, way))
    words = [group for group in kept if _is_word(group)] if way.words_are_prompts else []
    if way.words_are_prompts and (words or not way.flag):
        return _put_together((*start, prompt), [group for group in kept if group not in words and group[0] != "--"])
    if not way.flag:
        return _put_together(start, [*kept, (prompt,)])
    tail = kept[-1:] if kept and kept[-1][0] == "--" else []
    return _put_together(start, [*kept[: len(kept) - len(tail)], (way.flag, prompt), *tail])


def without_resume(command: Sequence[str]) -> tuple[str, ...]:
    """The command in a new session, its own prompt included."""
    start, way, groups = _taken_apart(command)
    return _put_together(start, _fresh(groups, way))


def resumes(command: Sequence[str]) -> bool:
    """Whether a command continues an old session."""
    _, way, groups = _taken_apart(command)
    return len(_fresh(groups, way)) != len(groups)


def has_prompt(command: Sequence[str]) -> bool:
    """Whether the agent has something to do as soon as it is started; one that is not known is believed to."""
    start, way, groups = _taken_apart(command)
    if way is UNKNOWN or len(start) > 1 or _prompt_at(groups, way) is not None:
        return True
    return way.words_are_prompts and any(map(_is_word, groups))


def _taken_apart(command: Sequence[str]) -> tuple[Group, Way, list[Group]]:
    """The program with its verb, what is known about that, and the other words in groups."""
    name = kind(command)
    way = WAYS.get(name, UNKNOWN)
    verb = next((place for place, word in enumerate(command[1:], 1) if word in way.verbs), 0)
    if verb and not any(_is_word(group) for group in _groups(command[1:verb], way)):
        words = f"{name} {command[verb]}"
        below = WAYS[ALIASES.get(words, words)]
        return tuple(command[: verb + 1]), below, _groups(command[verb + 1 :], below)
    return (command[0],), way, _groups(command[1:], way)


def _groups(words: Sequence[str], way: Way) -> list[Group]:
    found: list[Group] = []
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            return [*found, tuple(words[place:])]
        if _is_bundle(word, way):
            found += ((f"-{letter}",) for letter in word[1:])
            place += 1
            continue
        length = _length(words[place:], way)
        found.append(tuple(words[place : place + length]))
        place += length
    return found


def _is_bundle(word: str, way: Way) -> bool:
    """`-cp` is `-c -p` where both are switches."""
    return len(word) > 2 and word[0] == "-" != word[1] and all(f"-{letter}" in way.switches for letter in word[1:])


def _length(words: Sequence[str], way: Way) -> int:
    word = words[0]
    if not word.startswith("-") or "=" in word or word in way.switches:
        return 1
    values = next((place for place, one in enumerate(words[1:]) if one.startswith("-")), len(words) - 1)
    return 1 + (values if word in way.several else min(values, 1))


def _prompt_at(groups: Sequence[Group], way: Way) -> int | None:
    return next((place for place, group in enumerate(groups) if _name(group) in way.prompts), None)


def _fresh(groups: Sequence[Group], way: Way) -> list[Group]:
    """Without what continues an old session: options, or a verb and the session that it names."""
    kept = [group for group in groups if _name(group) not in way.resume]
    words = [place for place, group in enumerate(kept) if _is_word(group)]
    if words and kept[words[0]][0] in way.resume_verbs:
        return [group for place, group in enumerate(kept) if place not in words[:2]]
    return kept


def _replaced(groups: Sequence[Group], place: int, prompt: str, way: Way) -> list[Group]:
    """With one prompt, where the first one was."""
    before = [group for group in groups[:place] if _name(group) not in way.prompts]
    after = [group for group in groups[place + 1 :] if _name(group) not in way.prompts]
    return [*before, (_name(groups[place]), prompt), *after]


def _name(group: Group) -> str:
    """The option of a group, also of `--option=value`."""
    return group[0].partition("=")[0] if group[0].startswith("-") else ""


def _is_word(group: Group) -> bool:
    return not group[0].startswith("-") or (group[0] == "--" and len(group) > 1)


def _put_together(start: Sequence[str], groups: Sequence[Group]) -> tuple[str, ...]:
    return (*start, *(word for group in groups for word in group))
