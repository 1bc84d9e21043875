"""Agreements to our entries, for agents that run none without one: found, written, taken out."""

from pathlib import Path

import msgspec

from synaptic.agents.base import Agent, Agreement, Agreements, SettingsFile
from synaptic.agents.shared import record
from synaptic.agents.shared.record import AgreementMark
from synaptic.files.replace import delete_file, make_folders, read_file, replace_file
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home


class AgreementStanding(msgspec.Struct, frozen=True):
    """Which of our entries the agent runs."""

    agreed: int
    entries: int

    @property
    def is_trusted(self) -> bool:
        return self.entries > 0 and self.agreed == self.entries


class AgreementFile(msgspec.Struct, frozen=True):
    """Where one agent keeps agreements to the entries of one settings file."""

    agent: Agent
    agreement: Agreement
    hooks: SettingsFile

    @property
    def path(self) -> Path:
        """Beside the settings: where they are, the agent's folder is."""
        return self.hooks.path.parent / self.agreement.file

    def read_standing(self) -> AgreementStanding:
        """How many of our entries are agreed to. Raises ValueError or SettingsError for files that cannot be read."""
        wanted, known = self.list_wanted(), self.read_known()
        return AgreementStanding(sum(known.get(key) == value for key, value in wanted.items()), len(wanted))

    def list_wanted(self) -> Agreements:
        """Key and hash of every entry of ours, by where it stands in the settings."""
        return self.agreement.list_wanted(self.hooks, (read_file(self.hooks.path) or b"").decode())

    def read_known(self) -> Agreements:
        """Key and hash of everything that is agreed to."""
        try:
            return self.agreement.read_known((read_file(self.path) or b"").decode())
        except ValueError as error:
            raise SettingsError(f"invalid TOML: {error}", where=str(self.path), hint="correct the file") from error


def write_agreements(home: Home, file: AgreementFile) -> bool:
    """Write what is missing; whether anything had to change. Raises SettingsError for a file that cannot take it."""
    if file.read_standing().is_trusted:
        return False
    withdraw_agreements(home, file.path, file.agreement)
    before = read_file(file.path)
    text = (before or b"").decode()
    known = file.read_known()
    missing = {key: value for key, value in file.list_wanted().items() if known.get(key) != value}
    try:
        added = file.agreement.add(text, missing)
    except ValueError as error:
        why = f"cannot take an agreement: {error}"
        raise SettingsError(why, where=str(file.path), hint=file.agreement.how) from error
    made = make_folders(file.path.parent)
    record.mark_agreement(home, file.path, AgreementMark(added, before is None, made, file.agent.name))
    replace_file(file.path, (text + added).encode())
    return True


def withdraw_agreements(home: Home, path: Path, agreement: Agreement) -> bool:
    """Take out what was written here and nothing else; whether anything changed."""
    mark = record.load_record(home).agreements.get(str(path))
    before = read_file(path)
    record.mark_agreement(home, path, None)
    if mark is None or before is None:
        return False
    after = agreement.remove(before.decode(), mark.text)
    if not after and mark.absent:
        delete_file(path)
        record.release_folders(home, mark.folders)
    elif after != before.decode():
        replace_file(path, after.encode())
    return after != before.decode()
