"""Ten million events put into a hub's tables by SQL: what they look like, and over which days they lie.

Commands, files, projects, verdicts and sessions are drawn so that a few are common and most are rare, as in journals;
one event in four has its texts. Tallies and sessions are made from them, as batches would have added them up.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import psycopg

HOSTS = 1000
RARE = "quetzalcoatlus"
RARE_DAYS = 10
"""Every tenth day has three events with that word."""
Tell = Callable[[str], None]

WORDS = """
CREATE TABLE words (tools text[], kinds text[], programs text[], names text[], hooks text[]);
INSERT INTO words VALUES (
  '{Bash,Bash,Bash,Bash,Bash,Bash,Bash,Bash,Read,Read,Read,Read,Read,Read,Edit,Edit,Edit,Edit,Grep,Grep,Grep,Write,
    Glob,mcp__tracker__find}',
  array_fill('none'::text, ARRAY[190]) || array_fill('advise'::text, ARRAY[3]) || array_fill('rewrite'::text, ARRAY[2])
    || array_fill('deny'::text, ARRAY[4]) || array_fill('ask'::text, ARRAY[1]),
  '{git status --short,git diff HEAD~1,git log --oneline -5,python -m pytest -q,rg -n,ls -la,sed -n 1p,make test,
    npm run build,curl -s,cat,docker compose up}',
  '{parser,config,session,engine,store,router,index,client,render,schema,token,queue,worker,report,mailer,invoice,
    search,upload,cache,gateway}',
  '{git.force-push,git.commit-everything,paths.outside-project,secrets.files,shell.pipe-to-shell,sane.refuse,
    audit.tool-use,code.unknown-launcher,work.claims,files.lock-files}'
);
"""
EVENTS = """
INSERT INTO {table} (seq, at, size, day, host, micros, exit, quiet, call, agent, event, kind, tool, by, code, session,
  agent_id, project, tool_use, subject, reason, runs, grants)
SELECT d.n / {hosts} + 1, d.at, 300 + (d.r1 * 5000)::int, to_timestamp(d.at)::date, d.host, d.micros, 0, 38,
  md5(d.n::text), CASE WHEN d.host % 3 = 0 THEN 'codex' ELSE 'claude' END,
  CASE WHEN d.n % 2 = 0 THEN 'PreToolUse' ELSE 'PostToolUse' END, d.kind, d.tool,
  CASE WHEN d.kind = 'none' THEN '' ELSE d.hook END,
  CASE WHEN d.kind IN ('deny', 'ask') THEN 'k' || left(md5((d.n * 7)::text), 6) ELSE '' END,
  to_hex(d.host) || '-5f' || to_hex(d.n / {hosts} / 300 * 1000 + d.host), '',
  '~/src/' || d.name1 || '-' || d.host % 97, 'toolu_' || left(md5((d.n * 3)::text), 20),
  CASE WHEN d.host % 4 <> 0 THEN ''
    WHEN d.n IN ({rare}) THEN 'cat notes/{word}.md'
    ELSE d.program || ' src/' || d.name2 || '/' || d.name1 || '_' || (power(d.r2, 3) * 40000)::int || '.py' END,
  CASE WHEN d.host % 4 = 0 AND d.kind <> 'none'
    THEN 'The branch is protected: ask its owner, or push with a lease' ELSE '' END,
  ('[["' || d.hook || '","' || d.kind || '",' || d.micros / 9
    || ',""],["audit.tool-use","none",' || d.micros / 20 || ',""]]')::json,
  NULL
FROM (
  SELECT g.n, 1 + (g.n % {hosts})::int AS host, {start} + g.n::float8 / {amount} * {seconds} AS at, g.r1, g.r2,
    w.kinds[1 + floor(g.r1 * 200)::int] AS kind, w.tools[1 + floor(g.r2 * 24)::int] AS tool,
    w.hooks[1 + floor(power(g.r3, 2) * 10)::int] AS hook,
    w.names[1 + floor(power(g.r4, 2) * 20)::int] AS name1,
    w.names[1 + floor(power(g.r5, 2) * 20)::int] AS name2,
    w.programs[1 + floor(power(g.r6, 2) * 12)::int] AS program,
    (exp(7.0 + (g.r1 + g.r2 + g.r3 + g.r4 - 2)))::int AS micros
  FROM (SELECT n, random() r1, random() r2, random() r3, random() r4, random() r5, random() r6
    FROM generate_series({first}, {last}) n) g, words w
) d
"""
TALLIES = """
INSERT INTO tallies (amount, faults, micros, longest, day, host, hook, kind, classes)
SELECT count(*), 0, sum(micros), max(micros), day, host, hook, kind,
  array_fill(0, ARRAY[40]) || ARRAY[
    count(*) FILTER (WHERE micros < 1500), count(*) FILTER (WHERE micros >= 1500)]::int[]
FROM (
  SELECT day, host, '' AS hook, kind, micros FROM events WHERE day BETWEEN %(first)s AND %(last)s
  UNION ALL SELECT day, host, by, kind, micros / 9 FROM events WHERE by <> '' AND day BETWEEN %(first)s AND %(last)s
  UNION ALL SELECT day, host, 'audit.tool-use', 'none', micros / 20 FROM events WHERE day BETWEEN %(first)s AND %(last)s
) t GROUP BY day, host, hook, kind ON CONFLICT DO NOTHING
"""
SESSIONS = """
INSERT INTO sessions
SELECT host, session, min(agent), min(project), min(at), max(at), min(seq), max(seq), count(*),
  count(*) FILTER (WHERE kind IN ('deny', 'ask'))
FROM events GROUP BY host, session ON CONFLICT DO NOTHING
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE tablename = 'events' AND schemaname = 'public'"


def fill_days(url: str, amount: int, days: int, tell: Tell) -> list[date]:
    """So many events, evenly over the last days before today; every day's table is filled first and indexed then."""
    last = datetime.now(UTC).date() - timedelta(1)
    listed = [last - timedelta(number) for number in reversed(range(days))]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute("SET max_parallel_maintenance_workers = 2")
        connection.execute("DROP TABLE IF EXISTS words")
        connection.execute(WORDS)
        _add_hosts(connection)
        for number, day in enumerate(listed):
            first, last = (one * amount // days // HOSTS * HOSTS for one in (number, number + 1))
            _fill_day(connection, day, (first, last), tell)
        tell("tallies and sessions")
        connection.execute(TALLIES, {"first": listed[0], "last": listed[-1]})
        connection.execute(SESSIONS)
        connection.execute("DROP TABLE words")
        connection.execute("ANALYZE")
    return listed


def _add_hosts(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    connection.execute(
        "INSERT INTO hosts (number, id, name, key, joined_at, seen_at)"
        " SELECT n, 'filled-' || n, 'filled ' || n, 'key' || n, 0, extract(epoch FROM now())"
        " FROM generate_series(1, %s) n ON CONFLICT DO NOTHING",
        (HOSTS,),
    )


def _fill_day(
    connection: "psycopg.Connection[tuple[object, ...]]", day: date, numbers: tuple[int, int], tell: Tell
) -> None:
    """Rows first, then the indexes of the parent, then it becomes a part of it."""
    has_rare = numbers[0] // max(numbers[1] - numbers[0], 1) % RARE_DAYS == 0
    name, (first, last) = f"events_{day:%Y%m%d}", numbers
    start = datetime.combine(day, datetime.min.time(), UTC).timestamp()
    connection.execute(f"DROP TABLE IF EXISTS {name}")
    connection.execute(f"CREATE TABLE {name} (LIKE events INCLUDING DEFAULTS)")
    gap = (last - first) // 4 // HOSTS * HOSTS or HOSTS
    rare = ", ".join(str(first + 3 + number * gap) for number in range(3)) if has_rare else "-1"
    step = 1_000_000
    for begin in range(first, last, step):
        end = min(begin + step, last)
        statement = EVENTS.format(
            table=name, hosts=HOSTS, rare=rare, word=RARE, start=start - first / (last - first) * 86_000,
            amount=last - first, seconds=86_000, first=begin, last=end - 1,
        )  # fmt: skip
        connection.execute(statement.encode())
        tell(f"{day}: {end - first:,} of {last - first:,} rows")
    tell(f"{day}: indexes")
    connection.execute(f"ALTER TABLE {name} ADD PRIMARY KEY (host, seq, day)")
    for (definition,) in connection.execute(INDEXES).fetchall():
        if "UNIQUE" not in str(definition):
            connection.execute(_rename_index(str(definition), name).encode())
    connection.execute(
        f"ALTER TABLE events ATTACH PARTITION {name} FOR VALUES FROM ('{day}') TO ('{day + timedelta(1)}')"
    )
    tallies, until = f"tallies_{day:%Y%m%d}", day + timedelta(1)
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {tallies} PARTITION OF tallies FOR VALUES FROM ('{day}') TO ('{until}')"
    )
    connection.execute(f"VACUUM ANALYZE {name}")


def _rename_index(definition: str, name: str) -> str:
    """The same index, of a day's own table, with a name that the system chooses."""
    _, _, tail = definition.partition(" ON ONLY public.events ")
    if not tail:
        _, _, tail = definition.partition(" ON public.events ")
    return f"CREATE INDEX ON {name} {tail}"
