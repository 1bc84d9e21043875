"""Where data in a script comes from: through pipes, substitutions and files."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from synaptic.shell.effects.arguments import arguments
from synaptic.shell.names import names
from synaptic.shell.paths import LONGEST
from synaptic.shell.read.script import Command, Script, Word

SHELLS = names("sh bash zsh dash ksh mksh ash fish csh tcsh rbash pwsh powershell yash")
LANGUAGES = names(
    "python python2 python3 pypy pypy3 perl ruby node nodejs php lua deno bun osascript tclsh"
    " rscript julia elixir emacs"
)
NUMBERED = ("python", "pypy", "perl", "ruby", "php", "lua", "ksh", "bash")
VERSIONED = re.compile(rf"({'|'.join(NUMBERED)})[\d.]+")
FETCHERS = names(
    "curl wget wget2 aria2c http https xh fetch lynx w3m links iwr irm invoke-webrequest invoke-restmethod nc ncat"
    " netcat start-bitstransfer telnet xhs curlie lftp tftp axel"
)
SERVED = {
    "gh": re.compile(r"(?:api|gist view|release download)(?: |$)"),
    "glab": re.compile(r"api(?: |$)"),
    "aws": re.compile(r"s3 cp s3://\S+ (?:-|/dev/stdout)(?: |$)"),
    "gsutil": re.compile(r"cat |cp gs://\S+ -(?: |$)"),
    "gcloud": re.compile(r"storage (?:cat |cp gs://\S+ -(?: |$))"),
    "rclone": re.compile(r"cat "),
    "mc": re.compile(r"cat "),
    **dict.fromkeys(("ssh", "autossh", "dig", "drill", "nslookup"), re.compile("")),
}
"""Clients of the user's own machines and services that print what these hold, by the words that make them."""
SERVICE_VALUED = names("--profile --region --endpoint-url -R --repo --hostname -H --header -f -F -X --project --config")
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
    "aria2c": names(
        "-o --out -d --dir -x --max-connection-per-server -s --split -j --max-concurrent-downloads -k --min-split-size"
        " -t --timeout -m --max-tries -U --user-agent --header --referer -l --log --checksum"
    ),
    "axel": names("-o --output -n --num-connections -s --max-speed -H --header -U --user-agent -T --timeout"),
    **dict.fromkeys(
        ("http", "https", "xh", "xhs"), names("-o --output -a --auth -A --auth-type -s --style -p --print")
    ),
}
"""Options that take a value of their own, so that it is not taken for an address."""
OUTPUT = names("-o --output")
LOCAL = re.compile(
    r"(?:[a-z]+://)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?:[:/].*)?$"
)
ADDRESS = re.compile(r"(?:[a-z][a-z+]*://)?(?:[\w.-]+@)?\[?[\w-]+(?:\.[\w-]+)+\]?(?::\d+)?(?:/.*)?|[a-z][a-z+]*://.+")
REMOTE = re.compile(r"(?:[\w.-]+@)?(?!\d+:\d|[A-Za-z]:[\\/])[\w.-]+::?[^:\s]*|rsync://.*")
SOCKET = re.compile(r"/dev/(?:tcp|udp)/")
LINKS = 10_000
"""Links between commands that are followed in one script."""
TANGLED = "More commands feed one another here than can be followed. Split it into smaller commands."


def plain(name: str) -> str:
    """A program's name in lower case and without a version."""
    low = name.lower()
    return VERSIONED.sub(r"\1", low) if low.startswith(NUMBERED) else low


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
        self._pipelines: dict[int, list[tuple[int, Command]]] = {}
        self._origins: dict[int, list[Command]] = {}
        self._left = LINKS
        for command in found.commands:
            for pipeline, place in command.stages:
                self._pipelines.setdefault(pipeline, []).append((place, command))

    @property
    def tangled(self) -> bool:
        """Whether more commands feed one another than are followed."""
        return self._left < 0

    def origins(self, command: Command) -> list[Command]:
        """Every command whose output reaches this one, directly or through others."""
        if self.tangled:
            return []
        known = self._origins.get(command.index)
        if known is None:
            known = self._origins[command.index] = self._followed(command)
        self._left -= len(known)
        return known

    def _followed(self, command: Command) -> list[Command]:
        reached: dict[int, Command] = {}
        taken: dict[int, int] = {}
        waiting = self._before(command, taken)
        while waiting:
            one = waiting.pop()
            if one.index not in reached:
                reached[one.index] = one
                waiting.extend(self._before(one, taken))
        return list(reached.values())

    def _before(self, command: Command, taken: dict[int, int]) -> list[Command]:
        """The commands whose output reaches this one through one pipe or one substitution, without those taken."""
        found: list[Command] = []
        for line, place in command.stages:
            stages, start = self._pipelines[line], taken.get(line, 0)
            end = bisect_left(stages, place, start, key=_place)
            found += [other for _, other in stages[start:end]]
            taken[line] = max(start, end)
        words = (*command.argv, *(redirect.target for redirect in command.redirects))
        return found + [self._commands[place] for word in words for place in word.outputs]

    def sources(self, word: Word) -> list[Command]:
        """Every command whose output a word holds."""
        inside = [self._commands[place] for place in word.outputs]
        return [*inside, *(other for one in inside for other in self.origins(one))]


def _place(stage: tuple[int, Command]) -> int:
    return stage[0]


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


def serves(command: Command) -> bool:
    """Whether it prints what a service or another machine of the user's holds."""
    form = SERVED.get(command.name.lower())
    if form is None or local(command):
        return False
    return form.match(" ".join(arguments(command.argv[1:], SERVICE_VALUED).texts)) is not None


def remote(text: str) -> bool:
    """Whether an argument of scp or rsync names another machine."""
    return len(text) < LONGEST and REMOTE.fullmatch(text) is not None
