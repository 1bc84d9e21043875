"""Synonyms in software work: a request must find an ability that is described in other words."""

from functools import cache

from synaptic.policies.routing.terms import stem_word

ONE_WAY = ">"
"""Marks a word with other meanings too: it may stand for the others, they never for it."""
GROUPS = """
regression retest broke> broken> break> breaking>
test suite verify check
deploy rollout release publish ship> live> launch>
rollback revert previous undo
production prod
staging preview sandbox
delete remove drop purge erase wipe clean cleanup
create add generate scaffold bootstrap
fix repair resolve bug defect
documentation docs readme manual guide handbook document>
database db sql postgres mysql table tables
migrate migration schema
backup snapshot dump> copy>
restore recover recovery lost>
monitor monitoring alert alerts alerting watch>
dashboard chart charts graph graphs
metric metrics statistics numbers stats
performance slow speed latency benchmark profiling> sluggish>
load> stress traffic> capacity>
security vulnerability vulnerabilities cve exploit audit
secret secrets credential credentials password passwords token tokens key keys
rotate rotation renew> replace>
permission permissions access role roles authorization rights
authentication auth login signin sso
signup registration register onboard onboarding
user users customer customers account accounts people
invoice invoices billing bill bills charge charges
payment payments pay checkout card cards
refund refunds chargeback
subscription subscriptions renewal plan>
email emails mail mails
notification notifications push reminder reminders
translate translation translations localization localisation language languages i18n
accessibility a11y screenreader contrast
image images picture pictures photo photos
upload uploads attachment attachments
search lookup find> query>
report reports summary summarize summarise overview
review feedback critique
refactor restructure tidy simplify
lint linter style format formatting
type typing typecheck
dependency dependencies library libraries package packages upgrade upgrades outdated
container containers docker
cluster kubernetes k8s pod pods
scale instances replicas double> triple>
browser chrome firefox safari
blind> accessibility
cache caching cached
queue queues job jobs worker workers background
log logs logging trace traces
error errors exception exceptions crash crashes failure failures failing
incident outage postmortem down>
config configuration setting settings flag flags
import ingest load>
export download extract csv
sync synchronize synchronise
mock stub fake
fixture fixtures seed sample samples fake>
inventory stock warehouse
order orders purchase purchases basket cart
price prices pricing discount discounts coupon coupons promotion
tax taxes vat
shipping delivery parcel parcels shipment courier
compliance gdpr privacy legal consent anonymize anonymous anonymise
archive retention old>
schedule scheduled cron scheduler
mobile ios android phone
frontend ui interface
backend server api endpoint endpoints
estimate cost costs budget spend
diagram architecture map
changelog notes>
certificate certificates tls ssl https
"""


@cache
def find_related(term: str) -> frozenset[str]:
    """Stems that may be meant by this one."""
    return _build_table().get(term, frozenset())


@cache
def _build_table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in GROUPS.strip().splitlines():
        targets = {stem_word(word) for word in line.split() if not word.endswith(ONE_WAY)}
        for word in line.split():
            term = stem_word(word.rstrip(ONE_WAY))
            found.setdefault(term, set()).update(targets - {term})
    return {term: frozenset(others) for term, others in found.items()}
