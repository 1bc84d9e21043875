"""What `doctor` says about exceptions; each of them lies in a real database, made for a real refusal."""

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from synaptic.hooks.catalog import HookCatalogs
from synaptic.model.home import Home
from synaptic.pipeline.lifting import digest_options
from synaptic.setup.doctor import DoctorFinding
from synaptic.setup.exceptions import MOST_TOLD, check_exceptions
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.lib.exceptions import make_exceptions

DAY = 86400
PUSH = "git push --force origin main"


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    setting = Setting(tmp_path)
    (setting.project / ".git").mkdir()
    return setting


def refuse(setting: Setting, command: str = PUSH) -> str:
    setting.answer(setting.request("PreToolUse", tool_input={"command": command}))
    return setting.last().decision.code


def findings(setting: Setting) -> list[DoctorFinding]:
    catalog = HookCatalogs(setting.home).get(str(setting.project), "", str(setting.project))
    return list(check_exceptions(setting.home, catalog))


def change(setting: Setting, sql: str, *values: object) -> None:
    with closing(Store.open(setting.home)) as store:
        store.write(lambda connection: connection.execute(sql, values))


def test_without_any_there_is_nothing_to_say_and_nothing_is_made(tmp_path: Path) -> None:
    home = Home(tmp_path / "none")
    assert list(check_exceptions(home, HookCatalogs(home).get(str(tmp_path)))) == []
    assert not home.root.exists()


def test_one_for_one_call_is_in_order(setting: Setting) -> None:
    make_exceptions(setting.home, refuse(setting))
    (found,) = findings(setting)
    assert (found.state, found.check) == ("ok", "exceptions")
    assert found.seen.startswith("1 in force")


def test_wide_ones_are_told_with_what_makes_them_wide_and_what_to_type(setting: Setting) -> None:
    (made,) = make_exceptions(setting.home, refuse(setting), "always", root="")
    (found,) = findings(setting)
    assert (found.state, found.check, found.fix) == (
        "warn",
        f"exception {made.id}",
        f"synaptic grants revoke {made.id}",
    )
    assert "git.force-push: it counts in every project; it never ends" in found.seen


def test_a_pattern_is_wide_although_it_ends(setting: Setting) -> None:
    more = {"fingerprint": "", "like": "git push *", "subject": "git", "expires": time.time() + 60}
    make_exceptions(setting.home, refuse(setting), "here", **more)
    (found,) = findings(setting)
    assert "it covers every call like `git push *`" in found.seen and "never ends" not in found.seen


def test_what_nobody_has_used_for_a_month_is_told_and_a_use_counts(setting: Setting) -> None:
    (made,) = make_exceptions(setting.home, refuse(setting), "once", at=time.time() - 31 * DAY)
    assert "nobody has used it for 31 days" in findings(setting)[0].seen
    change(setting, "UPDATE grants SET last_used = ? WHERE id = ?", time.time() - DAY, made.id)
    assert findings(setting)[0].state == "ok"


def test_what_is_over_is_not_told(setting: Setting) -> None:
    code = refuse(setting)
    make_exceptions(setting.home, code, "until", expires=time.time() - 1)
    make_exceptions(setting.home, code, "always", revoked=time.time())
    make_exceptions(setting.home, code, "once", used_by="some call")
    assert findings(setting) == []


def test_one_whose_policy_is_off_or_set_otherwise_lifts_nothing(setting: Setting) -> None:
    make_exceptions(setting.home, refuse(setting))
    assert findings(setting)[0].state == "ok"
    setting.config('[policies."git.force-push"]\nprotected = ["main", "next"]\n')
    assert "set otherwise than it was then" in findings(setting)[0].seen
    setting.config('[policies."git.force-push"]\nenabled = false\n')
    assert "not on here" in findings(setting)[0].seen
    # What holds in another project cannot be known here.
    change(setting, "DELETE FROM grants")
    setting.config("")
    make_exceptions(setting.home, refuse(setting, "git push -f origin main"), root="/elsewhere")
    setting.config('[policies."git.force-push"]\nenabled = false\n')
    assert findings(setting)[0].state == "ok"


def test_a_row_that_somebody_else_wrote_is_told_and_counts_for_nothing(setting: Setting) -> None:
    code = refuse(setting)
    (made,) = make_exceptions(setting.home, code)
    change(setting, "UPDATE grants SET mac = x'00'")
    change(
        setting,
        "INSERT INTO grants SELECT 'forged', at, policy, fingerprint, subject, 0, value, 'text', 0, 0 FROM grants",
    )
    change(setting, "UPDATE refused SET value = CAST('{}' AS BLOB)")
    assert [(found.check, found.state, found.seen[:5]) for found in findings(setting)] == [
        ("exceptions", "warn", "2 in "),
        ("refusals", "warn", "1 in "),
    ]
    assert made.id not in str(findings(setting))


def test_with_another_key_nothing_counts_and_doctor_says_so(setting: Setting) -> None:
    make_exceptions(setting.home, refuse(setting))
    key = next(path for path in setting.home.root.rglob("*.key"))
    key.unlink()
    key.mkdir()
    found = findings(setting)
    assert found and {one.state for one in found} == {"warn"}
    assert "count for nothing" in found[0].seen


def test_of_very_many_the_first_are_told_and_the_rest_counted(setting: Setting) -> None:
    code = refuse(setting)
    for _ in range(MOST_TOLD + 3):
        make_exceptions(setting.home, code, "here")
    found = findings(setting)
    assert len(found) == MOST_TOLD + 1 and found[-1].seen.startswith("3 more")


def test_the_options_of_a_policy_have_the_same_digest_in_every_process(setting: Setting) -> None:
    """Else each restart of the daemon would take all exceptions back."""
    code = (
        "import json, sys; from pathlib import Path; from synaptic.hooks.catalog import HookCatalogs; "
        "from synaptic.model.home import Home; from synaptic.pipeline.lifting import digest_options; "
        "catalog = HookCatalogs(Home(Path(sys.argv[1]))).get(sys.argv[2], '', sys.argv[2]); "
        "print(json.dumps({hook.id: digest_options(hook) for hook in catalog.hooks}))"
    )
    setting.config('presets = ["strict"]\n')
    setting.register("own")
    command = [sys.executable, "-c", code, str(setting.home.root), str(setting.project)]
    said = [
        json.loads(subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": seed})) for seed in ("1", "2")
    ]
    here = HookCatalogs(setting.home).get(str(setting.project), "", str(setting.project))
    assert said[0] == said[1] == {hook.id: digest_options(hook) for hook in here.hooks}
    assert len(said[0]) > 90
