"""Abilities over the socket."""

from pathlib import Path

import pytest

from synaptic.daemon.client import RpcError, call_rpc
from tests.daemon.setting import Setting

REGISTRY = "abilities:\n  - {id: billing_regression, summary: Run the full regression suite for billing}\n"


def test_every_method(tmp_path: Path):
    setting = Setting(tmp_path)
    setting.config('trust = "all"\npresets = ["routing"]\n')
    file = setting.project / ".system/registry/a.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(REGISTRY)
    root = str(setting.project)
    setting.start()
    try:
        found = call_rpc(setting.home, "ability.suggest", {"root": root, "text": "billing regression suite"})
        assert found[0]["id"] == "billing_regression"
        assert call_rpc(setting.home, "ability.list", {"root": root})[0]["id"] == "billing_regression"
        context = {"ability_id": "billing_regression", "status": "success", "duration_ms": 5}
        said = call_rpc(setting.home, "ability.emit", {"event": "PostAbilityCall", "context": context, "root": root})
        assert said["result"]["usage_recorded"] is True and said["blocked"] is False
        assert call_rpc(setting.home, "ability.usage", {"root": root})[0]["calls"] == 1
        assert call_rpc(setting.home, "ability.follow_ups", {"root": root}) == []
        assert call_rpc(setting.home, "ability.documents", {"root": root, "intent": {"intent": "x"}}) == []
        with pytest.raises(RpcError, match="no event"):
            call_rpc(setting.home, "ability.emit", {"event": "Nonsense"})
    finally:
        setting.stop()
