"""Run commands on a tmux server, several in one call. The only module that runs `tmux`."""

import os
import subprocess  # noqa: TID251  tmux is a program
from collections.abc import Mapping, Sequence

from synaptic.model.errors import SynapticError


class TmuxError(SynapticError):
    """A tmux that is not there, or does not do what it is told."""


class TmuxServer:
    """One server, by the options that name it."""

    def __init__(self, server: Sequence[str] = ()) -> None:
        # Names of windows are any letters, and tmux shows them to a client only if that says it can read them.
        self._server = ("-u", *server)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "TmuxServer | None":
        """The server that we run in; None when we run in none."""
        socket = environ.get("TMUX", "").partition(",")[0]
        return cls(("-S", socket)) if socket else None

    def run(self, *words: str) -> list[str]:
        """One command, or several with `;` between them; what it prints."""
        command = ("tmux", *self._server, *words)
        try:
            # Titles of windows may hold bytes of any encoding: shown escaped, never an error.
            done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="backslashreplace")
        except (OSError, ValueError) as error:
            raise TmuxError("tmux cannot be run", hint="is it installed and on PATH?") from error
        if done.returncode:
            said = " ".join(filter(None, done.stderr.split("\n"))) or "failed"
            raise TmuxError(f"tmux {words[0]}: {said}", where=" ".join(self._server[1:]))
        printed = done.stdout.rstrip("\n")
        return printed.split("\n") if printed else []

    def run_batch(self, commands: Sequence[Sequence[str]]) -> None:
        """Some commands in one call. What is gone by now is skipped, and the others are carried out."""
        words = [word for command in commands for word in (*map(escape_semicolon, command), ";")]
        if not words:
            return
        try:
            self.run(*words[:-1])
        except TmuxError:
            # tmux stops at the first failure and does not say where: repeating those that worked changes nothing.
            self._run_each(commands)

    def _run_each(self, commands: Sequence[Sequence[str]]) -> None:
        for command in commands:
            try:
                self.run(*map(escape_semicolon, command))
            except TmuxError:
                continue  # its pane or window is gone

    def read_identity(self) -> str:
        """Which server this is, as it stands in front of a pane: `socket,process`."""
        socket, pid = self.run("display-message", "-p", "#{socket_path}\t#{pid}")[0].split("\t")
        return f"{os.path.realpath(socket)},{pid}"


def escape_semicolon(word: str) -> str:
    """Escape a `;` at the end of a word: tmux would take it for the end of the command."""
    return f"{word[:-1]}\\;" if word.endswith(";") else word
