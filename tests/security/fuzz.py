"""Mutates known commands and sends each through reader, facts and every policy: no exception, nothing slow.

python -m tests.security.fuzz --count 1000000 --seed 7
"""

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from synaptic.facts.gather import EngineMeans, find_gatherers, gather_facts
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import CASE_FOLDERS
from synaptic.runners.execute import HookRunners
from synaptic.store.db import Store

CORPUS = Path(__file__).parent.parent / "corpus" / "commands.jsonl"
PROCESS_FACTS = frozenset({"dirty", "diff", "pending", "plan_commits"})
"""Facts that start git: a million processes would find nothing more."""
SLOW_SECONDS = 1.0
HANG_SECONDS = 10
MAX_CHARS = 20_000
PIECES = (
    ";", "&&", "||", "|", "|&", "&", "\n", "(", ")", "{ ", ";}", "((", "))", "[[", "]]", "$(", "`", "<(", ">(", "${",
    "}", "$((", "$'", "'", '"', '$"', "\\", "\\\n", "<<E\n", "\nE\n", "<<-'E'\n", "<<<", ">", ">>", ">|", "2>&1", "<&-",
    "*", "?", "[a-z]", "[!", "{a,b}", "{1..9}", "~", "~+", "!!", "!", "#", "=", "+=", "a=(1 2)", "${a[@]:1}", "${!a}",
    "${a//x/y}", "${a:-b}", "${a?/git }", "$@", "$*", "$#", "$-", "$$", "$0", "$IFS", "${IFS}", "if ", "; then ",
    "; fi", "for i in ", "; do ", "; done", "case x in x) ", ";; esac", "while ", "function f() { ", "f() ", "select ",
    "time ", "coproc ", "eval ", "exec ", "command ", "sudo ", "env ", "xargs ", "nohup ", "alias k=", "trap ", "\0",
    "\r", "\t", "\v", "\x1b[2J", "\x7f", "\ud800", "\udfff", "\u2028", "\u202e", "\ufeff", "é", "ａ", "🙂", "\u0301",
    "--", "-", "-rf", "--force", "-c ", "-exec ", " {} +", "/", "..", "../", "//", "/dev/tcp/a/1", "~/.ssh", "%", "%s",
    "\\x72", "\\162", "$'\\x72m'", "@", "^", "0x10", "08", "1#1", "64#z", "2**63", "-9223372036854775808", "a[$(id)]",
)  # fmt: skip

Mutation = Callable[[random.Random, str, str], str]


def _splice(chance: random.Random, one: str, other: str) -> str:
    return one[: chance.randint(0, len(one))] + other[chance.randint(0, len(other)) :]


def _delete(chance: random.Random, one: str, other: str) -> str:
    start = chance.randint(0, len(one))
    return one[:start] + one[start + chance.randint(1, 8) :]


def _duplicate(chance: random.Random, one: str, other: str) -> str:
    start = chance.randint(0, len(one))
    end = min(len(one), start + chance.randint(1, 30))
    return one[:end] + one[start:end] * chance.choice((1, 2, 3, 50)) + one[end:]


def _swap(chance: random.Random, one: str, other: str) -> str:
    words = one.split(" ")
    first, second = chance.randrange(len(words)), chance.randrange(len(words))
    words[first], words[second] = words[second], words[first]
    return " ".join(words)


def _insert(chance: random.Random, one: str, other: str) -> str:
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        place = chance.randint(0, len(one))
        one = one[:place] + chance.choice(PIECES) + one[place:]
    return one


def _join(chance: random.Random, one: str, other: str) -> str:
    return one + chance.choice(PIECES) + other


def _nest(chance: random.Random, one: str, other: str) -> str:
    before, after = chance.choice(
        (
            ("$(", ")"), ("`", "`"), ("(", ")"), ("{ ", "; }"), ("bash -c '", "'"), ('sh -c "', '"'), ("eval ", ""),
            ("if ", "; then :; fi"), ("while ", "; do :; done"), ("f() { ", "; }; f"), ("echo ", " | sh"),
            ("cat <<E | bash\n", "\nE\n"), ("xargs -I{} ", ""), ("python3 -c 'import os; os.system(\"", "\")'"),
            ("ssh host '", "'"), ("find . -exec ", " {} +"), ("alias a='", "'\na"), ("trap '", "' EXIT"),
            ("${a:-", "}"), ("((", "))"), ("[[ ", " ]]"), ("x=", ""), ("perl -e '", "'"),
            ("git config alias.x '!", "'; git x"),
        )
    )  # fmt: skip
    times = chance.choice((1, 1, 1, 2, 5, 40))
    return before * times + one + after * times


def _lengthen(chance: random.Random, one: str, other: str) -> str:
    piece = chance.choice((*PIECES, one, f"{one} ", other))
    room = max(1, MAX_CHARS // max(1, len(piece)))
    return one + piece * chance.choice((20, min(300, room), room))


MUTATIONS: tuple[Mutation, ...] = (_splice, _delete, _duplicate, _swap, _insert, _insert, _insert, _join, _nest)


def read_seeds() -> list[str]:
    """Commands of the corpus and of every policy's cases."""
    lines = CORPUS.read_text().splitlines()
    known = [row.get("command") or row.get("cmd") or "" for row in map(json.loads, lines)]
    folder = next(folder for folder in CASE_FOLDERS if folder.is_dir())
    for file in sorted(folder.rglob("*.toml")):
        table = msgspec.toml.decode(file.read_bytes())
        known += (case.get("bash", "") for case in table.get("case", ()))
    return [command for command in known if isinstance(command, str) and command]


def iter_commands(seeds: list[str], count: int, seed: int) -> Iterator[str]:
    """So many mutated commands, the same ones for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        command = chance.choice(seeds)
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            command = chance.choice(MUTATIONS)(chance, command, chance.choice(seeds))
        if chance.random() < 0.003:
            command = _lengthen(chance, command, chance.choice(seeds))
        yield command[:MAX_CHARS]


class Finding(msgspec.Struct, frozen=True):
    """A command that something failed on, or took long for."""

    kind: str
    command: str
    detail: str = ""


class Subject:
    """Everything that a command is sent through."""

    def __init__(self, folder: Path) -> None:
        home = Home(folder / "home" / ".synaptic")
        home.root.mkdir(parents=True)
        self.root = str(folder / "project")
        (folder / "project" / ".git").mkdir(parents=True)
        (folder / "project" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.env = {"HOME": str(folder / "home")}
        self.policies: list[Policy] = [kind() for kind in load_policies().values() if PreToolUse in kind.events]
        needs = {need for policy in self.policies for need in policy.needs}
        self.needs = frozenset(need for need in needs if ":" in need or need in find_gatherers()) - PROCESS_FACTS
        self.means = EngineMeans(Store.open(home), HookRunners(home.spool))

    async def send(self, command: str) -> Iterator[Finding]:
        """What goes wrong with a command."""
        event = PreToolUse(
            hook_event_name="PreToolUse",
            session_id="s",
            cwd=self.root,
            tool_name="Bash",
            tool_input={"command": command},
        )
        call = Call("c", "claude", event, {}, root=self.root, at=1e9, env=self.env)
        found: list[Finding] = []
        try:
            facts = await gather_facts(call, self.needs, self.means)
        except Exception:
            return iter([Finding("reader", command, traceback.format_exc(limit=-4))])
        found += (Finding(f"fact {name}", command, why) for name, why in facts.failed.items())
        for policy in self.policies:
            try:
                policy.check(event, facts)
            except Exception:
                found.append(Finding(f"policy {policy.id}", command, traceback.format_exc(limit=-4)))
        return iter(found)


class _HangError(BaseException):
    """Raised where a command takes longer than anybody would wait."""


def _raise_hang(*_: object) -> None:
    raise _HangError


async def fuzz(count: int, seed: int, tell: Callable[[Finding], None]) -> None:
    """Send so many commands; `tell` is called for everything that goes wrong."""
    signal.signal(signal.SIGALRM, _raise_hang)
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(Path(folder))
        for number, command in enumerate(iter_commands(read_seeds(), count, seed)):
            started = time.process_time()
            signal.alarm(HANG_SECONDS)
            try:
                for finding in await subject.send(command):
                    tell(finding)
            except _HangError:
                tell(Finding("hang", command, traceback.format_exc(limit=-6)))
            finally:
                signal.alarm(0)
            took = time.process_time() - started
            if took > SLOW_SECONDS:
                tell(Finding("slow", command, f"{took:.2f} s"))
            if number and number % 50_000 == 0:
                print(f"{number} commands", file=sys.stderr, flush=True)
        subject.means.store.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    findings: list[Finding] = []

    def tell(finding: Finding) -> None:
        findings.append(finding)
        print(json.dumps(msgspec.to_builtins(finding)), flush=True)

    asyncio.run(fuzz(options.count, options.seed, tell))
    print(f"{options.count} commands, {len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
