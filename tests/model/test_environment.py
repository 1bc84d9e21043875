from synaptic.model.environment import build_project_variables


def test_the_paths_are_derived_from_the_root() -> None:
    """S0-028, S0-029"""
    assert build_project_variables("/p", "develop", "claude,codex") == {
        "SYNAPTIC_PROJECT_ROOT": "/p",
        "SYNAPTIC_ROOT": "/p/.synaptic",
        "SYNAPTIC_SHARED": "/p/.synaptic/shared",
        "SYNAPTIC_SKILLS": "/p/.synaptic/skills",
        "SYNAPTIC_CHANNEL": "develop",
        "SYNAPTIC_AGENTS": "claude,codex",
    }
