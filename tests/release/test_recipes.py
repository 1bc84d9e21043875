"""Recipes of other installers: carried out here as far as this machine can, the rest compared with its schema."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from release.formula import DIGEST_WORD, HOMEPAGE_WORD, RECIPE, URL_WORD, fill_formula

import synaptic
from tests.release.conftest import give_up

ROOT = Path(__file__).parents[2]
CONTAINERFILE = ROOT / "recipes" / "Containerfile"
FEATURE = ROOT / "recipes" / "devcontainer" / "synaptic"
OPTION = {
    "type": "object",
    "required": ["type", "default", "description"],
    "properties": {"type": {"enum": ["string", "boolean"]}, "default": {"type": ["string", "boolean"]}},
}
FEATURE_SCHEMA = {
    "type": "object",
    "required": ["id", "version", "name", "options"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z0-9-]+$"},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "name": {"type": "string"},
        "description": {"type": "string"},
        "options": {"type": "object", "additionalProperties": OPTION},
    },
}
"""Of what the specification of development containers allows, the part that we use."""


def test_the_filled_formula_is_ruby_and_names_the_file_by_its_digest(tmp_path: Path) -> None:
    sdist = tmp_path / "synaptic_hooks-1.tar.gz"
    sdist.write_bytes(b"source")
    made = fill_formula(sdist, "https://example.com/s.tar.gz", "https://example.com").read_text()
    assert not any(word in made for word in (URL_WORD, DIGEST_WORD, HOMEPAGE_WORD))
    fields = dict(re.findall(r'^  (\w+) "(.*)"$', made, re.MULTILINE))
    assert fields["url"] == "https://example.com/s.tar.gz"
    assert fields["sha256"] == hashlib.sha256(b"source").hexdigest()
    assert fields["version"] == synaptic.__version__
    assert len(fields["desc"]) <= 80
    assert not fields["desc"].endswith(".")
    if shutil.which("ruby"):
        subprocess.run(["ruby", "-c", str(sdist.with_name(RECIPE.name))], check=True, capture_output=True)


FORMULA_TRIAL = """
module Language; module Python; module Virtualenv; end; end; end
class Formula
  def self.method_missing(name, *given) = puts([name, *given].join(" "))
  def self.test(&block) = define_method(:test_it, &block)
  def self.respond_to_missing?(*) = true
  def libexec = Place.new("LIBEXEC")
  def bin = Place.new("BIN")
  def buildpath = "BUILD"
  def version = "V"
  def virtualenv_create(*given) = puts("venv #{given.join(" ")}")
  def system(*given) = puts("run #{given.join(" ")}")
  def shell_output(line, code = 0) = (puts("shell #{line} #{code}"); "V deny")
  def assert_match(wanted, text) = (raise "no #{wanted}" unless text.include?(wanted))
end
class Place < String
  def /(name) = Place.new("#{self}/#{name}")
  def install_symlink(target) = puts("link #{target} in #{self}")
end
load ARGV[0]
formula = SynapticHooks.new
formula.install
formula.test_it
puts formula.caveats
"""


def test_the_formula_does_what_it_should_when_it_is_run(tmp_path: Path) -> None:
    if not shutil.which("ruby"):
        give_up("no ruby here: the formula is only read")
    trial = tmp_path / "trial.rb"
    trial.write_text(FORMULA_TRIAL)
    done = subprocess.run(["ruby", str(trial), str(RECIPE)], capture_output=True, text=True, check=True)
    assert "run LIBEXEC/bin/python -m pip install --no-compile BUILD" in done.stdout
    assert "link LIBEXEC/bin/synaptic in BIN" in done.stdout
    assert "shell BIN/synaptic check 'rm -rf /' 2" in done.stdout


def read_instructions() -> list[tuple[str, str]]:
    text = CONTAINERFILE.read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_the_image_is_built_as_root_and_used_by_somebody_else() -> None:
    names = [name for name, _ in read_instructions()]
    assert names == ["ARG", "FROM", "COPY", "RUN", "RUN", "USER", "WORKDIR", "RUN", "CMD"]
    known = dict(read_instructions())
    assert known["USER"] == "agent"
    assert isinstance(json.loads(known["CMD"]), list)
    for path in re.findall(r"dist/(\S+)", known["COPY"]):
        assert Path("synaptic_hooks-0-py3-none-manylinux_2_17_x86_64.whl").match(path)


def test_the_steps_of_the_image_can_be_carried_out(shelf: Path, tmp_path: Path) -> None:
    """Below another root, whose places stand where the recipe says /opt, /usr/local and /tmp/wheels."""
    wheels, places = tmp_path / "wheels", {"opt": tmp_path / "opt", "bin": tmp_path / "local" / "bin"}
    shutil.copytree(shelf, wheels)
    for folder in (*places.values(), tmp_path / "home"):
        folder.mkdir(parents=True)
    install, _, wire = [given for name, given in read_instructions() if name == "RUN"]
    swaps = {"/opt/": f"{places['opt']}/", "/usr/local/bin": str(places["bin"]), "/tmp/wheels": str(wheels)}
    script = f"set -e; {install}; {wire}; synaptic down".replace("pip install", "pip install --no-index --no-compile")
    for old, new in swaps.items():
        script = script.replace(old, new)
    path = f"{places['bin']}:{Path(sys.executable).parent}:/usr/bin:/bin"
    env = {"HOME": str(tmp_path / "home"), "PATH": path, "LANG": "C.UTF-8"}
    done = subprocess.run(
        ["sh", "-c", script], env=env, cwd=tmp_path / "home", capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "synaptic is up" in done.stdout
    assert not wheels.exists()


def test_the_feature_is_one_by_its_schema() -> None:
    feature = json.loads((FEATURE / "devcontainer-feature.json").read_text())
    jsonschema.validate(feature, FEATURE_SCHEMA)
    assert feature["id"] == FEATURE.name
    assert os.access(FEATURE / "install.sh", os.X_OK)


STUB = '#!/bin/sh\necho "$(basename "$0") $*" >> "$LOG"\n'
"""Stands for a program that the feature calls."""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, ["pip install --disable-pip-version-check --no-cache-dir synaptic-hooks", "su dev -c synaptic bootstrap"]),
        ({"VERSION": "1.2.0", "UP": "false"}, ["--no-cache-dir synaptic-hooks==1.2.0"]),
    ],
)
def test_the_feature_installs_and_wires_for_the_user_of_the_container(tmp_path: Path, options, told) -> None:
    programs, opt = tmp_path / "bin", tmp_path / "opt"
    for path in (programs / "su", programs / "ln", programs / "synaptic", opt / "synaptic/bin/python"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(STUB)
        path.chmod(0o755)
    python = programs / "python3"
    python.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    script = (FEATURE / "install.sh").read_text().replace("/opt/", f"{opt}/")
    env = {"PATH": f"{programs}:/usr/bin:/bin", "LOG": str(tmp_path / "log"), "_REMOTE_USER": "dev", **options}
    script = script.replace("python3 -m venv", "true")
    done = subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "log").read_text()
    for one in told:
        assert one in log
    assert ("su " in log) == (options.get("UP") != "false")


def read_steps() -> dict[str, dict[str, object]]:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    assert all("default" in given and "description" in given for given in action["inputs"].values())
    return {step["name"]: step for step in action["runs"]["steps"]}


def test_no_input_of_the_action_is_put_into_a_script() -> None:
    for step in read_steps().values():
        assert "${{" not in str(step["run"])
        assert step["shell"] == "bash"


def carry_out(step: str, tmp_path: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    """One script of the action, with programs that only note how they were called."""
    if not shutil.which("bash"):
        give_up("no bash")
    for name in ("pipx", "synaptic"):
        (tmp_path / name).write_text(STUB)
        (tmp_path / name).chmod(0o755)
    given = {"PATH": f"{tmp_path}:/usr/bin:/bin", "LOG": str(tmp_path / "log"), **env}
    script = str(read_steps()[step]["run"])
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], env=given, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("step", "env", "called"),
    [
        ("Install", {"VERSION": ""}, "pipx install synaptic-hooks\n"),
        ("Install", {"VERSION": "1.2.0"}, "pipx install synaptic-hooks==1.2.0\n"),
        ("Guard", {"FAIL": "closed"}, "synaptic up --ci --fail closed\n"),
        ("Report", {"HOURS": "24"}, "synaptic report --github --hours 24\n"),
    ],
)
def test_the_action_calls_what_it_says(tmp_path: Path, step: str, env: dict[str, str], called: str) -> None:
    assert carry_out(step, tmp_path, **env).returncode == 0
    assert (tmp_path / "log").read_text() == called


@pytest.mark.parametrize(
    ("step", "env"),
    [
        ("Know the step", {"STEP": "up; id"}),
        ("Install", {"VERSION": "1 --index-url x"}),
        ("Guard", {"FAIL": "open --purge"}),
        ("Report", {"HOURS": "-1"}),
    ],
)
def test_an_input_that_is_none_of_its_kind_ends_the_step(tmp_path: Path, step: str, env: dict[str, str]) -> None:
    assert carry_out(step, tmp_path, **env).returncode == 64
    assert not (tmp_path / "log").exists()
