"""A repository with 2,000 abilities and what people ask of it, made from data."""

import tomllib
from pathlib import Path
from typing import Any

from synaptic.model.ability import Ability

HERE = Path(__file__).parent


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text())


def abilities() -> list[Ability]:
    data = load("pool.toml")
    return [
        Ability(
            id=f"{area}_{operation}",
            summary=does.format(area=about),
            keywords=(*area_words, *words),
            operation_key=f"workflow.{area}.{operation}",
            scopes=(area,),
            source=".system/registry/abilities.yaml",
        )
        for area, (about, area_words) in data["areas"].items()
        for operation, (does, words) in data["operations"].items()
    ]


def requests() -> dict[str, str]:
    return load("requests.toml")["meant"]


def chatter() -> list[str]:
    return load("requests.toml")["chat"]["texts"]
