"""`make hub`, as a person sees it."""

import os
import subprocess
import sys

import pytest

from synaptic.hub.server.throwaway import find_programs
from synaptic.model.errors import SynapticError


def test_two_machines_a_bundle_and_what_the_hub_knows():
    try:
        find_programs()
    except SynapticError as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            raise
        pytest.skip(f"{error}")
    done = subprocess.run([sys.executable, "-m", "demo.hub"], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runner has the bundle in force" in done.stdout
    assert "12 events of 12 calls are at the hub" in done.stdout
    assert "deny by npm.publish" in done.stdout
    assert "failed" not in done.stdout
