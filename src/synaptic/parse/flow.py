"""Where data in a script comes from: through pipes, substitutions and files."""

import re
from collections.abc import Iterator
from functools import lru_cache

from synaptic.parse.arguments import arguments
from synaptic.parse.names import names
from synaptic.parse.paths import LONGEST
from synaptic.parse.shell.script import Command, Script, Word

SHELLS = names("sh bash zsh dash ksh mksh ash fish csh tcsh rbash pwsh powershell yash")
LANGUAGES = names("python python2 python3 pypy pypy3 perl ruby node nodejs php lua deno bun osascript tclsh")
VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua|ksh|bash)[\d.]+")
FETCHERS = names(
    "curl wget wget2 aria2c http https xh fetch lynx w3m links iwr irm invoke-webrequest invoke-restmethod nc ncat"
    " netcat start-bitstransfer"
)
WGET = names(
    "-O --output-document -P --directory-prefix -o --output-file -U --user-agent --header --post-file --post-data"
    " --body-file --body-data --method --user --password -t -T -w -e"
)
VALUED = {
    "curl": names(
        " -o --output --output-dir -H --header -d --data --data-binary --data-raw --data-urlencode -X"
        " --request -u --user -A --user-agent -e --referer -x --proxy -b --cookie -c --cookie-jar -F --form"
        " -T --upload-file -w --write-out -m --max-time -D --dump-header -K --config -E --cert --key"
        " --cacert --json --connect-timeout --retry --resolve --proxy-header -r --range -Q --quote -y -Y -z"
        " -C --interface --url-query"
    ),
    "wget": WGET,
    "wget2": WGET,
}
"""Options that take a value of their own, so that it is not taken for an address."""
OUTPUT = names("-o --output")
LOCAL = re.compile(
    r"(?:[a-z]+://)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?:[:/].*)?$"
)
ADDRESS = re.compile(r"(?:[a-z][a-z+]*://)?(?:[\w.-]+@)?\[?[\w-]+(?:\.[\w-]+)+\]?(?::\d+)?(?:/.*)?|[a-z][a-z+]*://.+")
REMOTE = re.compile(r"(?:[\w.-]+@)?(?!\d+:\d|[A-Za-z]:[\\/])[\w.-]+::?[^:\s]*|rsync://.*")
SOCKET = re.compile(r"/dev/(?:tcp|udp)/")


@lru_cache(maxsize=1024)
def plain(name: str) -> str:
    """A program's name in lower case and without a version."""
    return VERSIONED.sub(r"\1", name.lower())


def interpreter(name: str) -> str:
    """`shell`, `language`, or nothing."""
    low = plain(name)
    if low in SHELLS:
        return "shell"
    return "language" if low in LANGUAGES else ""


class Flow:
    """Which commands of a script feed which others. It is built once, so that long scripts stay cheap."""

    def __init__(self, found: Script) -> None:
        self._commands = found.commands
        self._origins: dict[int, list[Command]] = {}
        self._pipelines: dict[int, list[tuple[int, Command]]] = {}
        for command in found.commands:
            for pipeline, place in command.stages:
                self._pipelines.setdefault(pipeline, []).append((place, command))

    def before(self, command: Command) -> list[Command]:
        """The commands whose output reaches this one through one pipe or one substitution."""
        piped = [other for line, place in command.stages for at, other in self._pipelines[line] if at < place]
        words = (*command.argv, *(redirect.target for redirect in command.redirects))
        return piped + [self._commands[place] for word in words for place in word.outputs]

    def origins(self, command: Command) -> list[Command]:
        """Every command whose output reaches this one, directly or through others."""
        known = self._origins.get(command.index)
        if known is not None:
            return known
        reached: dict[int, Command] = {}
        waiting = self.before(command)
        while waiting:
            one = waiting.pop()
            if one.index not in reached and one.index != command.index:
                reached[one.index] = one
                waiting.extend(other for other in self.before(one) if other.index not in reached)
        self._origins[command.index] = found = list(reached.values())
        return found

    def sources(self, word: Word) -> list[Command]:
        """Every command whose output a word holds."""
        inside = [self._commands[place] for place in word.outputs]
        return [*inside, *(other for one in inside for other in self.origins(one))]


def addresses(command: Command) -> Iterator[str]:
    """The arguments that look like an address."""
    for text in arguments(command.argv[1:], VALUED.get(command.name, OUTPUT)).texts:
        if len(text) < LONGEST and (ADDRESS.fullmatch(text) or LOCAL.match(text)):
            yield text


def local(command: Command) -> bool:
    """Whether it only talks to this machine."""
    found = list(addresses(command))
    return bool(found) and all(LOCAL.match(text) for text in found)


def fetches(command: Command) -> bool:
    """Whether its output may come from another machine."""
    if any(SOCKET.match(redirect.target.text) for redirect in command.redirects):
        return True
    return command.name.lower() in FETCHERS and not local(command)


def remote(text: str) -> bool:
    """Whether an argument of scp or rsync names another machine."""
    return len(text) < LONGEST and REMOTE.fullmatch(text) is not None
