from synaptic.model.errors import DeclarationError, SynapticError


def test_a_message_says_what_where_and_what_to_type() -> None:
    error = DeclarationError("unknown key `prio`", where="registry.toml", hint="did you mean `priority`?")
    assert str(error) == "registry.toml: unknown key `prio` (did you mean `priority`?)"
    assert str(SynapticError("plain")) == "plain"
