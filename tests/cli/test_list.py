"""Every hook in its order, and what is wrong."""

from tests.cli.conftest import User


def test_hooks_are_listed_in_the_order_they_run(user: User):
    """S2-027, S2-028: id, events, matcher, blocking; the same order everywhere."""
    user.brings_hook(id="late", priority=70, matcher="Bash|Read")
    user.brings_hook(id="early", priority=5, blocking=False)
    user.configures('[policies."paths.outside-project"]\nenabled = true\n')
    lines = user.types("list").out.splitlines()
    assert lines[0].split() == ["PRI", "ID", "EVENTS", "MATCHER", "BLOCK", "TRUST", "SOURCE"]
    found = {line.split()[1]: line.split() for line in lines[1:] if not line.startswith("problem")}
    assert [name for name in found if name in ("late", "early", "paths.outside-project")] == [
        "early", "paths.outside-project", "late",
    ]  # fmt: skip
    assert [int(words[0]) for words in found.values()] == sorted(int(words[0]) for words in found.values())
    assert found["early"][4:6] == ["no", "no"]
    assert found["late"][2:5] == ["PreToolUse", "Bash|Read", "yes"]


def test_problems_are_below_and_name_the_nearest_key(user: User):
    """S2-020: one broken declaration is reported, the others are registered."""
    user.writes(
        ".system/hooks/a.yaml", "id: a\nevent_type: SessionStart\nhandler: {kind: script, command: ./guard.sh}\n"
    )
    user.writes(".system/hooks/b.yaml", "id: [")
    user.brings_hook(prioritty=3)
    shown = user.types("list")
    assert shown.code == 0
    assert " a " in shown.out
    assert "b.yaml: is no valid YAML" in shown.out
    assert "did you mean `priority`?" in shown.out


def test_looking_writes_nothing(user: User):
    user.brings_hook()
    user.types("list")
    user.types("doctor")
    assert not user.home.root.exists()


def test_one_event_only_and_as_json(user: User):
    user.brings_hook(id="stop", event="Stop")
    user.brings_hook(id="pre")
    shown = user.types("list", "--event", "Stop", "--json").json
    assert [hook["id"] for hook in shown["hooks"]] == ["stop"]
    assert shown["hooks"][0]["trusted"] is False


def test_a_switched_off_hook_is_not_listed(user: User):
    """S2-021"""
    user.configures("presets = []\n")
    user.brings_hook(id="off", enabled=False)
    assert user.types("list").out == "no hook is registered\n"
