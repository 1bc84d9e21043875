"""A new hook, whole or not at all."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from synaptic.hooks.scaffold import HookRequest, scaffold_hook
from synaptic.model.errors import DeclarationError


@pytest.mark.parametrize("language", ["python", "bash", "typescript"])
@pytest.mark.parametrize("name", ["snake_case", "kebab-case", "1st"])
def test_both_files_are_written_and_the_stub_answers_nothing(tmp_path: Path, language: str, name: str):
    """S2-103, S2-105"""
    written = scaffold_hook(
        tmp_path, HookRequest(id=name, event="PostAbilityCall", language=language, summary='say """x"""')
    )
    script = tmp_path / written.script
    assert (tmp_path / written.definition).exists() and os.access(script, os.X_OK)
    if language == "typescript" and not shutil.which("node"):
        return
    done = subprocess.run([script], input=b'{"event_type": "x"}', capture_output=True, timeout=30, check=True)
    assert json.loads(done.stdout) == {}


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (HookRequest(id="Bad Id", event="PostAbilityCall"), "no id"),
        (HookRequest(id="x", event="PostAbilityCal"), "did you mean `PostAbilityCall`"),
        (HookRequest(id="x", event="PostAbilityCall", language="pyhton"), "did you mean `python`"),
        (HookRequest(id="x", event="PostAbilityCall", match={"ability_scop": "a"}), "did you mean `ability_scope`"),
    ],
)
def test_what_cannot_be_used_is_not_written(tmp_path: Path, wanted: HookRequest, told: str):
    """S2-104"""
    with pytest.raises(DeclarationError, match=told):
        scaffold_hook(tmp_path, wanted)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_id_that_is_there_is_refused_and_left_alone(tmp_path: Path):
    """S2-104"""
    scaffold_hook(tmp_path, HookRequest(id="one", event="PostAbilityCall"))
    before = {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(DeclarationError, match="already there"):
        scaffold_hook(tmp_path, HookRequest(id="one", event="SessionStop", language="bash"))
    assert {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()} == before
