"""Folders that a command fills with files which no word names: what is in an archive, a patch or another folder."""

import re
from collections.abc import Callable, Iterator, Mapping

import msgspec

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import BOOK, find_program, list_names_with, normalize_name
from synaptic.shell.effects.commands import UNNAMED_FILE, find_acts
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.programs.git_line import read_git_call
from synaptic.shell.read.script import Command, Word

HERE = Word(".")
WHOLE_SOURCE = re.compile(r"(?:.*/)?\.{1,2}/?")
"""`dir/.`: what is in a folder, not the folder."""
QUOTED_TEXT = re.compile(r"[\"']([^\"'\n]{1,300})[\"']")
FILLING_CALL = re.compile(
    r"(?:extractall|unpack_archive|copytree|extract|cpSync|copySync|cp_r|dircopy|rcopy|chdir)\s*\(([^\n]{0,400})"
)
HOME_CODE = re.compile(r"expanduser|Path\.home|environ|getenv")
ARCHIVE_MODULES = frozenset({"zipfile", "tarfile"})
MAX_SOURCES = 200
"""Sources of one command that are looked at."""
NO_FOLDER_OPTION = re.compile(r"-[a-zA-Z]*T[a-zA-Z]*|--no-target-directory")
TREE_OPTION = "--work-tree"
TREE_VARIABLE = "GIT_WORK_TREE"


class FillingForm(msgspec.Struct, frozen=True):
    """How one program is told to fill a folder."""

    folder: tuple[str, ...] = ()
    """Options that name the folder, apart or attached."""
    when: str = ""
    """What its words, joined by blanks, begin with or hold when it fills one."""
    never: str = ""
    """What they hold when it only shows or tries."""
    last: bool = False
    """Whether its last operand names the folder."""
    default: str = "."
    """The folder when none is named; empty: one of its own making."""


FORMS: Mapping[str, FillingForm] = {
    "7z": FillingForm(("-o",), r"[xe]\b"),
    "cabextract": FillingForm(("-d", "--directory"), never=r"(?:^|\s)(?:-l|-t|--list|--test)"),
    "cpio": FillingForm(
        ("-D", "--directory"),
        r"(?:.*\s)?(?:-[a-zA-Z]*[ip]|--extract|--pass-through)",
        r"(?:^|\s)(?:-[a-zA-Z]*[to][a-zA-Z]*|--list|--create)(?:\s|$)",
        last=True,
    ),
    "chezmoi": FillingForm(when=r"apply|update|init.*--apply", default="~"),
    "ditto": FillingForm(last=True, default=""),
    "jar": FillingForm(("-C",), r"-?[a-zA-Z]*x|--extract"),
    "ar": FillingForm(("--output",), r"-?[a-zA-Z]*x"),
    "dpkg": FillingForm(when=r".*(?:-x|-X|--extract|--vextract)\b", last=True, default=""),
    "httrack": FillingForm(("-O",)),
    "xar": FillingForm(("-C",), r".*-[a-zA-Z]*x"),
    "pax": FillingForm(when=r"(?:.*\s)?-[a-zA-Z]*r", last=True),
    "rclone": FillingForm(when="copy|sync|move", last=True, default=""),
    "aws": FillingForm(when=r"s3 (?:sync|(?:cp|mv)\b.*--recursive)", last=True, default=""),
    "gsutil": FillingForm(when=r".*\b(?:rsync|cp\b.*-r)", last=True, default=""),
    "stow": FillingForm(
        ("-t", "--target"), never=r"(?:^|\s)(?:-n|--no|--simulate|--help|-h|--version|-V)\b", default=".."
    ),
    "unar": FillingForm(("-o", "-output-directory", "--output-directory")),
    "unrar": FillingForm(when="[xe]", last=True),
    "unsquashfs": FillingForm(("-d", "-dest"), never=r"(?:^|\s)-(?:l|ll|s|stat)\b", default=""),
    "yadm": FillingForm(when="clone|pull|checkout|reset|bootstrap|restore|stash", default="~"),
}
"""Programs that are read by this table alone."""
ALIASES: Mapping[str, str] = {
    "7za": "7z",
    "7zr": "7z",
    "7zz": "7z",
    "rar": "unrar",
    "dpkg-deb": "dpkg",
    "bsdcpio": "cpio",
}
TAR_PROGRAMS = frozenset(BOOK["tar"].names)
COPY_PROGRAMS = frozenset(BOOK["cp"].names)
RSYNC_PROGRAMS = frozenset({"rsync", "openrsync"})
REMOTE_COPY = frozenset({"scp", "pscp"})
CONTAINER_COPY = split_names("docker podman nerdctl kubectl oc")
LANGUAGE_NAMES = list_names_with("language")
RECURSIVE_FETCH = re.compile(r"-[a-zA-Z]*[rm][a-zA-Z]*|--recursive|--mirror|--input-file.*|-i")
FILLING_PROGRAMS = frozenset(
    {"unzip", "wget", "wget2", "git", "patch", *TAR_PROGRAMS, *FORMS, *ALIASES}
    | LANGUAGE_NAMES
    | COPY_PROGRAMS
    | RSYNC_PROGRAMS
    | REMOTE_COPY
    | CONTAINER_COPY
)
"""Every program that may fill a folder; others need not be looked at."""
HOME_PROGRAMS = frozenset(name for name, form in FORMS.items() if form.default in ("~", ".."))
"""Programs that fill a folder which is neither named nor the one they run in."""
ABSOLUTE_NAMES = re.compile(r"^-[a-z]*p[a-z]*$|^--absolute-names$", re.MULTILINE)
"""In words in lower case: an archive may be unpacked to wherever it says, with `tar -P`."""
FILLING_SIGNS = ("extract", "unpack", "copytree", "cpSync", "copySync", "cp_r", "dircopy", "rcopy")
"""What code holds at least that fills a folder."""


def find_filled_folders(command: Command) -> Iterator[Word]:
    """The folders that a command fills; a relative one is seen from where the command runs."""
    name = normalize_name(command.name)
    logic = FINDERS.get(name)
    if logic is not None:
        yield from logic(command)
    elif (form := FORMS.get(ALIASES.get(name, name))) is not None:
        yield from _read_form(command, form)


def find_copies(command: Command) -> Iterator[Word]:
    """What a program that copies or moves makes in a folder: each source, under its own name there."""
    return iter_copies(find_program(command.name).read(command.argv[1:]))


def iter_copies(given: Arguments) -> Iterator[Word]:
    """The same for words that are sorted already."""
    into = given.get_by_role("into")
    folders, sources = (into, given.operands) if into else (given.operands[-1:], given.operands[:-1])
    if given.has("extract"):  # tar: members below the folder that is unpacked into
        folders, sources = given.get_values("directory")[-1:] or (HERE,), given.operands
    for folder in folders:
        for source in sources[:MAX_SOURCES]:
            path = source.text.rpartition(":")[2].rstrip("/")
            # `rsync -R` and tar keep the folders in front of a name, so both forms count.
            for name in dict.fromkeys((path.rpartition("/")[2], path.lstrip("/"))):
                text = f"{folder.text.rstrip('/')}/{name}"
                yield Word(text, folder.known and source.known, source.glob or folder.glob)


def _read_form(command: Command, form: FillingForm) -> Iterator[Word]:
    text = " ".join(command.args)[:MAX_PATH]
    if (form.when and not re.match(form.when, text)) or (form.never and re.search(form.never, text)):
        return
    named = list(iter_option_values(command.argv[1:], form.folder))
    if not named and form.last:
        named = [word for word in command.argv[-1:] if _may_be_folder(word)]
    if not named and form.default:
        named = [Word(form.default)]
    yield from named


def _may_be_folder(word: Word) -> bool:
    return word.text[:1] in ("/", "~", ".", "$") or word.text[-1:] == "/"


def iter_option_values(words: tuple[Word, ...], options: tuple[str, ...]) -> Iterator[Word]:
    """What these options are given, as the next word or attached."""
    for place, word in enumerate(words):
        for option in options:
            if word.text == option:
                yield from words[place + 1 : place + 2]
            elif word.text.startswith(option) and (option[1] != "-" or word.text[len(option)] == "="):
                yield msgspec.structs.replace(word, text=word.text[len(option) :].removeprefix("="))


def _fill_by_tar(command: Command) -> Iterator[Word]:
    given = find_program("tar").read(command.argv[1:])
    if given.has("extract") and not any(map(_names_member, given.operands)):
        yield from given.get_values("directory")[-1:] or (HERE,)
        yield from iter_option_values(command.argv[1:], ("--one-top-level",))
        if given.has("P", "absolute-names"):
            yield Word("/")


def _names_member(word: Word) -> bool:
    return not GLOB_SIGN.search(word.text) and word.text not in (".", "./")


def _fill_by_unzip(command: Command) -> Iterator[Word]:
    given = find_program("unzip").read(command.argv[1:])
    if not given.has_role("dry") and not any(_names_member(word) for word in given.words[1:]):
        yield from given.get_values("d") or (HERE,)


def _fill_by_copying(command: Command) -> Iterator[Word]:
    given = find_program(command.name).read(command.argv[1:])
    into = given.get_by_role("into")
    sources = given.operands if into else given.operands[:-1]
    whole = any(map(NO_FOLDER_OPTION.fullmatch, command.args)) and given.has("recursive", "archive")
    if whole or any(WHOLE_SOURCE.fullmatch(word.text) for word in sources if len(word.text) < MAX_PATH):
        yield from into or given.operands[-1:]
    elif given.has("recursive", "archive"):
        yield from find_copies(command)


def _fill_by_rsync(command: Command) -> Iterator[Word]:
    given = find_program("rsync").read(command.argv[1:])
    if not given.has_role("dry") and any(
        word.text[-1:] == "/" or WHOLE_SOURCE.fullmatch(word.text.rpartition(":")[2])
        for word in given.operands[:-1]
        if len(word.text) < MAX_PATH
    ):
        yield from given.operands[-1:]
    elif not given.has_role("dry"):
        yield from find_copies(command)


def _fill_by_remote_copy(command: Command) -> Iterator[Word]:
    words = [word for word in command.argv[1:] if word.text[:1] != "-"]
    if any(word.text[-2:] == "/." for word in words[:-1]):
        yield from words[-1:]


def _fill_by_container(command: Command) -> Iterator[Word]:
    if "cp" in command.args[:3]:
        yield from _fill_by_remote_copy(command)


def _fill_by_wget(command: Command) -> Iterator[Word]:
    if any(RECURSIVE_FETCH.fullmatch(text) and not text.startswith("-nH") for text in command.args):
        given = find_program("wget").read(command.argv[1:])
        yield from given.get_values("directory-prefix")[-1:] or (HERE,)


def _fill_by_git(command: Command) -> Iterator[Word]:
    """The working tree, where a verb changes files that it does not name."""
    if not any(word is UNNAMED_FILE for _, word in find_acts(command)):
        return
    yield from iter_option_values(command.argv[1:], (TREE_OPTION, "--directory", "--prefix"))
    yield from (Word(flag.partition("=")[2]) for flag in command.args if flag.startswith("core.worktree="))
    yield from (word for name, word in command.assignments if name == TREE_VARIABLE)
    if cwd := read_git_call(command).cwd:
        yield Word(cwd)


def _fill_by_patch(command: Command) -> Iterator[Word]:
    given = find_program("patch").read(command.argv[1:])
    if not given.has_role("dry") and not given.operands:
        yield from given.get_values("directory") or (HERE,)


def _fill_by_code(command: Command) -> Iterator[Word]:
    """`python -m zipfile -e A DIR`, and code that unpacks or copies."""
    args = command.args
    if args[:1] == ("-m",) and ARCHIVE_MODULES.intersection(args[1:2]):
        if any(text in ("-e", "--extract") for text in args):
            yield command.argv[-1] if len(args) > 4 else HERE
        return
    for text in (*args, command.stdin or ""):
        for found in FILLING_CALL.finditer(text[:20_000]):
            yield from (Word(one) for one in QUOTED_TEXT.findall(found[1]))
            if HOME_CODE.search(found[1]) or found[1][:1] == ")":
                yield Word("~") if HOME_CODE.search(found[1]) else HERE


FINDERS: Mapping[str, Callable[[Command], Iterator[Word]]] = {
    **dict.fromkeys(TAR_PROGRAMS, _fill_by_tar),
    **dict.fromkeys(COPY_PROGRAMS, _fill_by_copying),
    **dict.fromkeys(RSYNC_PROGRAMS, _fill_by_rsync),
    **dict.fromkeys(REMOTE_COPY, _fill_by_remote_copy),
    **dict.fromkeys(CONTAINER_COPY, _fill_by_container),
    "unzip": _fill_by_unzip,
    "wget": _fill_by_wget,
    "wget2": _fill_by_wget,
    "git": _fill_by_git,
    "patch": _fill_by_patch,
    **dict.fromkeys(LANGUAGE_NAMES, _fill_by_code),
}
"""Programs that need code of their own."""
