"""Which files of this machine a container sees."""

import pytest

from synaptic.policies.mounts import find_host_paths, find_mounts
from synaptic.shell.read.reader import read_script

GIVEN = (
    "-v /a/b:/k",
    "-v/a/b:/k",
    "--volume=/a/b:/k:ro",
    "--volume /a/b:/k/",
    "--mount type=bind,source=/a/b,target=/k",
    "--mount=type=bind,src=/a/b,dst=/k,readonly",
)


@pytest.mark.parametrize("given", GIVEN)
def test_a_path_in_a_container_is_found_on_this_machine(given: str):
    mounted = find_mounts(read_script(f"docker run --rm {given} alpine ls", cwd="/p", home="/h"))
    assert list(find_host_paths("/k/c", mounted)) == ["/a/b/c"]
    assert list(find_host_paths("/k", mounted)) == ["/a/b"]
    assert list(find_host_paths("/kk/c", mounted)) == []


def test_the_whole_machine_can_be_mounted():
    mounted = find_mounts(read_script("podman run -v /:/host alpine ls", cwd="/p", home="/h"))
    assert list(find_host_paths("/host/etc/shadow", mounted)) == ["/etc/shadow"]
    assert list(find_host_paths("/host", mounted)) == ["/"]


@pytest.mark.parametrize("given", ["-v /a:/k:ro", "--mount type=bind,src=/a,dst=/k,readonly"])
def test_what_is_mounted_to_be_read_is_not_written(given: str):
    mounted = find_mounts(read_script(f"docker run {given} alpine ls", cwd="/p", home="/h"))
    assert list(find_host_paths("/k/c", mounted)) == ["/a/c"]
    assert list(find_host_paths("/k/c", mounted, writes=True)) == []


def test_a_volume_with_a_name_is_not_of_this_machine():
    assert find_mounts(read_script("docker run -v data:/var/lib/x alpine ls -l", cwd="/p", home="/h")) == ()
