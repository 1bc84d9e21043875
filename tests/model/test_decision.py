from synaptic.model.decision import Kind, Verdict, advise, allow, ask, deny, record, rewrite


def test_the_kind_of_a_verdict_is_its_strongest_part() -> None:
    assert deny("no").kind is Kind.DENY
    assert ask("?").kind is Kind.ASK
    assert allow().kind is Kind.ALLOW
    assert rewrite({"a": 1}, "why").kind is Kind.REWRITE
    assert advise("look").kind is Kind.ADVISE
    assert record().kind is Kind.NONE
    assert Verdict(says=Kind.ASK, input={"a": 1}).kind is Kind.ASK
    assert Verdict(says=Kind.ALLOW, input={"a": 1}).kind is Kind.REWRITE


def test_later_kinds_win() -> None:
    ranks = [kind.rank for kind in (Kind.NONE, Kind.ADVISE, Kind.ALLOW, Kind.REWRITE, Kind.ASK, Kind.DENY)]
    assert ranks == sorted(ranks)
