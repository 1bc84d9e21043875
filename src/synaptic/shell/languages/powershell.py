"""PowerShell text as commands of a shell: what its cmdlets delete, move, write and read, and the programs it starts."""

import re

import msgspec

from synaptic.shell.names import split_names
from synaptic.shell.read.script import Word

MAX_POWERSHELL = 20_000
MAX_STATEMENTS = 400
TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*|<\#.*?(?:\#>|\Z))"
    r"|(?P<string>@'\r?\n.*?(?:\n'@|\Z)|@\"\r?\n.*?(?:\n\"@|\Z)|\"(?:[^\"`]|`.|\"\")*+\"|'(?:[^']|'')*+')"
    r"|(?P<space>[ \t]+|`\r?\n)|(?P<end>;|\r?\n|&&|\|\|)|(?P<pipe>\|)"
    r"|(?P<mark>\[[\w.]+\](?:::\w+)?|@\(|\$\(|@\{|[{}(),=]|[*\d]?>{1,2}(?:&\d)?)"
    r"|(?P<word>(?:`.|[^\s;|{}(),=\"'`>])+)|(?P<other>.)",
    re.DOTALL,
)
DOTNET_DELETION = re.compile(r"\[(?:System\.)?IO\.(Directory|File)\]::Delete\(\s*([^,)]+)(,\s*\$true)?", re.IGNORECASE)
ALIASES = {
    **dict.fromkeys(("rm", "del", "ri", "rd", "rmdir", "erase"), "remove-item"),
    **dict.fromkeys(("mv", "mi", "move", "ren", "rni", "rename-item"), "move-item"),
    **dict.fromkeys(("cp", "copy", "cpi"), "copy-item"),
    **dict.fromkeys(("gci", "dir", "ls", "get-item", "gi"), "get-childitem"),
    **dict.fromkeys(("gc", "cat", "type"), "get-content"),
    **dict.fromkeys(("sc", "ac", "add-content", "out-file", "clc", "clear-content", "tee-object"), "set-content"),
    **dict.fromkeys(("where", "?", "select", "sort", "sort-object", "select-object"), "where-object"),
    **dict.fromkeys(("foreach", "%"), "foreach-object"),
    **dict.fromkeys(("saps", "start"), "start-process"),
    **dict.fromkeys(("sl", "chdir", "push-location", "pushd"), "set-location"),
    "iex": "invoke-expression",
}
KEYWORDS = split_names("if else elseif while do until try catch finally function return param switch process begin end")
VALUE_OPTIONS = split_names(
    "-filter -include -exclude -depth -encoding -value -itemtype -newname -erroraction -ea -force: -confirm: -stream"
    " -argumentlist -workingdirectory -verb -credential"
)
"""Options of those cmdlets whose value is no path."""
HOME_VARIABLES = ("$home", "$env:userprofile", "$env:home", "${home}", "${env:userprofile}", "$env:homepath")
TEMP_VARIABLES = ("$env:temp", "$env:tmp")
CMD_SWITCH = re.compile(r"/[a-z]", re.IGNORECASE)
EVERYTHING = Word("*", glob=True)


class Statement(msgspec.Struct):
    """One command: its words, where it starts and ends in the text, and what a pipe gives it."""

    words: list[Word]
    start: int
    end: int = 0
    piped: bool = False
    redirect: Word | None = None


class PowerShellAct(msgspec.Struct, frozen=True):
    """A command of a shell with the same effect, or the part of the text that another program is started by."""

    argv: list[Word] = []
    span: tuple[int, int] | None = None
    code: str = ""
    """Text that is PowerShell again."""
    written: Word | None = None


def read_powershell(text: str) -> list[PowerShellAct]:
    """What the text does, in order. What it computes is not known."""
    reader = _PowerShellReader(text[:MAX_POWERSHELL])
    return [*reader.read(), *reader.read_dotnet()]


class _PowerShellReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.values: dict[str, list[Word]] = {}
        self.flowing: list[Word] = []
        self.goes_down = False
        """Whether the listing that a pipe brings goes into folders."""

    def read(self) -> list[PowerShellAct]:
        return [act for statement in self._split()[:MAX_STATEMENTS] for act in self._read_statement(statement)]

    def read_dotnet(self) -> list[PowerShellAct]:
        return [
            PowerShellAct([Word("rm"), Word("-rf" if found[3] else "-f"), *self._expand(found[2].strip())])
            for found in DOTNET_DELETION.finditer(self.text)
        ]

    def _split(self) -> list[Statement]:
        """The statements, cut at semicolons, lines, pipes and brackets, each with its words."""
        found: list[Statement] = []
        now, glued, redirected = Statement([], 0), False, False
        piped = False
        for token in TOKEN.finditer(self.text):
            kind, text = token.lastgroup, token[0]
            if kind in ("end", "pipe") or (kind == "mark" and text[-1] in "{}()"):
                now.end = token.start()
                found.append(now)
                # A block behind a pipe is given what the pipe brings.
                piped = kind == "pipe" or (piped and text == "{")
                now, redirected = Statement([], token.end(), piped=piped), False
            elif kind == "mark" and ">" in text:
                redirected = "&" not in text
            elif kind in ("word", "string") or (kind == "mark" and text == "="):
                if redirected:
                    now.redirect, redirected = Word(text), False
                elif glued and now.words:
                    now.words[-1] = Word(now.words[-1].text + text)
                else:
                    now.words.append(Word(text))
            glued = kind in ("word", "string")
        now.end = len(self.text)
        return [*found, now]

    def _read_statement(self, statement: Statement) -> list[PowerShellAct]:
        if not statement.piped:
            self.flowing = []
        acts: list[PowerShellAct] = []
        if statement.redirect is not None:
            acts += [PowerShellAct(written=word) for word in self._expand(statement.redirect.text)]
        words = [word for word in statement.words if word.text.lower() not in KEYWORDS]
        if len(words) > 1 and words[0].text[:1] == "$" and words[1].text.lower() in ("=", "in"):
            self._bind(words)
            return acts
        while words and words[0].text in ("&", "."):
            words = words[1:]
        if not words:
            return acts
        name = words[0].text.strip("'\"").lower().removesuffix(".exe")
        return [*acts, *self._read_command(ALIASES.get(name, name), words, statement)]

    def _bind(self, words: list[Word]) -> None:
        self.values[words[0].text.lower()] = [one for word in words[2:] for one in self._expand(word.text)]

    def _read_command(self, name: str, words: list[Word], statement: Statement) -> list[PowerShellAct]:
        given = words[1:]
        flags = [word.text.lower() for word in given if word.text[:1] == "-"]
        if "-whatif" in flags:
            return []
        if name in ("where-object", "foreach-object"):
            if name == "where-object":
                self.flowing = [Word(f"{_get_folder(word)}/{{}}", known=False) for word in self.flowing]
            self.values["$_"] = self.flowing
            return []
        paths = [one for word in self._list_operands(given) for one in self._expand(word.text)]
        read = READERS.get(name)
        if read is not None:
            return read(self, paths, flags)
        if name == "invoke-expression":
            return [PowerShellAct(code=one.text) for one in paths[:1] if one.known]
        if name == "start-process":
            return [PowerShellAct([one for word in given if word.text[:1] != "-" for one in self._expand(word.text)])]
        if "-" in name and name[0].isalpha() and "." not in name and "/" not in name:
            return [PowerShellAct([Word(name), *paths])]  # another cmdlet: some guards know them by name
        # Another program: the shell's own reader takes it from the text, so that its places are known.
        return [PowerShellAct(span=(statement.start, statement.end))] if name[:1] not in "$[@'\"" else []

    def _list_operands(self, given: list[Word]) -> list[Word]:
        """The words that are no options and not the value of one that takes no path."""
        texts = [word.text.lower() for word in given]
        return [
            word
            for place, word in enumerate(given)
            if word.text[:1] != "-" and not (place and texts[place - 1] in VALUE_OPTIONS)
        ]

    def read_removal(self, paths: list[Word], flags: list[str]) -> list[PowerShellAct]:
        recursive = any(flag.startswith("-r") for flag in flags) or (not paths and self.goes_down)
        if any(path.text.lower() == "/s" for path in paths):  # as `cmd` writes it
            paths, recursive = [path for path in paths if not CMD_SWITCH.fullmatch(path.text)], True
        paths = paths or self.flowing
        # Without `-Force` PowerShell asks about nothing either.
        return [PowerShellAct([Word("rm"), Word("-rf" if recursive else "-f"), *paths])] if paths else []

    def read_listing(self, paths: list[Word], flags: list[str]) -> list[PowerShellAct]:
        """What a listing hands on: all that is in a folder, or what a filter leaves of it."""
        narrowed = any(flag in ("-filter", "-include", "-exclude") for flag in flags)
        last = Word("{}", known=False) if narrowed else EVERYTHING
        self.flowing = [_join(path, last) for path in paths or [Word(".")]]
        self.goes_down = any(flag.startswith("-r") for flag in flags)
        self.values["$_"] = self.flowing
        return [PowerShellAct([Word("ls"), *paths])]

    def read_move(self, paths: list[Word], flags: list[str]) -> list[PowerShellAct]:
        return [PowerShellAct([Word("mv"), *paths])] if len(paths) > 1 else []

    def read_copy(self, paths: list[Word], flags: list[str]) -> list[PowerShellAct]:
        return [PowerShellAct([Word("cp"), *paths])] if len(paths) > 1 else []

    def read_write(self, paths: list[Word], flags: list[str]) -> list[PowerShellAct]:
        return [PowerShellAct(written=path) for path in paths[:1]]

    def read_folder(self, paths: list[Word], flags: list[str]) -> list[PowerShellAct]:
        return [PowerShellAct([Word("cd"), *paths[:1]])]

    def read_content(self, paths: list[Word], flags: list[str]) -> list[PowerShellAct]:
        return [PowerShellAct([Word("cat"), *paths])]

    def _expand(self, text: str) -> list[Word]:
        """What a word stands for: a text, the values of a variable, a path below one of them."""
        low = text.lower().removesuffix(".fullname")
        if low in self.values:
            return self.values[low]
        plain = text if text[:1] == "'" else _put_folders(text)
        if plain[:1] != "'" and (name := VARIABLE.search(plain)):
            held = self.values.get(name[0].lower(), [])
            if len(held) == 1 and held[0].known:
                plain = plain.replace(name[0], held[0].text)
        plain = plain.strip("'\"")
        if plain[:1] in (".", "~", "$") or "/" in plain:
            plain = plain.replace("\\", "/")
        return [Word(plain, "$" not in plain, "*" in plain)] if plain else []


VARIABLE = re.compile(r"\$(?:\w+:)?\w+")


def _put_folders(text: str) -> str:
    """The text with `~` for each variable that names the home, and `/tmp` for those of the temporary folder."""
    low = text.lower()
    for names, folder in ((HOME_VARIABLES, "~"), (TEMP_VARIABLES, "/tmp")):
        for name in names:
            place = low.find(name)
            if place >= 0 and not low[place + len(name) : place + len(name) + 1].isalnum():
                return text[:place] + folder + text[place + len(name) :]
    return text


def _join(folder: Word, last: Word) -> Word:
    return Word(f"{folder.text.rstrip('/')}/{last.text}", folder.known and last.known, last.glob)


def _get_folder(word: Word) -> str:
    return word.text.rpartition("/")[0] or "."


READERS = {
    "remove-item": _PowerShellReader.read_removal,
    "get-childitem": _PowerShellReader.read_listing,
    "move-item": _PowerShellReader.read_move,
    "copy-item": _PowerShellReader.read_copy,
    "set-content": _PowerShellReader.read_write,
    "set-location": _PowerShellReader.read_folder,
    "get-content": _PowerShellReader.read_content,
}
