"""Why a package, a registry or a command about them is refused: one error with a code that scripts can read."""

from typing import Literal

from synaptic.model.errors import SynapticError

Code = Literal[
    "invalid_args",
    "not_found",
    "ambiguous_target",
    "unsupported_backend",
    "backend_unavailable",
    "backend_auth_failed",
    "confirmation_required",
    "blocked",
    "conflict",
    "validation_failed",
    "internal_error",
]
RETRYABLE: frozenset[Code] = frozenset({"backend_unavailable"})


class Refusal(SynapticError):
    """What was refused and why; nothing was written."""

    def __init__(self, code: Code, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
        self.code: Code = code

    @property
    def is_retryable(self) -> bool:
        """Whether the same command may succeed later without any change."""
        return self.code in RETRYABLE
