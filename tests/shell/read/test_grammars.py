"""Why the shell is not read with an editor's grammar: lines that it misreads without saying so."""

import pytest

from synaptic.shell.read.reader import read_script

tree_sitter = pytest.importorskip("tree_sitter")
tree_sitter_bash = pytest.importorskip("tree_sitter_bash")


def seen_by_grammar(text: str) -> list[str]:
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    found: list[str] = []
    waiting = [parser.parse(text.encode()).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "command":
            found.append(node.text.decode())
        waiting.extend(node.children)
    return found


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("time { rm -rf a; }", "rm -rf a"),
        ("coproc { rm -rf a; }", "rm -rf a"),
        ("cat <<'EOF' | sh -s; rm y\nx\nEOF", "rm y"),
        (">f a b <g c", "a b c"),
    ],
)
def test_a_command_that_the_grammar_does_not_see_is_seen(text: str, hidden: str) -> None:
    assert hidden in [" ".join(word.text for word in command.argv) for command in read_script(text).commands]
    assert hidden not in seen_by_grammar(text)
