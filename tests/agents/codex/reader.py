"""Codex: a strict reader, by schema, that takes an odd answer for a failed hook."""

import json
from pathlib import Path

import jsonschema
from tests.agents.readers import Heard, by_exit, read_json

from synaptic.model.call import Answer

SCHEMAS = Path(__file__).parent / "schemas"


def hear(event: str, answer: Answer) -> Heard | None:
    if answer.exit:
        return by_exit(answer)
    body = read_json(answer)
    if body is None:
        return Heard()
    schema = SCHEMAS / f"{kebab(event)}.json"
    if not schema.exists() or not _valid(body, schema):
        return None
    specific = body.get("hookSpecificOutput") or {}
    heard = Heard(user=body.get("systemMessage", ""), context=specific.get("additionalContext", ""))
    if event == "PreToolUse":
        return _hear_before(body, specific, heard)
    if event == "PermissionRequest":
        return _hear_permission(body, specific, heard)
    if event == "PostToolUse" and body.get("suppressOutput"):
        return None
    if body.get("decision") == "block":
        heard.blocked, heard.reason = True, body.get("reason", "")
        return heard if heard.reason.strip() else None
    return heard if "reason" not in body else None


def _valid(body: dict, schema: Path) -> bool:
    return jsonschema.Draft7Validator(json.loads(schema.read_text())).is_valid(body)


def _hear_before(body: dict, specific: dict, heard: Heard) -> Heard | None:
    if body.get("continue", True) is not True or "stopReason" in body or body.get("suppressOutput"):
        return None
    word, why = specific.get("permissionDecision"), specific.get("permissionDecisionReason", "")
    if word == "ask" or (word == "allow") != ("updatedInput" in specific) or (word is None and why):
        return None
    if word == "deny" and not why.strip():
        return None
    heard.blocked, heard.reason, heard.input = word == "deny", why, specific.get("updatedInput")
    return heard


def _hear_permission(body: dict, specific: dict, heard: Heard) -> Heard | None:
    if body.get("continue", True) is not True or "stopReason" in body or body.get("suppressOutput"):
        return None
    said = specific.get("decision") or {}
    if {"updatedInput", "updatedPermissions"} & set(said) or said.get("interrupt"):
        return None
    heard.blocked, heard.allowed = said.get("behavior") == "deny", said.get("behavior") == "allow"
    heard.reason = said.get("message", "")
    return heard


def kebab(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")
