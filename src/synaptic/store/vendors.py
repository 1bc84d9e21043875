"""Tokens that say by their beginning whose they are: a prefix, and the letters of what follows."""

from typing import NamedTuple

_ALNUM, _HEX, _URL, _WIDE = "[A-Za-z0-9]", "[0-9a-fA-F]", r"[A-Za-z0-9_\-]", r"[A-Za-z0-9_\-+/=.,]"


class VendorToken(NamedTuple):
    """One kind of token."""

    kind: str
    prefixes: tuple[str, ...]
    """In lower case; those with an underscore are regular expressions of a fixed length."""
    body: str
    least: int


def _list(kind: str, prefixes: str, body: str, least: int) -> VendorToken:
    return VendorToken(kind, tuple(prefixes.split()), body, least)


UNDERSCORE_TOKENS = (
    _list("github-token", "gh[pousr]_", _ALNUM, 30),
    _list("github-pat", "github_pat_", "[A-Za-z0-9_]", 30),
    _list("npm-token", "npm_", _ALNUM, 30),
    _list("huggingface-token", "hf_ api_org_", _ALNUM, 30),
    _list("stripe-key", "[sr]k_live_ [sr]k_test_ whsec_", _ALNUM, 16),
    _list("shopify-token", "shpat_ shpca_ shppa_ shpss_ shprt_ shptka_", _HEX, 32),
    _list("digitalocean-token", "do[opr]_v1_", _HEX, 64),
    _list("linear-token", "lin_api_ lin_oauth_ lin_wh_", _ALNUM, 32),
    _list("notion-token", "secret_ ntn_", _ALNUM, 40),
    _list("grafana-token", "glsa_ glc_", _WIDE, 32),
    _list("sonar-token", "squ_ sqp_ sqa_", _HEX, 40),
    _list("sentry-token", "sntrys_ sntryu_", _WIDE, 40),
    _list("readme-token", "rdme_", _ALNUM, 60),
    _list("rubygems-token", "rubygems_", _HEX, 48),
    _list("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_app_secret_", r"[A-Za-z0-9_\-.=]", 32),
    _list("shippo-token", "shippo_live_ shippo_test_", _HEX, 32),
    _list("duffel-token", "duffel_live_ duffel_test_", _URL, 32),
    _list("docker-token", "dckr_pat_ dckr_oat_", _URL, 24),
    _list("buildkite-token", "bkua_ bkaj_ bkct_", _ALNUM, 32),
    _list("circleci-token", "ccipat_ ccipgh_ ccipprj_", "[A-Za-z0-9_]", 32),
    _list("netlify-token", "nfp_ nfc_ nfo_", _ALNUM, 32),
    _list("render-token", "rnd_", _ALNUM, 28),
    _list("posthog-token", "phx_ phs_", _ALNUM, 40),
    _list("pinecone-key", "pcsk_", _URL, 40),
    _list("langsmith-key", "lsv2_pt_ lsv2_sk_", "[A-Za-z0-9_]", 32),
    _list("onepassword-token", "ops_", r"[A-Za-z0-9_\-+/=.]", 100),
    _list("clojars-token", "clojars_", _ALNUM, 60),
    _list("prefect-token", "pnu_ pnb_", _ALNUM, 36),
    _list("typeform-token", "tfp_", r"[A-Za-z0-9_\-.=]", 40),
    _list("figma-token", "figd_ figu_", _URL, 32),
    _list("supabase-token", "sbp_ sb_secret_", "[A-Za-z0-9_]", 30),
    _list("groq-key", "gsk_", _ALNUM, 40),
    _list("replicate-token", "r8_", _ALNUM, 36),
    _list("sourcegraph-token", "sgp_ slk_", "[A-Za-z0-9_]", 40),
    _list("fly-token", "fo1_ fm1_ fm2_ fm1r_ fm1a_", _WIDE, 40),
)
"""Prefixes that end in an underscore: what follows must look like a token before any of them is compared."""

LETTER_TOKENS = (
    _list("flutterwave-key", "flwseck_test-", _HEX, 12),
    _list("google-secret", "gocspx-", _URL, 24),
    _list("newrelic-key", "nrak- nrjs- nrii- nrra- nrsp-", "[A-Za-z0-9_\\-]", 18),
    _list("postman-key", "pmak-", r"[A-Za-z0-9\-]", 40),
    _list("tailscale-key", "tskey-", r"[A-Za-z0-9\-]", 20),
    _list("mailgun-key", "key-", _HEX, 32),
    _list("brevo-key", "xkeysib- xsmtpsib-", r"[A-Za-z0-9\-]", 60),
    _list("perplexity-key", "pplx-", _ALNUM, 40),
    _list("xai-key", "xai-", _ALNUM, 40),
    _list("tavily-key", "tvly-", _URL, 24),
    _list("age-key", "age-secret-key-1", "[0-9A-Za-z]", 50),
    _list("vault-token", "hvs. hvb. hvr.", _URL, 20),
    _list("databricks-token", "dapi", r"[0-9a-f\-]", 32),
    _list("pulumi-token", "pul-", _HEX, 40),
    _list("infracost-key", "ico-", _ALNUM, 32),
    _list("contentful-token", "cfpat-", _URL, 40),
    _list("frameio-token", "fio-u-", _URL, 60),
    _list("heroku-key", "hrku-", _URL, 30),
    _list("dynatrace-token", "dt0c01.", r"[A-Za-z0-9.]", 80),
    _list("openshift-token", "sha256~", _URL, 40),
    _list("adobe-secret", "p8e-", _URL, 28),
    _list("octopus-key", "api-", "[A-Z0-9]", 26),
    _list("scalingo-token", "tk-us-", _URL, 40),
    _list("nuget-key", "oy2", "[a-z0-9]", 43),
)
"""Other prefixes, as plain text: each is looked for by its rarest letter."""

RARE_LETTERS = "qzjxv~kywbgpcu"
"""Letters of prefixes, rarest in texts first; a prefix that ends with a dash is looked for by it."""

CASED_TOKENS: dict[str, tuple[str, str]] = {
    "doppler-token": (r"p(?<=dp)\.(?:[psc]t|sa|scim|audit)\.", r"([A-Za-z0-9_.]{32,}+)"),
    "atlassian-token": ("x(?<=atatt3x)ffgf0", r"(?<=ATATT3xFfGF0)([A-Za-z0-9_\-=]{40,})"),
    "bitbucket-token": ("b(?<=atb)b", r"(?<=ATBB)([A-Za-z0-9_\-=]{24,})"),
    "yandex-key": ("q(?<=aq)vn", r"(?<=AQVN)([A-Za-z0-9_\-]{35,38})"),
    "artifactory-key": ("k(?<=ak)cp", r"(?<=AKCp)([A-Za-z0-9]{60,})"),
    "easypost-key": ("z(?<=ez)[at]k", r"(?<=EZ[AT]K)([A-Za-z0-9]{54,})"),
    "twilio-sid": ("c(?<=ac)(?=[0-9a-f]{32}(?![0-9a-z]))(?<![a-z0-9]ac)", r"(?<=AC)([0-9a-f]{32})"),
    "gitlab-runner-token": ("g(?:r1348941)", r"([A-Za-z0-9_\-]{20,})"),
}
"""An anchor, and a shape that also looks at the case of the letters before it."""
