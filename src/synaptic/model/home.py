"""Where the engine keeps its things: one folder per user."""

from pathlib import Path

import msgspec


class Home(msgspec.Struct, frozen=True):
    """The files under `~/.synaptic`, by name."""

    root: Path

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def dispatch(self) -> Path:
        return self.bin / "dispatch"

    @property
    def launcher(self) -> Path:
        """The command line, beside the dispatcher: on PATH wherever it was installed from."""
        return self.bin / "synaptic"

    @property
    def short_launcher(self) -> Path:
        """The same under its short name, for machines on which another program is called synaptic."""
        return self.bin / "syn"

    @property
    def engine(self) -> Path:
        """What `dispatch` reads when there is no daemon (`python=`, `fail=`), and where programs are (`path=`)."""
        return self.root / "engine"

    @property
    def refusals(self) -> Path:
        """What `dispatch` says when no engine can be asked, ready for each agent and event."""
        return self.root / "refusals"

    @property
    def engine_files(self) -> Path:
        """The engine's files as they were installed: size, time and digest of each."""
        return self.root / "engine-files"

    @property
    def start(self) -> Path:
        """What looks at that list and starts the engine: beside the dispatcher, away from the package."""
        return self.bin / "start.py"

    @property
    def config(self) -> Path:
        return self.root / "config.toml"

    @property
    def registry(self) -> Path:
        return self.root / "hooks" / "registry.toml"

    @property
    def database(self) -> Path:
        return self.root / "synaptic.db"

    @property
    def history_index(self) -> Path:
        """The words of the journal, for `search`: derived from it, and made again when it is lost."""
        return self.root / "index" / "history.db"

    @property
    def verified(self) -> Path:
        """Which versions of which clients were verified, when, and with what result."""
        return self.root / "verified.json"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def socket(self) -> Path:
        return self.run / "daemon.sock"

    @property
    def lock(self) -> Path:
        """Held by the one daemon for its whole life: the folder itself, since a file could be removed."""
        return self.root

    @property
    def log(self) -> Path:
        return self.run / "daemon.log"

    @property
    def compiled(self) -> Path:
        """Compiled copies of the engine's modules, when it runs as it was installed."""
        return self.run / "compiled"

    @property
    def described(self) -> Path:
        """What each file with policies was last known to hold. Not in `run`, which anybody may throw away."""
        return self.root / "described"

    @property
    def shadow(self) -> Path:
        """Calls that policies in shadow are still to judge."""
        return self.run / "shadow"

    @property
    def hub(self) -> Path:
        """What belongs to a hub, and to the process that ships (`hub/place.py`)."""
        return self.root / "hub"

    @property
    def joined(self) -> Path:
        """Which hub was joined; the daemon looks whether it is there."""
        return self.hub / "joined.json"

    @property
    def shipper_lock(self) -> Path:
        """Held by the one process that ships."""
        return self.hub / "shipper.lock"

    @property
    def shipper_log(self) -> Path:
        return self.hub / "shipper.log"

    @property
    def spool(self) -> Path:
        """Output of hooks that nobody waits for."""
        return self.run / "spool"
