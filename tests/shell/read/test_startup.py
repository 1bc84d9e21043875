"""Text that is put into a file which shells start with."""

import pytest

from synaptic.shell.read.reader import read_script
from synaptic.shell.read.startup import STARTUP_LABEL


def later(text: str) -> list[str]:
    """The commands that the next shell would run."""
    commands = read_script(text, "/home/u/p", "/home/u").commands
    return [" ".join(word.text for word in one.argv) for one in commands if STARTUP_LABEL in one.via]


@pytest.mark.parametrize(
    "text",
    [
        "echo 'rm x' >> ~/.bashrc",
        "echo 'rm x' > $HOME/.zshrc",
        "printf 'rm x\\n' >> /home/u/.profile",
        "echo 'rm x' | tee -a ~/.bash_profile",
        "cat >> ~/.zshenv <<'EOF'\nrm x\nEOF",
        "cat > ~/.config/fish/config.fish <<'EOF'\nrm x\nEOF",
        "cd && echo 'rm x' >> .bashrc",
        "echo 'rm x' > a; cp a ~/.bashrc",
        "F=~/.bashrc; echo 'rm x' >> $F",
        "echo 'rm x' >> /root/.bashrc",
        "{ echo 'rm x'; } >> ~/.bashrc",
        "(echo 'rm x') | tee -a ~/.bashrc > /dev/null",
        "python3 -c \"open('/home/u/.bashrc', 'w').write('rm x')\"",
    ],
)
def test_it_is_read_as_code(text: str) -> None:
    assert later(text) == ["rm x"]


@pytest.mark.parametrize(
    "text",
    [
        "echo 'rm x' >> notes.md",
        "echo 'rm x' >> tests/.bashrc",
        "echo 'rm x' >> ~/dotfiles/.bashrc",
        "echo 'rm x' 2>> ~/.bashrc",
        "echo '# rm x' >> ~/.bashrc",
        "echo 'x() { rm x; }' >> ~/.bashrc",
        "cat unknown >> ~/.bashrc",
    ],
)
def test_nothing_else_runs(text: str) -> None:
    assert later(text) == []


def test_the_shell_that_writes_it_stays_as_it_is() -> None:
    found = read_script("echo 'cd /a; X=b; alias ls=rm' >> ~/.bashrc; ls $X", "/home/u/p", "/home/u")
    assert (found.commands[-1].name, found.commands[-1].cwd) == ("ls", "/home/u/p")


def test_text_that_writes_itself_again_ends() -> None:
    assert later("echo 'cat ~/.bashrc >> ~/.bashrc' >> ~/.bashrc") == ["cat /home/u/.bashrc"]
