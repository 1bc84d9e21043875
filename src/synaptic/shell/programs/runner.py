"""Tools of a project that start a command: `npx`, `uv run`, `poetry run`, `make -C`, `git -C`, `tmux`."""

from synaptic.shell.programs.debuggers import DEBUGGERS
from synaptic.shell.programs.manifest import brought
from synaptic.shell.programs.options import operands, rest, value_of
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.state import Call

VALUED = frozenset(
    [
        "-p",
        "-c",
        "-C",
        "-w",
        "-F",
        "--package",
        "--call",
        "--with",
        "--python",
        "--directory",
        "--project",
        "--env-file",
        "--from",
    ]
)
VERBS: dict[str, tuple[str, ...]] = {
    "uv": ("run",),
    "poetry": ("run",),
    "pipenv": ("run",),
    "pdm": ("run",),
    "hatch": ("run",),
    "rye": ("run",),
    "pixi": ("run",),
    "conda": ("run",),
    "mamba": ("run",),
    "bundle": ("exec",),
    "rbenv": ("exec",),
    "pyenv": ("exec",),
    "mise": ("exec", "x"),
    "asdf": ("exec",),
    "op": ("run",),
    "doppler": ("run",),
    "aws-vault": ("exec",),
    "nix": ("run", "shell", "develop"),
    "devbox": ("run",),
    "rtk": ("proxy", "run"),
    "volta": ("run",),
    "foreman": ("run",),
    "honcho": ("run",),
    "toolbox": ("run",),
    "rr": ("record",),
    "fnm": ("exec",),
    "railway": ("run",),
    "dotenvx": ("run",),
    "infisical": ("run",),
    "chamber": ("exec",),
    "distrobox": ("enter", "ephemeral"),
}
BEHIND_DASHES = ("mise", "aws-vault", "nix", "op", "doppler", "dotenvx", "infisical", "chamber", "distrobox")
COMMANDS = ("-c", "--command")


def verb(shell: Evaluation, call: Call) -> str | None:
    place = operands(call.words, VALUED)
    if place >= len(call.words) or call.words[place].text not in VERBS[call.name]:
        return None
    if call.name in BEHIND_DASHES:
        return _after_dashes(shell, call)
    start = operands(call.words, VALUED | {"-n", "--name"}, place + 1)
    return shell.wrapped(call, call.words[start:], f"{call.name} {call.words[place].text}")


def _after_dashes(shell: Evaluation, call: Call) -> str | None:
    """Behind `--` or `--command`: a program with its arguments, or one line for a shell."""
    for place, word in enumerate(call.words):
        name, equals, value = word.text.partition("=")
        if equals and name == "--command":
            return shell.code(value, call.name)
        words = call.words[place + 1 :]
        if word.text in COMMANDS and len(words) == 1:
            return shell.code(words[0].text, call.name, shell.place(words[0]))
        if word.text in COMMANDS or word.text == "--":
            return shell.wrapped(call, words, call.name)
    return None


def npx(shell: Evaluation, call: Call) -> str | None:
    place = operands(call.words, VALUED)
    word = value_of(call.words[1:place], frozenset({"-c", "--call"}))
    if word is not None:
        return shell.code(word.text, "npx -c", shell.place(word))
    return brought(shell, call, call.words[place:], call.name)


def tmux(shell: Evaluation, call: Call) -> str | None:
    """A new session or window runs its last words in a shell; `send-keys` types them."""
    texts = call.texts()
    starts = ("new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "run-shell", "run")
    typed = ("send-keys", "send")
    found = next((text for text in texts if text in (*starts, *typed)), None)
    if found is None:
        return None
    valued = ("-c", "-e", "-F", "-f", "-n", "-s", "-t", "-x", "-y", "-l", "-L", "-S", "-N")
    words = rest(call.words[texts.index(found) + 1 :], valued)
    keys = [word for word in words if word.text not in ("Enter", "C-m", "KPEnter")]
    if keys:
        shell.code(" ".join(word.text for word in keys), "tmux", shell.place(keys[0]) if len(keys) == 1 else None)
    return None


def screen(shell: Evaluation, call: Call) -> str | None:
    return shell.wrapped(call, rest(call.words, ("-S", "-c", "-e", "-h", "-p", "-s", "-t", "-T")), "screen")


def hyperfine(shell: Evaluation, call: Call) -> str | None:
    for word in rest(call.words, ("-w", "-r", "-m", "-M", "-p", "-c", "-s", "-n", "-N", "-L", "-P", "-D", "--warmup")):
        shell.code(word.text, "hyperfine", shell.place(word))
    return None


def nix_shell(shell: Evaluation, call: Call) -> str | None:
    word = value_of(call.words[1:], frozenset({"--run", "--command"}))
    return shell.code(word.text, "nix-shell", shell.place(word)) if word is not None else None


RUNNERS: dict[str, Handler] = {
    **dict.fromkeys(VERBS, verb),
    **dict.fromkeys(("npx", "bunx", "pnpx", "uvx", "pipx"), npx),
    "tmux": tmux,
    "screen": screen,
    "hyperfine": hyperfine,
    "nix-shell": nix_shell,
    **DEBUGGERS,
}
