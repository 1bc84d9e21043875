"""Add and remove the line in the user's shell profile that puts our commands on PATH."""

import os
import re
from pathlib import Path

import msgspec

from synaptic.agents.shared import record
from synaptic.agents.shared.processes import iter_ancestors, read_program
from synaptic.files.replace import delete_file, drop_folders, make_folders, read_file, replace_file
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home

KNOWN_SHELLS = ("bash", "zsh", "fish")
PATH_MARKER = "# added by synaptic; `synaptic down` takes it out"


class LoginShell(msgspec.Struct, frozen=True):
    """The user's login shell and where it looks for its files."""

    path: str
    user_home: Path
    zdotdir: Path | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def file(self) -> Path:
        """The file this shell reads when a terminal opens."""
        if self.name == "zsh":
            return (self.zdotdir or self.user_home) / ".zshrc"
        if self.name == "bash":
            return self.user_home / ".bashrc"
        if self.name == "fish":
            return self.user_home / ".config" / "fish" / "config.fish"
        return self.user_home / ".profile"


def find_typed_shell(shell: LoginShell) -> LoginShell:
    """The shell that a command was typed in, which need not be the one of the login; else that one."""
    names = (read_program(one.pid).rpartition("/")[2] for one in iter_ancestors(os.getpid()))
    # `sh` is what make and scripts run their lines with, and nobody's own.
    typed = next((name for name in names if name in KNOWN_SHELLS), "")
    return msgspec.structs.replace(shell, path=typed) if typed else shell


def format_path_line(shell: LoginShell, home: Home) -> str:
    """Format the PATH line, quoted for this shell. Raises SettingsError for a folder that PATH cannot hold."""
    folder = str(home.bin)
    if ":" in folder or "\n" in folder:
        raise SettingsError("PATH cannot hold a folder with a colon or a newline", where=folder, hint="move it")
    if shell.name == "fish":
        quoted = folder.replace("\\", "\\\\").replace("'", "\\'")
        return f"fish_add_path --path '{quoted}'"
    return 'export PATH="{}:$PATH"'.format(re.sub(r'([\\"$`])', r"\\\1", folder))


def has_path(text: str, shell: LoginShell, home: Home) -> bool:
    """Whether some line of the profile already puts the folder on PATH, however it is written."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#") and "path" in line.lower()]
    spelled = re.compile("|".join(rf"{re.escape(spelling)}(?![\w./-])" for spelling in _list_spellings(shell, home)))
    return any(spelled.search(line) for line in lines) or format_path_line(shell, home) in lines


def _list_spellings(shell: LoginShell, home: Home) -> list[str]:
    folder = str(home.bin)
    if not home.bin.is_relative_to(shell.user_home):
        return [folder]
    inside = home.bin.relative_to(shell.user_home)
    return [folder, *(f"{start}/{inside}" for start in ("$HOME", "${HOME}", '"$HOME"', '"${HOME}"', "~"))]


def add_path(shell: LoginShell, home: Home) -> bool:
    """Add the line unless the profile has it; whether it was added."""
    before = read_file(shell.file)
    text = _decode_bytes(before or b"")
    # The user may have added the folder on their own, in any spelling: a second line would only be clutter.
    if has_path(text, shell, home):
        return False
    gap = "\n" if text and not text.endswith("\n") else ""
    added = f"{gap}{PATH_MARKER}\n{format_path_line(shell, home)}\n"
    folders = make_folders(shell.file.parent)
    record.mark_profile(home, shell.file, record.ProfileMark(added, before is None, folders))
    replace_file(shell.file, _encode_text(text + added), 0o644)
    return True


def remove_path(home: Home, file: Path) -> bool:
    """Remove exactly what was added, and the file if we created it; whether anything changed."""
    mark = record.load_record(home).profiles.get(str(file))
    text = _decode_bytes(read_file(file) or b"")
    after = _remove_added(text, mark.text if mark else "")
    if after == text:
        record.mark_profile(home, file, None)
        return False
    if after or not (mark and mark.absent):
        replace_file(file, _encode_text(after), 0o644)
    else:
        delete_file(file)
        drop_folders(mark.folders)
    record.mark_profile(home, file, None)
    return True


def _remove_added(text: str, added: str) -> str:
    """Remove what was added; without a record of it, the marker and the line below."""
    if not added or added not in text:
        return re.sub(rf"^{re.escape(PATH_MARKER)}\n[^\n]*(?:\n|\Z)", "", text, flags=re.MULTILINE)
    before, _, after = text.rpartition(added)
    needs_break = after and added.startswith("\n")
    return f"{before}\n{after}" if needs_break else before + after


def _decode_bytes(data: bytes) -> str:
    """Decode a profile so that bytes which are not UTF-8 survive the rewrite."""
    return data.decode("utf-8", "surrogateescape")


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
