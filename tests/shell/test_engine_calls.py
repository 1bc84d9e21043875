"""Text that only talks to the engine."""

import pytest

from synaptic.shell.engine_calls import bare
from synaptic.shell.writes import written

STORY = "## Did\nrm -rf dist; synaptic down\ncat /etc/hosts > a.txt\n"


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (f"synaptic effort log <<'EOF'\n{STORY}EOF", "synaptic effort log"),
        (
            f"cd src && cat <<'EOF' | synaptic effort log --json\n{STORY}EOF\n",
            "cd src\ncat\nsynaptic effort log --json",
        ),
        ("printf 'a; rm b' | synaptic effort log", "printf 'a; rm b'\nsynaptic effort log"),
        ("synaptic effort dehydrate < ~/.aws/x", "synaptic effort dehydrate < '~/.aws/x'"),
        ("synaptic effort log x > /dev/null", "synaptic effort log x > /dev/null"),
    ],
)
def test_what_the_engine_is_fed_is_left_out(text: str, commands: str):
    assert bare(text) == commands
    assert written(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        f"synaptic effort log <<'EOF' && rm a.py\n{STORY}EOF",
        f"synaptic effort log <<'EOF' > a.py\n{STORY}EOF",
        "synaptic effort log <<EOF\n$(rm a.py)\nEOF",
        f"bash <<'X'; synaptic effort log <<'EOF'\nrm a.py\nX\n{STORY}EOF",
        f"synaptic effort log <<'EOF'\n{STORY}EOF\nrm a.py\n",
        "echo \"\nsynaptic effort log <<'EOF'\n\" ; rm a.py\nEOF",
        "rm a.py # synaptic effort log",
        f"sudo synaptic effort log <<'EOF'\n{STORY}EOF",
        "rm a.py",
    ],
)
def test_every_other_text_stays_as_it_is(text: str):
    assert bare(text) == text
    assert written(text)
