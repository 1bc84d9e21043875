"""Programs that print, copy or pack files, and which of their words are files."""

import re
from collections.abc import Iterator

import msgspec

from synaptic.shell.names import names
from synaptic.shell.paths import LONGEST
from synaptic.shell.read.script import Command, Word

READERS = names(
    "cat tac nl less more most head tail bat batcat view vi vim nvim nano emacs code ed grep egrep fgrep rg ag ack"
    " sed gsed awk gawk mawk perl cut paste sort uniq tr rev fold fmt pr strings xxd od hexdump hd base64 openssl"
    " cp mv ln rsync scp install tar bsdtar zip 7z gzip gpg tee dd jq yq diff cmp comm split csplit source . mapfile"
    " readarray read pbcopy xclip xsel wl-copy curl wget nc ncat socat python python3 node ruby sponge gc type"
    " get-content zgrep base32 sqlite3"
)
IDENTITY = frozenset({"-i", "-F", "--key", "--cert", "-E", "--netrc-file", "-inkey", "-config"})
"""Options that use a key for what it is made for."""
KEY_USERS = names("scp sftp curl wget openssl nc ncat socat python python3 node ruby")
"""The programs in which they do; `-E` of `cat` and `-i` of `grep` are something else."""
EXCLUDES = frozenset({"--exclude", "--exclude-dir", "--ignore", "--ignore-dir"})
"""Options whose value names what is left out."""
LEFT_OUT = ("!", *(f"{option}=" for option in sorted(EXCLUDES)))
LOGIN = re.compile(r"--rsh=ssh\s|ssh\s|(?:IdentityFile|CertificateFile|UserKnownHostsFile|ControlPath)[ =]")
"""How a copier logs in: `-e "ssh -i KEY"`, `-o IdentityFile=KEY`."""
COPIERS = frozenset({"rsync", "scp", "sftp"})
ABBREVIATED = 4
"""Characters that an abbreviated long option has at least, dashes included."""


class Search(msgspec.Struct, frozen=True):
    """A program whose first operand is a pattern or a program of its own, unless an option gives it."""

    texts: frozenset[str]
    """Options whose value is that text."""
    valued: frozenset[str]
    """All options that take a value."""
    files: frozenset[str]
    """Options whose value is a file that holds it, and those with which there is no such text at all."""
    opens: re.Pattern[str]
    """What its text holds when it opens files itself."""

    def option(self, text: str) -> tuple[str, bool]:
        """The option of a word, and whether the next word is its value."""
        if text[:2] == "--":
            name, equals, _ = text.partition("=")
            return name, not equals and name in self.valued
        for place, letter in enumerate(text[1:], 2):
            if f"-{letter}" in self.valued:
                return f"-{letter}", place == len(text)
        return text, False


def _search(texts: str, more: str, files: str = "", opens: str = r"(?!)") -> Search:
    return Search(names(texts), names(f"{texts} {more}"), names(files), re.compile(opens))


LINES = "-A -B -C -m --max-count --context --after-context --before-context"
GREP = _search("-e --regexp", f"{LINES} -f --file -d -D --include --exclude --exclude-dir --binary-files", "-f --file")
RIPGREP = _search(
    "-e --regexp", f"{LINES} -f --file -g --glob --iglob -t -T --type -j -M -r --replace -d --max-depth --color",
    "-f --file --files --type-list",
)  # fmt: skip
SED = _search("-e --expression", "-f --file -l", "-f --file", r"(?:^|[\s;{}$\d])[rR]\s*[~/.\w]|/[rR]\s")
AWK = _search("-e --source", "-F -v -f --file --field-separator --assign", "-f --file", r"getline|system")
SEARCHES = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), GREP),
    "rg": RIPGREP,
    **dict.fromkeys(("ag", "ack"), _search("--match", f"{LINES} -G -g --ignore --ignore-dir", "-g -f")),
    **dict.fromkeys(("sed", "gsed"), SED),
    **dict.fromkeys(("awk", "gawk", "mawk"), AWK),
    **dict.fromkeys(("jq", "yq"), _search("", "--indent -L", "-f --from-file")),
}
CODE = {
    "python": re.compile(r"-[A-Za-z]*c"),
    "python3": re.compile(r"-[A-Za-z]*c"),
    "perl": re.compile(r"-[A-Za-z0-9]*[eE]"),
    "ruby": re.compile(r"-[A-Za-z0-9]*e"),
    "node": re.compile(r"-(?:e|p|pe)|--(?:eval|print)"),
}
OPENS = re.compile(
    r"open|read(?!me)|load|slurp|cat\b|exec|system|spawn|popen|copy|rename|link|source|include|input|<|File\.new",
    re.IGNORECASE,
)
"""What code holds that opens a file or runs a program that may."""
SQL = re.compile(
    r"\s*(?:select|insert|update|delete|create|drop|pragma|with|alter|explain|attach|vacuum|begin|replace)\b",
    re.IGNORECASE,
)
PARTS = re.compile(r"[\s\"'`;,(){}<>]+")
NOTHING = re.compile(r"(?!)")


def files_of(command: Command) -> Iterator[Word]:
    """The words of a reading command that may be files: no patterns, no program text, no keys that are used."""
    name = command.name.lower()
    spoken, opens = _spoken(command.argv, name)
    copies, uses = name in COPIERS, name in KEY_USERS
    before = ""
    for place, word in enumerate(command.argv[1:], 1):
        text = word.text
        used = uses and (before in IDENTITY or (text[:2] == "-i" and len(text) > 2))
        aside = before in EXCLUDES or text.startswith(LEFT_OUT) or (copies and LOGIN.match(text))
        if place in spoken:
            yield from _opened(text, opens)
        elif not used and not aside:
            yield word
        before = text


def _spoken(words: tuple[Word, ...], name: str) -> tuple[set[int], re.Pattern[str]]:
    """The places of the words that are text for the program itself, and what this text holds when it opens files."""
    if search := SEARCHES.get(name):
        return _patterns(words, search), search.opens
    if code := CODE.get(name):
        return _codes(words, code), OPENS
    if name == "sqlite3":
        return {place for place, word in enumerate(words) if SQL.match(word.text)}, NOTHING
    if name == "zip":
        return _left_out(words), NOTHING
    return set(), NOTHING


def _opened(text: str, opens: re.Pattern[str]) -> Iterator[Word]:
    """The paths in a text that opens files."""
    if len(text) <= LONGEST and opens.search(text):
        yield from (Word(part) for part in PARTS.split(text) if "/" in part)


def _left_out(words: tuple[Word, ...]) -> set[int]:
    """`zip -r a.zip . -x THIS THAT`: up to the next option."""
    start = next((place for place, word in enumerate(words) if word.text in ("-x", "--exclude")), len(words))
    rest = range(start + 1, len(words))
    end = next((place for place in rest if words[place].text[:1] == "-"), len(words))
    return set(range(start + 1, end))


def _patterns(words: tuple[Word, ...], search: Search) -> set[int]:
    found: set[int] = set()
    first, given, place = 0, False, 1
    while place < len(words):
        text = words[place].text
        if text == "--":
            first = first or place + 1
            break
        if text[:1] != "-" or text == "-":
            suffix = not text and words[place - 1].text == "-i"  # `sed -i ''` of BSD
            first = first or (0 if suffix else place)
        else:
            name, next_one = search.option(text)
            given = given or _is(name, search.files)
            if _is(name, search.texts):
                given = True
                found.add(place + next_one)
            place += next_one
        place += 1
    return found if given else {*found, first}


def _is(name: str, options: frozenset[str]) -> bool:
    if name in options or len(name) < ABBREVIATED or name[:2] != "--":
        return name in options
    return any(option.startswith(name) for option in options)


def _codes(words: tuple[Word, ...], option: re.Pattern[str]) -> set[int]:
    """Code behind an option, or glued to it."""
    return {
        place
        for place, word in enumerate(words[1:], 1)
        if option.fullmatch(words[place - 1].text) or (option.match(word.text) and " " in word.text)
    }
