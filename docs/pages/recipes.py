"""How other installers put Synaptic in: a Homebrew formula, a container image, a devcontainer feature."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from release.formula import DIGEST_WORD, HOMEPAGE_WORD, URL_WORD

import synaptic

ROOT = Path(__file__).parents[2]
FOLDER = "recipes"
PYTHON = "3.13"
"""What the formula and the image bring; pyproject.toml says what is needed at least."""
MADE = "Made by `make gen` from pyproject.toml: change docs/pages/recipes.py instead."

FORMULA = """\
# {made}
# `make dist URL=https://... HOMEPAGE=https://...` writes dist/{name}.rb with the address and the digest of a release.
class SynapticHooks < Formula
  include Language::Python::Virtualenv

  desc "{summary}"
  homepage "{homepage}"
  url "{url}"
  version "{version}"
  sha256 "{digest}"
  license "{license}"

  depends_on "python@{python}"

  def install
    virtualenv_create(libexec, "python{python}", without_pip: false)
    system libexec/"bin/python", "-m", "pip", "install", "--no-compile", buildpath
    bin.install_symlink libexec/"bin/{command}"
  end

  def caveats
    <<~EOS
      Nothing is guarded yet. Set it up, and see one event go through:
        {command} up
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/{command} --version")
    assert_match "deny", shell_output("#{{bin}}/{command} check 'rm -rf /'", 2)
  end
end
"""

CONTAINERFILE = """\
# {made}
# From the root of the repository, after `make dist`:  podman build -f recipes/Containerfile -t {command} .
# A session below it: mount the agent's home and the project, and start the agent inside.
ARG BASE=python:{python}-slim
FROM ${{BASE}}
COPY dist/{wheels} /tmp/wheels/
RUN python -m venv /opt/synaptic \\
 && /opt/synaptic/bin/pip install --no-cache-dir --find-links /tmp/wheels {name}=={version} \\
 && ln -s /opt/synaptic/bin/{command} /usr/local/bin/{command} \\
 && rm -rf /tmp/wheels
RUN useradd --create-home --shell /bin/bash agent
USER agent
WORKDIR /home/agent
RUN {command} up && {command} daemon stop
CMD ["/bin/bash"]
"""

FEATURE_INSTALL = """\
#!/bin/sh
# {made}
# Runs as root while the container is built; `_REMOTE_USER` is who will work in it.
set -eu
if ! python3 -c 'import sys; sys.exit(sys.version_info < ({least}))' 2>/dev/null; then
    echo "{command}: Python {least_text} or newer is needed; add the python feature before this one" >&2
    exit 1
fi
wanted="{name}"
if [ "${{VERSION:-latest}}" != "latest" ]; then wanted="{name}==$VERSION"; fi
python3 -m venv /opt/synaptic
/opt/synaptic/bin/python -m pip install --disable-pip-version-check --no-cache-dir "$wanted"
ln -sf /opt/synaptic/bin/{command} /usr/local/bin/{command}
if [ "${{UP:-true}}" = "true" ]; then
    user="${{_REMOTE_USER:-root}}"
    if [ "$user" = "$(id -un)" ]; then {command} bootstrap; else su "$user" -c "{command} bootstrap"; fi
fi
"""


def pages() -> Iterator[tuple[str, str]]:
    """Every recipe by its path."""
    facts = read_facts()
    yield f"{FOLDER}/homebrew/{facts['name']}.rb", FORMULA.format(**facts)
    yield f"{FOLDER}/Containerfile", CONTAINERFILE.format(**facts)
    yield f"{FOLDER}/devcontainer/{facts['command']}/install.sh", FEATURE_INSTALL.format(**facts)
    text = json.dumps(make_feature(facts), indent=2)
    yield f"{FOLDER}/devcontainer/{facts['command']}/devcontainer-feature.json", f"{text}\n"


def read_facts() -> dict[str, str]:
    """What pyproject.toml says, in the words of the recipes."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least = project["requires-python"].removeprefix(">=")
    return {
        "made": MADE,
        "name": project["name"],
        "command": next(iter(project["scripts"])),
        "summary": project["description"].split(":")[0].removeprefix("The ").capitalize(),
        "license": project["license"],
        "version": synaptic.__version__,
        "wheels": f"{project['name'].replace('-', '_')}-*.whl",
        "python": PYTHON,
        "least_text": least,
        "least": least.replace(".", ", "),
        "homepage": HOMEPAGE_WORD,
        "url": URL_WORD,
        "digest": DIGEST_WORD,
    }


def make_feature(facts: dict[str, str]) -> dict[str, object]:
    """The feature as the devcontainer specification has it."""
    version = {"type": "string", "proposals": ["latest", facts["version"]], "default": "latest"}
    return {
        "id": facts["command"],
        "version": facts["version"],
        "name": "Synaptic",
        "description": f"{facts['summary']}. Every call of an agent in the container is judged before it runs.",
        "options": {
            "version": {**version, "description": "Which version is installed."},
            "up": {"type": "boolean", "default": True, "description": "Wire the agents of the container's user."},
        },
    }
