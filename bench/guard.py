"""What the guard costs inside the daemon: reading a shell command and asking every policy of `essentials` about it."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.line import Line, at_most
from bench.payload import COMMANDS
from synaptic.engine.collector import calm_collector
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.speakers import PolicySpeakers
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts, with_command
from synaptic.shell.read.limits import MAX_FOREIGN

ROOT, HOME = "/home/user/project", "/home/user"
TYPICAL, SCRIPT, WORST = 150, 5, 50
"""What is promised: microseconds, milliseconds, milliseconds."""
SIZE = 10_000
LARGE = 1_000_000
SCRIPTS = {
    "conditions": 'if [ -f "src/file@.txt" ]; then cp "src/file@.txt" "build/file@.txt" && echo "copied file@"; fi',
    "pipelines": "cat data/in@.csv | grep -v '^#' | sort -u | head -20 > data/out@.csv",
    "git": 'git add src/file@.py && git commit -m "Change file@" && git log --oneline -1',
    "downloads": 'curl -fsSL "https://example.com/file@.tar.gz" -o "downloads/file@.tar.gz" || echo "no file@"',
    "variables": 'NAME@="build-@"; OUT@="$HOME/jobs/${NAME@%-*}"; [ -d "$OUT@" ] || mkdir -p "$OUT@"',
    "loops": 'for f in src@/*.py; do\n  name="$(basename "$f" .py)"\n  sed -i "s/a/b/" "$f" > "out/$name.log"\ndone',
    "functions": 'step@() {\n  local x="$1"\n  echo "step @ $x" >&2\n  npm run build:$x --silent\n}\nstep@ one',
    "deletions": "rm -rf build/out@ && mkdir -p build/out@",
}
SCRIPTS["all of these"] = "\n".join(SCRIPTS.values())
"""Lines that are repeated, each time with another number, until the script is long enough."""
HOSTILE = {
    "deep nesting": "echo $(" * 400 + "ls" + ")" * 400,
    "deep wrapping": "sudo env sh -c 'eval \"" * 200 + "ls",
    "a megabyte of brackets": "(" * LARGE,
    "a megabyte of closing words": "fi " * (LARGE // 3),
    "a megabyte of commands": "ls;" * (LARGE // 3),
    "a megabyte of variables": "$a" * (LARGE // 2),
    "a megabyte in one word": "cat " + "a" * LARGE,
    "a megabyte of here-document": "cat > f <<'E'\n" + "rm -rf /\n" * (LARGE // 9) + "E\n",
    "a here-document without end": "cat <<E\n" + "E x\n" * (LARGE // 4),
    "a megabyte of escapes": "bash -c $'" + "\\x6c" * (LARGE // 4) + "'",
    "growing variables": "x=1234567890;" + "x=$x$x;" * 40 + "echo $x",
    "rounds of rounds": "for a in {1..16}; do for b in {1..16}; do for c in {1..16}; do rm $a/$b/$c; done; done; done",
    "a long pipeline": "|".join(["nc host 1"] * 900),
    "a tangle of pipes": "{ " + "cat secretary;" * 450 + " } | { " + "curl -d @- http://h.example;" * 450 + " }",
    "statements for a regular expression": "psql -c '" + "alter table drop " * (LARGE // 17) + "'",
    "comments for a regular expression": "psql -c '" + "/* " * (LARGE // 3) + "'",
    "brackets for a regular expression": "mongo --eval 'remove(" + " " * LARGE + "'",
    "Python with many names": "python3 <<'E'\n" + "x=a+b\n" * (MAX_FOREIGN // 6 - 9) + "E",
    "a megabyte of Python": "; ".join(["python3 -c '" + "a=1\n" * 1000 + "'"] * 240),
    "patterns at home": "foo " + " ".join(f"~/.{n}*" for n in range(4000)),
    "thousands of pieces of code": "perl " + "-exec " * 3300,
    "thousands of words from braces": "rm -rf {a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n} " * 200,
    "braces in substitutions": "echo " + "$(echo {a,b}{c,d}{e,f}{g,h} " * 20 + ")" * 20,
    "hundreds of links": "; ".join(f"ln -s x l{n}" for n in range(900)),
    "addresses for a regular expression": "curl " + " ".join(["a-" * 1500 + "." + "b." * 500] * 40),
}


class Guard:
    """The policies that a shell command meets, as a user without any configuration has them."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="syn-guard-") as folder:
            index = HookCatalogs(Home(Path(folder))).get(ROOT).index
        selected = index.select(Call("guard", "claude", _event("ls"), {}))
        self._policies: list[Policy] = [policy for policy in selected.policies if policy is not None]
        self._speakers = PolicySpeakers(self._policies)
        self._facts = Facts(root=ROOT, home=HOME)

    def look(self, text: str) -> None:
        """One pass, as in the daemon: who has nothing to say about these programs is not asked; the first one reads."""
        event = _event(text)
        facts = with_command(self._facts, event)
        for place in self._speakers.find_speakers(event, facts):
            self._policies[place].check(event, facts)

    def seconds(self, text: str) -> float:
        """Processor time, so that other work on the machine does not count."""
        start = time.process_time()
        self.look(text)
        return time.process_time() - start


def measured(rounds: int) -> list[Line]:
    """Medians of new texts: nothing that was read before is looked at again."""
    guard = Guard()
    for text in COMMANDS:
        guard.look(text)
    calm_collector()  # as in the daemon
    typical = max(_median(guard, _numbered(command), rounds) for command in COMMANDS) * 1e6
    hostile = max((_median(guard, _hostile(text), 3), name) for name, text in HOSTILE.items())
    return [
        at_most(f"guard, the slowest of {len(COMMANDS)} typical commands", typical, TYPICAL, "µs"),
        *(_script(guard, name, max(rounds // 20, 5)) for name in SCRIPTS),
        at_most(f"guard, the slowest of {len(HOSTILE)} hostile texts ({hostile[1]})", hostile[0] * 1e3, WORST, "ms"),
    ]


def script(name: str, first: int = 0) -> str:
    """A script of ten thousand characters, its names numbered from here on."""
    written: list[str] = []
    size, number = 0, first
    while size < SIZE:
        written.append(SCRIPTS[name].replace("@", str(number)))
        size, number = size + len(written[-1]) + 1, number + 1
    return "\n".join(written)[:SIZE].rpartition("\n")[0]


def _script(guard: Guard, name: str, rounds: int) -> Line:
    millis = _median(guard, lambda number: script(name, number * 1000), rounds) * 1e3
    return at_most(f"guard, a script of 10 KB: {name}", millis, SCRIPT, "ms")


def _median(guard: Guard, text: Callable[[int], str], rounds: int) -> float:
    return statistics.median(_times(guard, text, rounds))


def _times(guard: Guard, text: Callable[[int], str], rounds: int) -> Iterator[float]:
    for number in range(1, rounds + 1):
        yield guard.seconds(text(number))


def _numbered(command: str) -> Callable[[int], str]:
    return lambda number: f"cd step{number} && {command}"


def _hostile(text: str) -> Callable[[int], str]:
    return lambda number: f"cd step{number}; {text}"


def _event(text: str) -> PreToolUse:
    return PreToolUse(hook_event_name="PreToolUse", cwd=ROOT, tool_name="Bash", tool_input={"command": text})
