"""Text that code may start as a command or remove as a folder, by whatever way it gets to it.

A language has more ways to call a function than can be followed: tables, callbacks, threads, names made of letters. So
code that can start programs is taken to start every text beside it that destroys: in its literals, its arguments, its
input and the variables it asks for.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from synaptic.shell.destroying import find_destroying, may_destroy
from synaptic.shell.read.quoting import decode_escapes

STARTING_CODE = {
    "python": re.compile(
        r"system|metsys|popen|subprocess|\bos\.(?:exec|spawn|posix_spawn)|\bpty\b|DLL|LoadLibrary|pexpect|getoutput|runpy|pager"
        r"|webbrowser|distutils|\bposix\b|\b(?:exec|eval|compile|run|runsource|push|timeit|getattr|vars|globals)\("
        r"|__dict__|__getattribute__|modules|methodcaller|attrgetter|_thread"
    ),
    "awk": re.compile(r"\bsystem\b|\bgetline\b|\|"),
    "perl": re.compile(r"\bsystem\b|\bexec\b|`|\bqx\b|\bopen[23]?\b|\beval\b|\breadpipe\b|IPC::|\bdo\b"),
    "ruby": re.compile(r"\b(?:system|exec|spawn|popen\w*|Open3|PTY|Kernel|eval|send|syscall)\b|`|%x"),
    "php": re.compile(r"\b(?:system|\w*exec|passthru|popen|proc_open|eval|assert|call_user_func\w*|array_map)\b|`"),
    "javascript": re.compile(
        r"(?s)^(?=.*(?:child_process|execa|shelljs|Deno|Bun|process\.binding|['\"](?:zx|bun)\b)).*?(?:\b(?:exec|spawn)\w*\s*\((?!\s*(?P<quote>['\"`])(?!(?:/bin/|/usr/bin/)?(?:ba|da|z)?sh(?P=quote))(?:(?!(?P=quote))[^$])+(?P=quote))"
        r"|\b(?:exec|spawn)\w*\s*[\])'\",.]|reverse|\bDeno\b|\bBun\b|process\.binding|['\"](?:zx|bun)\b|stdin|\bvm\b|\b(?:eval|Function)\()"
    ),
    "lua": re.compile(r"\b(?:execute|popen|load|loadstring|dofile|os|io)\b"),
    "r": re.compile(r"\b(?:system2?|shell|pipe|eval)\b"),
    "julia": re.compile(r"`|\brun\b"),
    "elixir": re.compile(r"\b(?:cmd|shell|os|Port)\b"),
    "go": re.compile(r"os/exec|syscall"),
    "c": re.compile(r"\b(?:system|popen|exec[lv]\w*|posix_spawn\w*)\b"),
    "tcl": re.compile(r"\b(?:exec|open|eval|source|system|spawn|uplevel|subst)\b"),
    "lisp": re.compile(r"shell|process|eval|load"),
}
"""What code of a language holds that can start a program."""
EMPTYING_FORM = r"\bunlink[\s(]+(?:glob\b|<).*?\brmdir\b"
EMPTYING_CODE = re.compile(EMPTYING_FORM, re.DOTALL)
"""Perl that removes all that a pattern matches, which is a folder but for its name."""
REMOVING_CODE = re.compile(
    r"rmtree|remove_tree|rm_rf|rm_r\b|removedirs|remove_dir|remove_entry|RemoveAll|rmSync|rimraf|file\s+delete|delete-directory"
    r"|(?:File::Find|finddepth|os\.f?walk|rglob|iterdir|scandir|Find\.find).*?(?:unlink|remove|rmdir)"
    rf"|{EMPTYING_FORM}",
    re.DOTALL,
)
"""What code holds that removes a folder with all it holds."""
ARGUMENT_CODE = re.compile(r"argv|ARGV|ARGF|\bshift\b|@_|\bargs\b|\$[1-9]|<>|<STDIN>|stdin", re.IGNORECASE)
LITERAL = re.compile(
    r"\"\"\"(.*?)\"\"\"|'''(.*?)'''|\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'|`([^`]*+)`"
    r"|(?:\bq[qxw]?|%[xqQwW])\s*(?:\(([^)]*+)\)|\{([^}]*+)\}|\[([^\]]*+)\]|<([^>]*+)>|/([^/]*+)/|!([^!]*+)!|\|([^|]*+)\|)"
    r"|<(~?/[^>\n]*+)>|\{([^{}]*+)\}",
    re.DOTALL,
)
REMOVED_LETTERS = re.compile(r"[/|#,]([\w.%@+~-]{1,3})[/|#,][/|#,]?|[\"']([^\"'\\]{1,3})[\"']")
"""What `s/X//`, `replace("X", "")` and their like take out of a text."""
NUMBERS = re.compile(r"\d{2,3}(?:[\s,.]+\d{2,3}){5,400}")
HEXADECIMAL = re.compile(r"(?:[0-9a-fA-F]{2}){8,2000}")
BASE64 = re.compile(r"[A-Za-z0-9+/]{12,4000}={0,2}")
PATH_LITERAL = re.compile(
    r"(?:~|/|\.\.(?:/|$)|\$(?:ENV\{HOME\}|env\(HOME\)|HOME|_(?:SERVER|ENV)\['?HOME'?\])|#\{)[^\s]*"
)
HOME_REFERENCE = re.compile(r"\$ENV\{HOME\}|\$env\(HOME\)|\$_(?:SERVER|ENV)\['?HOME'?\]|#\{[^}]*(?:HOME|home)[^}]*\}")
MAX_LITERALS = 200
MAX_TEXTS = 12
MAX_CODE = 20_000


class CodeSurroundings(msgspec.Struct, frozen=True):
    """A piece of code and everything that it can get hold of."""

    code: str
    language: str
    words: tuple[str, ...] = ()
    stdin: str | None = None
    variables: Mapping[str, str] = {}
    followed: frozenset[str] = frozenset()
    """Texts of which it is known what the code does with them."""

    def list_texts(self) -> list[str]:
        """What it is given: its arguments one by one and as a line, its input, variables that it names."""
        texts = [*self.words, " ".join(self.words)] if len(self.words) > 1 else [*self.words]
        texts += [self.stdin] if self.stdin else []
        return texts + [text for name, text in self.variables.items() if name in self.code]


def find_startable(at: CodeSurroundings) -> list[str]:
    """The commands that destroy, in what the code holds and is given; none when it cannot start a program."""
    form = STARTING_CODE.get(at.language)
    code = at.code[:MAX_CODE]
    if form is None or not form.search(code):
        return []
    texts = [text for text in _list_plain(code) if text not in at.followed][:MAX_LITERALS]
    found = _collect((*texts, *_iter_joined(texts), *at.list_texts()))
    # The costly look at disguises only where nothing stands there plainly.
    return found or _collect((*_iter_disguised(texts, code), *_decode(code)))


def _collect(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        found.update(dict.fromkeys(find_destroying(text)))
        if len(found) >= MAX_TEXTS:
            break
    return list(found)


def find_removable(at: CodeSurroundings) -> list[str]:
    """The paths outside the folder that code may remove with all that is below them."""
    code = at.code[:MAX_CODE]
    if not REMOVING_CODE.search(code):
        return []
    words = at.list_texts() if ARGUMENT_CODE.search(code) else []
    paths = (HOME_REFERENCE.sub("~", text.strip()) for text in (*_list_literals(code), *words))
    return list(dict.fromkeys(path for path in paths if PATH_LITERAL.fullmatch(path)))[:MAX_TEXTS]


def _list_literals(code: str) -> list[str]:
    found = (next((group for group in one if group), "") for one in LITERAL.findall(code))
    return [text for text, _ in zip(found, range(MAX_LITERALS), strict=False)]


def _list_plain(code: str) -> list[str]:
    """The literals of code, as the code sees them."""
    return [decode_escapes(text) if "\\" in text else text for text in _list_literals(code)]


def _iter_joined(texts: list[str]) -> Iterator[str]:
    """What texts make together."""
    if len(texts) > 1:
        line = " ".join(texts)
        yield line if may_destroy(line) else "".join(texts)
        yield from _fill_templates(texts)


def _iter_disguised(texts: list[str], code: str) -> Iterator[str]:
    """What the usual ways to disguise a text make of them."""
    yield from (text.lower() for text in texts if not text.islower())
    yield from (text[::-1] for text in texts)
    for first, second in REMOVED_LETTERS.findall(code)[:MAX_TEXTS]:
        yield from (text.replace(first or second, "") for text in texts)


def _fill_templates(texts: list[str]) -> Iterator[str]:
    """`"git %s --hard" % "reset"` and its like: the texts behind a template in its gaps."""
    for place, text in enumerate(texts):
        if "%s" in text or "{}" in text:
            for following in texts[place + 1 :]:
                text = re.sub(r"%s|\{\}", lambda _, put=following: put, text, count=1)  # type: ignore[misc]
            yield text


def _decode(code: str) -> Iterator[str]:
    for found in NUMBERS.findall(code):
        yield "".join(chr(int(number)) for number in re.findall(r"\d+", found))
    yield from _try_each(HEXADECIMAL.findall(code), bytes.fromhex)
    yield from _try_each(BASE64.findall(code), base64.b64decode)


def _try_each(texts: Iterable[str], decode: Callable[[str], bytes]) -> Iterator[str]:
    for text in texts:
        try:
            yield decode(text).decode("utf-8", "replace")
        except (ValueError, binascii.Error):
            continue
