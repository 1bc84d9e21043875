"""Every error the engine raises on purpose.

SynapticError
├── DeclarationError   a registry, YAML or config file says something wrong (file, key, hint)
├── PayloadError       bytes from an agent that cannot be an event
├── StoreError         the database cannot be used
├── DaemonError        the daemon cannot be reached, started or stopped
├── SettingsError      an agent's settings file must not or cannot be edited
├── PersonError        what only people may do, asked for by something below an agent
└── LayerError         what a session, effort, task or agent cannot do, with a word that a script can compare
"""


class SynapticError(Exception):
    """What happened, where, and what to type next."""

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{advice}"


class DeclarationError(SynapticError):
    """A declaration that cannot be used; only itself is disabled."""


class PayloadError(SynapticError):
    """Bytes that are not an event; answered by the fail policy."""


class StoreError(SynapticError):
    """The database cannot be used; the agent works on without it."""


class DaemonError(SynapticError):
    """The daemon cannot be reached, started or stopped."""


class SettingsError(SynapticError):
    """A foreign settings file that is left untouched."""


class PersonError(SynapticError):
    """A person is needed; nothing has happened."""


def format_refusal(what: str, why: str) -> str:
    """What an agent is told that wants to do what only people may do."""
    return f"an agent may not {what} ({why}): this is for a person, type it in your own terminal"


class LayerError(SynapticError):
    """Something that the state layers do not allow; nothing was written."""

    def __init__(self, code: str, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
        self.code = code
