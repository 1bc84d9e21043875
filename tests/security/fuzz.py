"""Mutates known commands and sends each through reader, facts and every policy: no exception, nothing slow.

python -m tests.security.fuzz --count 1000000 --seed 20 --processes 2

Each finding is one line of JSON as soon as it is made; progress, and slow commands with the slowest first, are told
on the error stream. It exits with 1 when there was a finding: an exception, a hang, a command that is slow.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
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
SLOW_SECONDS = 0.25
"""Of the processor, twice: something else on the machine may have slowed it down once."""
TELL_EVERY = 10_000
SHOWN_CHARS = 160
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


def iter_commands(seeds: list[str], count: int, seed: int | str) -> Iterator[str]:
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


async def _send_timed(subject: Subject, command: str) -> tuple[list[Finding], float]:
    """What goes wrong with a command, and the seconds of the processor that it took."""
    found: list[Finding] = []
    started = time.process_time()
    signal.alarm(HANG_SECONDS)
    try:
        found.extend(await subject.send(command))
    except _HangError:
        found.append(Finding("hang", command, traceback.format_exc(limit=-6)))
    finally:
        signal.alarm(0)
    return found, time.process_time() - started


async def fuzz(count: int, seed: int | str, tell: Callable[[Finding], None], progress: str = "") -> None:
    """Send so many commands; `tell` is called for everything that goes wrong. `progress` names this run in the news."""
    signal.signal(signal.SIGALRM, _raise_hang)
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(Path(folder))
        for number, command in enumerate(iter_commands(read_seeds(), count, seed), 1):
            found, took = await _send_timed(subject, command)
            for finding in found:
                tell(finding)
            if took > SLOW_SECONDS and not found:
                again = (await _send_timed(subject, command))[1]
                if again > SLOW_SECONDS:
                    tell(Finding("slow", command, f"{min(took, again):.2f} s"))
            if progress and (number % TELL_EVERY == 0 or number == count):
                print(f"{progress}: {number} of {count} commands", file=sys.stderr, flush=True)
        subject.means.store.close()


def run_share(count: int, seed: int | str, progress: str) -> list[Finding]:
    """One process's part of the commands; each finding is told at once."""
    findings: list[Finding] = []

    def tell(finding: Finding) -> None:
        findings.append(finding)
        # One call, so that the lines of several processes stay whole.
        os.write(sys.stdout.fileno(), json.dumps(msgspec.to_builtins(finding)).encode() + b"\n")

    asyncio.run(fuzz(count, seed, tell, progress))
    return findings


def run_shares(count: int, seed: int, processes: int) -> list[Finding]:
    """All commands, in so many processes at the same time."""
    if processes < 2:
        return run_share(count, seed, "fuzz")
    shares = [count // processes + (place < count % processes) for place in range(processes)]
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        runs = [
            pool.submit(run_share, share, f"{seed}/{place}", f"fuzz {place}") for place, share in enumerate(shares, 1)
        ]
        return [finding for run in runs for finding in run.result()]


def summarize(count: int, findings: list[Finding]) -> str:
    """How many of each kind, and every slow command, the slowest first."""
    slow = sorted((one for one in findings if one.kind == "slow"), key=lambda one: -float(one.detail.split()[0]))
    lines = [f"{one.detail}: {one.command[:SHOWN_CHARS]!r}" for one in slow]
    broken = len(findings) - len(slow)
    return "\n".join([f"{count} commands, {broken} exceptions and hangs, {len(slow)} slow", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    findings = run_shares(options.count, options.seed, options.processes)
    print(summarize(options.count, findings), file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
