"""Files that come from another machine."""

import pytest

from synaptic.shell.effects.downloads import iter_downloads
from synaptic.shell.read.reader import read_script

DATA = (
    'echo "V=$(curl x.example)" > a.sh',
    "curl x.example | python3 make.py > a.sh",
    "curl localhost:80 | tee a.sh",
    "curl x.example | tee /dev/null",
    "http https://x.example/a.sh",
)
"""What another machine sends is a part of it, or made into something else."""


def files(text: str) -> frozenset[str]:
    """The downloaded files before the last command."""
    return list(iter_downloads(read_script(f"{text}; true", "/p", "/h")))[-1][1]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("curl -o a.sh x.example", "/p/a.sh"),
        ("curl -oa.sh x.example", "/p/a.sh"),
        ("curl x.example > a.sh", "/p/a.sh"),
        ("curl -LO https://x.example/d/a.sh?v=1", "/p/a.sh"),
        ("wget https://x.example/a.sh", "/p/a.sh"),
        ("wget -P /t https://x.example/a.sh", "/t/a.sh"),
        ("wget -O a.sh x.example", "/p/a.sh"),
        ("rsync host.example:a.sh .", "/p/a.sh"),
        ("cd d && curl -o a.sh x.example", "/p/d/a.sh"),
        ("curl -o b x.example; mv b a.sh", "/p/a.sh"),
        ("curl -o a.sh x.example; cp a.sh bin/", "/p/bin/a.sh"),
        ("curl x.example | tee a.sh", "/p/a.sh"),
        ("curl x.example | sed s/a/b/ > a.sh", "/p/a.sh"),
        ("curl x.example | gunzip | dd of=a.sh", "/p/a.sh"),
        ('echo "$(curl x.example)" > a.sh', "/p/a.sh"),
        ("cat <(curl x.example) > a.sh", "/p/a.sh"),
        ("aria2c https://x.example/a.sh", "/p/a.sh"),
        ("aria2c -d /t -o a.sh https://x.example/b", "/t/a.sh"),
        ("axel https://x.example/a.sh", "/p/a.sh"),
        ("http --download https://x.example/a.sh", "/p/a.sh"),
    ],
)
def test_a_download_is_known_by_its_path(text: str, path: str):
    assert path in files(text)


@pytest.mark.parametrize(
    "text", ["curl x.example", "curl -o - x.example", "curl -o a.sh localhost:80", "cp b a.sh", *DATA]
)
def test_no_file_comes_from_elsewhere(text: str):
    assert files(text) == frozenset()
