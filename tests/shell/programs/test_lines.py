"""Programs that are given whole command lines, or a command behind a mark."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "watchexec -e py 'rm x'",
        "watchexec -w src -r -- rm x",
        "reflex -r '\\.go$' -- rm x",
        "nodemon --exec 'rm x'",
        "nodemon -x 'rm x' src",
        "concurrently 'npm start' 'rm x'",
        "npx concurrently -k -n a,b -c red,blue 'npm start' 'rm x'",
        "chokidar '**/*.js' -c 'rm x'",
        "onchange 'src/**' -- rm x",
        "cargo watch -s 'rm x'",
        "sbatch --wrap='rm x'",
        "xterm -e rm x",
        "gnome-terminal -- rm x",
        "lerna exec -- rm x",
        "expect -c 'spawn rm x'",
        'expect -c \'spawn ssh h; expect "$ "; send "rm x\\r"\'',
        "expect <<'EOF'\nspawn -noecho rm x\nEOF",
        "perf stat rm x",
        "perf record -e cycles -g -- rm x",
        "wsl -d Ubuntu -- rm x",
        "wsl -e rm x",
        "bwrap --ro-bind / / --dev /dev rm x",
        "mpirun -n 4 rm x",
        "faketime '1 hour ago' rm x",
        "doppler run --command='rm x'",
        "doppler run --command 'rm x'",
        "nix develop -c rm x",
        "distrobox enter box -- rm x",
    ],
)
def test_the_line_is_run(text: str) -> None:
    assert "rm x" in seen(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("concurrently -n rm,x ls", "ls"),
        ("watchexec -e rs -- cargo test", "cargo test"),
        ("perf stat -e rm ./a.out", "./a.out"),
        ("nodemon -e rm server.js", "nodemon -e rm server.js"),
        ("cargo test -- rm x", "cargo test -- rm x"),
        ("perf report rm x", "perf report rm x"),
    ],
)
def test_options_and_their_values_are_no_commands(text: str, found: str) -> None:
    assert seen(text)[-1] == found
