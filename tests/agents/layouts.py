"""Any JSON document in any layout, for laws about edits of text."""

import json

from hypothesis import strategies as st

SPACE = st.sampled_from(["", " ", "\n", "\t", "\r\n", "\n  ", "\n\t\t", "  \n "])
STRINGS = st.text(max_size=6) | st.sampled_from(['a"b', "\\", "{", "],", "\u2028", "é", "hooks"])
NUMBERS = st.sampled_from(["0", "-0", "1.0", "1e5", "1E+5", "-12.50", "123456789012345678901234567890"])
FOREIGN_HOOKS = [
    {"type": "command", "command": "echo hi"},
    {"type": "command", "command": "/usr/bin/dispatch", "args": ["x", "--entry=1"]},
    {"type": "prompt", "prompt": "is it good?", "timeout": 3},
]


@st.composite
def strings(draw):
    return json.dumps(draw(STRINGS), ensure_ascii=draw(st.booleans()))


SCALARS = strings() | NUMBERS | st.sampled_from(["true", "false", "null"])


@st.composite
def arrays(draw, values, max_size=3):
    parts = [draw(SPACE) + draw(values) + draw(SPACE) for _ in range(draw(st.integers(0, max_size)))]
    return "[" + (",".join(parts) or draw(SPACE)) + "]"


@st.composite
def objects(draw, members):
    """`members` draws (key, text) pairs; a key that comes twice is kept once."""
    pairs = dict(draw(st.lists(members, max_size=4)))
    parts = [
        f"{draw(SPACE)}{json.dumps(key)}{draw(SPACE)}:{draw(SPACE)}{text}{draw(SPACE)}" for key, text in pairs.items()
    ]
    return "{" + (",".join(parts) or draw(SPACE)) + "}"


VALUES = st.recursive(
    SCALARS,
    lambda inner: arrays(inner) | objects(st.tuples(st.sampled_from(["a", "b", "permissions"]), inner)),
    max_leaves=8,
)
HOOK = st.sampled_from([json.dumps(hook, indent=indent) for hook in FOREIGN_HOOKS for indent in (None, 2)])


@st.composite
def groups(draw):
    space = draw(SPACE)
    matcher = draw(st.sampled_from(["", ', "matcher":1']))
    return f'{{{space}"hooks"{space}:{draw(arrays(HOOK))}{matcher}}}'


EVENTS = st.sampled_from(["PreToolUse", "Stop", "WorktreeCreate", "MessageDisplay", "FutureEvent"])
HOOKS = objects(st.tuples(EVENTS, arrays(groups() | st.just("7"))))


@st.composite
def settings(draw):
    """A settings document: anything at all, with or without a `hooks` object."""
    plain = st.tuples(st.sampled_from(["model", "env", "x"]), VALUES)
    hooks = st.tuples(st.just("hooks"), HOOKS)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + draw(SPACE) + draw(objects(st.one_of(plain, hooks))) + draw(SPACE)
