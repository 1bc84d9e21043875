"""A tmux server, spoken to through libtmux: words in, lines out, several commands in one call."""

import os
from collections.abc import Mapping, Sequence

from synaptic.model.errors import SynapticError


class TmuxError(SynapticError):
    """A tmux that is not there, or does not do what it is told."""


class Tmux:
    """One server, by the options that name it."""

    def __init__(self, server: Sequence[str] = ()) -> None:
        # Names of windows are any letters, and tmux shows them to a client only if that says it can read them.
        self._server = ("-u", *server)

    @classmethod
    def around(cls, environ: Mapping[str, str]) -> "Tmux | None":
        """The server that we run in; None when we run in none."""
        socket = environ.get("TMUX", "").partition(",")[0]
        return cls(("-S", socket)) if socket else None

    def run(self, *words: str) -> list[str]:
        """One command, or several with `;` between them; what it prints."""
        from libtmux.common import tmux_cmd  # noqa: PLC0415  a tenth of a second, and only for those who have tmux
        from libtmux.exc import LibTmuxException  # noqa: PLC0415

        try:
            done = tmux_cmd(*self._server, *words)
        except (LibTmuxException, OSError) as error:
            raise TmuxError("tmux cannot be run", hint="is it installed and on PATH?") from error
        if done.returncode:
            raise TmuxError(f"tmux {words[0]}: {' '.join(done.stderr) or 'failed'}", where=" ".join(self._server[1:]))
        return list(done.stdout)

    def batch(self, commands: Sequence[Sequence[str]]) -> None:
        """Some commands in one call. What is gone by now is skipped, and the others are carried out."""
        words = [word for command in commands for word in (*map(literal, command), ";")]
        if not words:
            return
        try:
            self.run(*words[:-1])
        except TmuxError:
            self._each(commands)

    def _each(self, commands: Sequence[Sequence[str]]) -> None:
        for command in commands:
            try:
                self.run(*map(literal, command))
            except TmuxError:
                continue  # its pane or window is gone

    def identity(self) -> str:
        """Which server this is, as it stands in front of a pane: `socket,process`."""
        socket, pid = self.run("display-message", "-p", "#{socket_path}\t#{pid}")[0].split("\t")
        return f"{os.path.realpath(socket)},{pid}"


def literal(word: str) -> str:
    """A word as it is: at its end, tmux takes `;` for the end of the command."""
    return f"{word[:-1]}\\;" if word.endswith(";") else word
