"""The languages that are read by tokens: which of their calls matter, and how their text is put together."""

import re

import msgspec

STRING = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
NAME = r"[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*[!?]?"
QUOTE_DEPTH = 4
"""Brackets inside brackets of one quoted text."""


def _make_balanced(opening: str, closing: str) -> str:
    """A pattern for text between brackets, with the same brackets inside it: Perl and Ruby count them."""
    one, two = re.escape(opening), re.escape(closing)
    plain = rf"[^\\{one}{two}]++|\\."
    pattern = rf"{one}(?:{plain}){{0,2000}}+{two}"
    for _ in range(QUOTE_DEPTH - 1):
        pattern = rf"{one}(?:{plain}|{pattern}){{0,2000}}+{two}"
    return pattern


DELIMITED = (
    rf"\s*(?:{'|'.join(_make_balanced(*pair) for pair in ('()', '{}', '[]', '<>'))}|/[^/]{{0,2000}}/"
    r"|\|[^|]{0,2000}\||![^!]{0,2000}!)"
)
QUOTED = {
    "perl": rf"(?<![\w$@%&>-])(?:qx|qw|qq|q){DELIMITED}|<(?=[^<>\s=;]{{0,400}}[*?~/])[^<>\s=;]{{1,400}}>",
    "ruby": rf"%[xwWqQ]{DELIMITED}",
}
"""How a language quotes without quotes: what is run, a list of words, a text; in Perl also a pattern for names."""
NEVER_QUOTED = r"(?!)"
COMMENT = r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
"""One that is never closed hides the rest: such code does not run either."""
KEY = r"['\"]?HOME['\"]?"
HOME_EXPRESSION = (
    r"(?:\brequire\(['\"](?:node:)?os['\"]\)|\b\w{1,30})\.homedir\(\)|\bhomedir\(\)|\b(?:process|Bun)\.env\.HOME\b"
    rf"|\bprocess\.env\[{KEY}\]|\bDeno\.env\.get\({KEY}\)|\bDir\.home\b(?:\(\))?|\bENV\[{KEY}\]|\bENV\.fetch\({KEY}\)"
    rf"|\$ENV\{{{KEY}\}}|\b(?:Sys\.|os\.)?[gG]etenv\({KEY}\)|\$_(?:SERVER|ENV)\[{KEY}\]|\bENVIRON\[{KEY}\]"
    rf"|\bSystem\.user_home!?(?:\(\))?|\bSystem\.get_env\({KEY}\)"
)
"""How the languages ask for the home folder."""
HOME_IN_TEXT = re.compile(
    rf"[$#]\{{\s*+(?:{HOME_EXPRESSION})\s*+\}}|\{{?(?:\$ENV\{{{KEY}\}}|\$_(?:SERVER|ENV)\[{KEY}\])\}}?"
)
"""The same inside a string."""

POD = r"(?<=\n)=(?:head\d|over|item|back|pod|begin|end|for|encoding)\b.*?(?:\n=cut\b|\Z)|\b__(?:END|DATA)__\s.*"


class Dialect(msgspec.Struct, frozen=True):
    """Which calls of a language matter, by the last part of their name."""

    name: str
    shell: frozenset[str] = frozenset()
    program: frozenset[str] = frozenset()
    tree: frozenset[str] = frozenset()
    file: frozenset[str] = frozenset()
    write: frozenset[str] = frozenset()
    opens: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    moves: frozenset[str] = frozenset()
    copies: frozenset[str] = frozenset()
    applies: frozenset[str] = frozenset()
    """Calls that are given the name of another one, and what it is called with."""
    prints: dict[str, tuple[str, str]] = {}
    """Calls that print, with what stands between their arguments and what follows the last."""
    comment: str = r"\#[^\n]*"
    glue: str = "+"
    """What puts two texts together; empty when nothing stands between them."""
    backtick_runs: bool = False
    needs: str = ""
    """Text that must be in the code before the `shell` and `program` calls count."""

    def choose_token_pattern(self, code: str) -> re.Pattern[str]:
        """The pattern that takes this code apart; most code does not ask where home is."""
        return TOKEN_PATTERNS[self.name, "HOME" in code or "home" in code]

    @property
    def relevant_calls(self) -> frozenset[str]:
        """The names of all calls that matter."""
        return RELEVANT_CALLS[self.name]


CALL_SETS = ("shell", "program", "tree", "file", "write", "opens", "reads", "code", "moves", "copies", "applies")


def _make_dialect(name: str, **more: str | bool | dict[str, tuple[str, str]]) -> Dialect:
    given = {key: frozenset(str(value).split()) if key in CALL_SETS else value for key, value in more.items()}
    return Dialect(name, **given)  # type: ignore[arg-type]


PRINTED_LINE = ("", "\n")
DIALECTS = {
    dialect.name: dialect
    for dialect in (
        _make_dialect(
            "javascript",
            shell="exec execSync execaCommand execaCommandSync",
            program="spawn spawnSync execFile execFileSync execa execaSync Command",
            tree="rimraf rimrafSync del deleteSync deleteAsync sync emptyDir emptyDirSync emptydir emptydirSync",
            file="rm rmSync rmdir rmdirSync unlink unlinkSync remove removeSync",
            write="writeFile writeFileSync appendFile appendFileSync truncate truncateSync createWriteStream"
            " writeTextFile writeTextFileSync",
            reads="readFile readFileSync createReadStream readTextFile readTextFileSync",
            moves="rename renameSync moveSync",
            copies="copyFile copyFileSync cpSync",
            code="eval Function runInThisContext runInNewContext runInContext",
            prints={"console.log": (" ", "\n"), "process.stdout.write": ("", "")},
            comment=rf"//[^\n]*|{COMMENT}",
            needs="child_process|execa|shelljs|Deno|Bun|process\\.binding|['\"](?:zx|bun)\\b",
        ),
        _make_dialect(
            "perl",
            shell="system exec readpipe",
            tree="rmtree remove_tree",
            file="unlink rmdir",
            opens="open",
            moves="rename move",
            copies="copy",
            code="eval",
            prints={"print": ("", ""), "say": PRINTED_LINE},
            comment=rf"\#[^\n]*|{POD}",
            glue=".",
            backtick_runs=True,
        ),
        _make_dialect(
            "ruby",
            shell="system exec spawn popen capture2 capture2e capture3 popen3 sh",
            tree="rm_rf rm_r rmtree remove_dir remove_entry remove_entry_secure",
            file="rm rm_f delete unlink rmdir safe_unlink",
            write="write binwrite",
            opens="open new",
            moves="mv rename",
            copies="cp cp_r copy_file",
            reads="read binread readlines foreach",
            code="eval instance_eval class_eval module_eval",
            prints={"puts": ("\n", "\n"), "print": ("", ""), "$stdout.puts": ("\n", "\n"), "STDOUT.puts": ("\n", "\n")},
            backtick_runs=True,
        ),
        _make_dialect(
            "php",
            shell="system exec shell_exec passthru popen proc_open pcntl_exec",
            file="unlink rmdir",
            write="file_put_contents",
            opens="fopen",
            moves="rename",
            copies="copy",
            applies="array_map array_walk call_user_func call_user_func_array",
            reads="file_get_contents readfile file",
            code="eval assert create_function",
            prints={"echo": ("", ""), "print": ("", "")},
            comment=rf"//[^\n]*|{COMMENT}|\#[^\n]*",
            glue=".",
            backtick_runs=True,
        ),
        _make_dialect(
            "lua",
            shell="execute popen",
            file="remove",
            moves="rename",
            opens="open",
            reads="lines",
            code="load loadstring",
            prints={"print": ("\t", "\n"), "io.write": ("", "")},
            comment=r"--[^\n]*",
            glue=".",
        ),
        _make_dialect("awk", shell="system", prints={"print": (" ", "\n"), "printf": ("", "")}, glue=""),
        _make_dialect(
            "r",
            shell="system shell",
            program="system2",
            file="unlink remove",
            reads="readLines readRDS scan",
            code="eval source",
            prints={"cat": (" ", "")},
        ),
        _make_dialect(
            "julia",
            file="rm",
            write="write",
            reads="read readlines readchomp",
            code="eval include_string",
            prints={"println": PRINTED_LINE, "print": ("", "")},
            glue="*",
            backtick_runs=True,
        ),
        _make_dialect(
            "elixir",
            shell="shell",
            program="cmd",
            tree="rm_rf",
            file="rm rmdir",
            write="write",
            reads="read stream",
            code="eval_string",
            prints={"IO.puts": PRINTED_LINE},
            glue="<>",
        ),
        _make_dialect(
            "go",
            program="Command CommandContext",
            tree="RemoveAll",
            file="Remove",
            write="WriteFile Create Truncate",
            reads="ReadFile Open",
            comment=rf"//[^\n]*|{COMMENT}",
            needs="os/exec",
        ),
    )
}
SQL_METHODS = frozenset({"query", "execute", "exec", "run", "$executeRawUnsafe", "prepare"})
"""Methods that give SQL to a database."""
SEND_METHODS = frozenset(
    {"fetch", "post", "put", "patch", "axios", "got", "post_form", "request", "sendBeacon", "upload"}
)
STREAM_METHODS = frozenset({"write", "end", "send", "puts", "print"})
"""Methods that send once a connection was opened."""
REMOVES = frozenset({"remove", "removeSync"})
EMPTIES = frozenset({"emptyDir", "emptyDirSync", "emptydir", "emptydirSync"})
PACKAGE_DELETERS = REMOVES | EMPTIES | {"del", "deleteSync", "deleteAsync", "sync"}
"""Calls of JavaScript packages that remove a folder with all it holds; common words, so the package must be named."""
METHOD_OWNERS = {
    "delete": ("File", "Dir", "FileUtils", "Pathname"),
    "remove": ("os", "Deno", "file", "fs", "fse", "fs-extra", "promises"),
    "del": (),
    "sync": ("rimraf", "del"),
    "Remove": ("os",),
    "RemoveAll": ("os",),
    "Open": ("os",),
    "Create": ("os",),
    "Truncate": ("os",),
    "Command": ("exec", "Deno"),
    "execute": ("os",),
    "new": ("File",),
    "rename": ("File", "fs", "os", "promises", "fsPromises", "Deno", "FileUtils"),
    "mv": ("FileUtils",),
    "move": ("Copy", "FileUtils"),
    "cp": ("FileUtils",),
    "cp_r": ("FileUtils",),
    "copy": ("Copy", "FileUtils"),
    "write": ("File", "IO"),
    "read": ("File", "IO", "Base"),
    "readlines": ("File", "IO", "Base"),
    "foreach": ("File", "IO"),
    "stream": ("File",),
    "shell": ("System",),
    "cmd": ("System", "os"),
    "file": (),
    "lines": ("io",),
    "eval": ("window", "globalThis", "global", "Kernel", "binding", "Core", "Base"),
    "load": (),
    "source": (),
}
"""Common words that, as a method, count only as one of these."""
# Compiled twice: the alternatives for the home folder are slow, and most code never asks for it.
TOKEN_PATTERNS = {
    (name, home): re.compile(
        rf"(?P<comment>{dialect.comment})|{f'(?P<home>{HOME_EXPRESSION})|' if home else ''}"
        rf"(?P<quoted>{QUOTED.get(name, NEVER_QUOTED)})"
        rf"|(?P<string>{STRING}|`(?:[^`\\]|\\.)*+`)|(?P<name>{NAME})|(?P<mark>[^\s])",
        re.DOTALL,
    )
    for name, dialect in DIALECTS.items()
    for home in (False, True)
}
RELEVANT_CALLS = {
    name: SQL_METHODS.union(SEND_METHODS, STREAM_METHODS, *(getattr(dialect, kind) for kind in CALL_SETS))
    for name, dialect in DIALECTS.items()
}
