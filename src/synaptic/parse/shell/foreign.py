"""Code in JavaScript, Perl, Ruby, PHP, Lua and awk: calls with literal arguments, found by a light tokenising."""

import re

import msgspec

from synaptic.parse.shell.acts import Act, deletion
from synaptic.parse.shell.script import Word

MAX_CODE = 50_000
MAX_TOKENS = 4_000
STRING = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
NAME = r"[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*[!?]?"
QUOTED = r"(?:%x|qx|%w|qw)\s*(?:\([^)]*\)|\{[^}]*\}|\[[^\]]*\]|<[^>]*>|/[^/]*/|\|[^|]*\||!([^!]*)!)"


class Dialect(msgspec.Struct, frozen=True):
    """Which calls of a language matter, by the last part of their name."""

    shell: frozenset[str] = frozenset()
    program: frozenset[str] = frozenset()
    tree: frozenset[str] = frozenset()
    file: frozenset[str] = frozenset()
    write: frozenset[str] = frozenset()
    opens: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    comment: str = r"\#[^\n]*"
    backtick_runs: bool = False
    needs: str = ""
    """Text that must be in the code before the `shell` and `program` calls count."""


def _dialect(
    shell: str = "", tree: str = "", file: str = "", write: str = "", **more: str | bool | frozenset[str]
) -> Dialect:
    sets = {"shell": shell, "tree": tree, "file": file, "write": write}
    return Dialect(**{name: frozenset(text.split()) for name, text in sets.items()}, **more)  # type: ignore[arg-type]


DIALECTS = {
    "javascript": _dialect(
        "exec execSync",
        "rimraf rimrafSync",
        "rm rmSync rmdir rmdirSync unlink unlinkSync",
        "writeFile writeFileSync appendFile appendFileSync truncate truncateSync createWriteStream",
        program=frozenset(["spawn", "spawnSync", "execFile", "execFileSync", "execa", "execaSync", "Command"]),
        comment=r"//[^\n]*|/\*.*?\*/",
        needs="child_process|execa|Deno|Bun|process\\.binding",
    ),
    "perl": _dialect(
        "system exec readpipe", "rmtree remove_tree", "unlink rmdir", opens=frozenset({"open"}), backtick_runs=True
    ),
    "ruby": _dialect(
        "system exec spawn popen capture2 capture2e capture3 popen3 sh",
        "rm_rf rm_r rmtree remove_dir remove_entry remove_entry_secure",
        "rm rm_f delete unlink rmdir safe_unlink",
        "write binwrite",
        opens=frozenset({"open", "new"}),
        backtick_runs=True,
    ),
    "php": _dialect(
        "system exec shell_exec passthru popen proc_open pcntl_exec",
        "",
        "unlink rmdir",
        "file_put_contents",
        opens=frozenset({"fopen"}),
        comment=r"//[^\n]*|/\*.*?\*/|\#[^\n]*",
        backtick_runs=True,
    ),
    "lua": _dialect("execute popen", "", "remove", opens=frozenset({"open"}), comment=r"--[^\n]*"),
    "awk": _dialect("system", comment=r"\#[^\n]*"),
}
HEADS = {"delete": ("File", "Dir", "FileUtils", "Pathname"), "remove": ("os",), "execute": ("os",), "popen": None,
         "new": ("File",), "write": ("File", "IO"), "rm": None, "unlink": None}  # fmt: skip
"""Common words that count only as a method of these."""
TOKENS = {
    name: re.compile(
        rf"(?P<comment>{dialect.comment})|(?P<quoted>{QUOTED})|(?P<string>{STRING}|`(?:[^`\\]|\\.)*+`)"
        rf"|(?P<name>{NAME})|(?P<mark>[^\s])",
        re.DOTALL,
    )
    for name, dialect in DIALECTS.items()
}
Tokens = list[tuple[str, str]]


def foreign_acts(code: str, dialect: Dialect) -> list[Act]:
    """What the code runs, deletes and writes, in the order it is written."""
    name = next(key for key, value in DIALECTS.items() if value is dialect)
    tokens: Tokens = []
    for found in TOKENS[name].finditer(code[:MAX_CODE]):
        if found.lastgroup != "comment":
            tokens.append((found.lastgroup or "mark", found[0]))
        if len(tokens) >= MAX_TOKENS:
            break
    counts = not dialect.needs or bool(re.search(dialect.needs, code))
    acts: list[Act] = []
    for place, (kind, text) in enumerate(tokens):
        if kind == "name":
            acts.extend(_called(tokens, place, dialect, counts))
        elif (kind == "quoted" and text[:2] in ("%x", "qx")) or (dialect.backtick_runs and text[:1] == "`"):
            acts.append(Act("shell", [_inside(text)]))
        elif name == "awk":
            acts.extend(_awk(tokens, place))
    return acts


def _inside(text: str) -> Word:
    return Word(text[1:-1] if text[0] == "`" else re.sub(r"^(?:%x|qx)\s*.|.$", "", text, flags=re.DOTALL))


def _awk(tokens: Tokens, place: int) -> list[Act]:
    """`"cmd" | getline`, `print | "cmd"`, `print > "file"`."""
    kind, text = tokens[place]
    following = tokens[place + 1 : place + 3]
    if kind == "string" and [item[1] for item in following] == ["|", "getline"]:
        return [Act("shell", [_text(text)])]
    if text in ("|", ">") and following and following[0][0] == "string":
        return [Act("shell" if text == "|" else "write", [_text(following[0][1])])]
    return []


def _called(tokens: Tokens, place: int, dialect: Dialect, counts: bool) -> list[Act]:
    parts = re.split(r"\?\.|\.|::|->", tokens[place][1])
    last = parts[-1].rstrip("!?")
    if HEADS.get(last) and len(parts) > 1 and parts[-2] not in (HEADS[last] or ()):
        return []
    if last in dialect.shell and counts:
        return _spoken(_arguments(tokens, place + 1))
    if last in dialect.program and counts:
        words = _arguments(tokens, place + 1)
        return [Act("argv", words)] if words else []
    return _filed(tokens, place, dialect, last)


def _filed(tokens: Tokens, place: int, dialect: Dialect, last: str) -> list[Act]:
    if last in dialect.tree or last in dialect.file:
        words = _arguments(tokens, place + 1)
        recursive = last in dialect.tree or _mentions(tokens, place, "recursive")
        return [deletion(words[:8], recursive)] if words else []
    if last in dialect.write:
        words = _arguments(tokens, place + 1)
        return [Act("write", words[:1])] if words else []
    if last in dialect.opens:
        return _opened(_arguments(tokens, place + 1))
    return []


def _mentions(tokens: Tokens, place: int, name: str) -> bool:
    return any(text == name for _, text in tokens[place : place + 20])


def _spoken(words: list[Word]) -> list[Act]:
    if not words:
        return []
    if len(words) > 1 and all(word.known for word in words[:2]) and " " not in words[0].text:
        return [Act("argv", words)]
    if not words[0].known and " " not in words[0].text:
        return [Act("unknown", words[:1])]
    return [Act("shell", words[:1])]


def _opened(words: list[Word]) -> list[Act]:
    """`open(F, ">file")`, `open(F, ">", "file")`, `open("file", "w")`, `open("|cmd")`."""
    texts = [word.text for word in words if word.known]
    for place, text in enumerate(texts):
        if text.startswith("|") or text.endswith("|"):
            return [Act("shell", [Word(text.strip("| ") or " ".join(texts[place + 1 :]))])]
        if text.startswith(">"):
            path = text.lstrip("> ") or (texts[place + 1] if place + 1 < len(texts) else "")
            return [Act("write", [Word(path)])] if path else []
    if len(texts) > 1 and re.fullmatch(r"[wax]b?\+?|r\+", texts[1]):
        return [Act("write", [Word(texts[0])])]
    return []


def _arguments(tokens: Tokens, place: int) -> list[Word]:
    """The literal arguments behind a name, up to the end of the call; what is no literal is unknown."""
    words: list[Word] = []
    depth, glue = 0, False
    for kind, text in tokens[place : place + 60]:
        if kind == "mark" and text in "([":
            depth += 1
        elif kind == "mark" and text in ")]":
            depth -= 1
            if depth <= 0:
                break
        elif text in (";", "{", "}") or (depth == 0 and text in ("&", "|", ")", "=", "<", ">")):
            break
        elif text in ("+", ".", ".."):
            glue = True
            continue
        elif kind in ("string", "quoted", "name") or text == "$":
            _add(words, kind, text, glue)
        glue = False
    return words


def _add(words: list[Word], kind: str, text: str, glue: bool) -> None:
    if kind == "quoted":
        words.extend(Word(item) for item in re.sub(r"^[%q]\w\s*.|.$", "", text).split())
        return
    word = _text(text) if kind == "string" else Word(text, known=False)
    if glue and words:
        words[-1] = Word(words[-1].text + word.text, words[-1].known and word.known)
    else:
        words.append(word)


def _text(literal: str) -> Word:
    inner = literal[1:-1]
    if "\\" in inner:
        inner = re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), inner, flags=re.DOTALL)
    dynamic = literal[0] != "'" and re.search(r"\$\{|#\{|\$[A-Za-z_]", inner)
    return Word(inner, known=not dynamic)
