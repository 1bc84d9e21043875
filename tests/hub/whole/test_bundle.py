"""A bundle that is published reaches hosts that wait, and binds the agent there."""

import json
import subprocess
from pathlib import Path

import msgspec
from bench.hub_load.bundle import BundleHost, Organisation, measure_bundle
from bench.payload import event, line
from bench.world import World, build

from synaptic.hooks.bundle_seal import find_bundle
from synaptic.hub.bundles.pull import find_version
from tests.hub.whole.conftest import Team


def test_a_published_bundle_is_in_force_on_every_host_and_a_newer_one_after_it(team: Team, tmp_path: Path):
    organisation = Organisation(team.hub, tmp_path, 4)
    for version in (1, 2):
        assert len(measure_bundle(organisation, version)) == 4
        assert [find_version(host.home) for host in organisation.hosts] == [version] * 4


def test_its_rule_stops_the_agent_of_a_host(team: Team, tmp_path: Path):
    world = build(tmp_path / "dev", "dev")
    organisation = Organisation(team.hub, tmp_path, 1)
    key = organisation.hosts[0].member.organisation_key
    member = msgspec.structs.replace(team.join(world.home, "dev"), organisation_key=key)
    from synaptic.hub.shipping.plan import write_membership

    write_membership(world.home, member)
    organisation.hosts.append(BundleHost(world.home, member))
    try:
        assert "deny" not in send(world, "npm publish")
        measure_bundle(organisation, 1)
        assert find_bundle(world.home).kept is not None
        assert "The pipeline publishes." in send(world, "npm publish")
        assert "deny" not in send(world, "npm test")
    finally:
        (world.home.hub / "joined.json").unlink()
        world.stop()


def send(world: World, command: str) -> str:
    done = subprocess.run(
        [str(world.home.dispatch), "PreToolUse"], input=line(event(world.project, command)), env=world.env,
        capture_output=True, timeout=60,
    )  # fmt: skip
    return json.dumps(done.stdout.decode())
