"""Rules as data: `[[rule]]` tables that only tighten. Text in, hooks of the catalog out; nothing of a rule is run.

`parse.parse_rules(text, place, home)` gives `RuleDeclarations(rules, problems)`; `entry.RuleEntry` is the keys;
`compile.compile_rule(entry, place, number, home)` a `Rule` (raises ValueError), `compile.make_rule_hook(rule)` its
hook; `examples.check_examples(rules)` tries their examples, `examples.tries_example(rule, example)` one of them.
"""
