-- The state layers: what an agent works on (project, task, effort), and who works on it (session, agent).
-- A session is one context window and ends; an effort is one skill's run and survives its windows; a task is a folder
-- and has no state of its own.
CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL DEFAULT '',
    created_at REAL NOT NULL
);

CREATE TABLE skills (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    path TEXT NOT NULL DEFAULT '',
    phases TEXT,
    modes TEXT,
    templates TEXT,
    cmd_dependencies TEXT,
    next_skills TEXT,
    directives TEXT,
    version TEXT,
    description TEXT,
    tier TEXT,
    updated_at REAL NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE tasks (
    dir_path TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    workspace TEXT,
    title TEXT,
    description TEXT,
    keywords TEXT,
    created_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX tasks_of_project ON tasks (project_id);

CREATE TABLE efforts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL REFERENCES tasks (dir_path) ON DELETE CASCADE,
    skill TEXT NOT NULL,
    mode TEXT,
    ordinal INTEGER NOT NULL,
    lifecycle TEXT NOT NULL DEFAULT 'active' CHECK (lifecycle IN ('active', 'finished')),
    current_phase TEXT,
    discovered_directives TEXT,
    discovered_directories TEXT,
    loaded_files TEXT,
    metadata TEXT,
    created_at REAL NOT NULL,
    finished_at REAL,
    UNIQUE (task_id, ordinal)
);
CREATE INDEX efforts_by_life ON efforts (task_id, lifecycle);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    effort_id INTEGER NOT NULL REFERENCES efforts (id) ON DELETE CASCADE,
    task_id TEXT NOT NULL REFERENCES tasks (dir_path) ON DELETE CASCADE,
    prev_session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    host_session TEXT NOT NULL DEFAULT '', -- the agent's own id of the window, never ours
    fleet_agent TEXT NOT NULL DEFAULT '',
    subagent TEXT NOT NULL DEFAULT '', -- the sub-agent's id; empty for the main one
    pid INTEGER,
    model TEXT,
    heartbeat_counter INTEGER NOT NULL DEFAULT 0,
    heartbeat_interval INTEGER NOT NULL DEFAULT 10,
    last_heartbeat REAL,
    last_edited TEXT NOT NULL DEFAULT '',
    context_usage REAL,
    loaded_files TEXT,
    preloaded_files TEXT,
    pending_injections TEXT,
    discovered_directives TEXT,
    discovered_directories TEXT,
    dehydration_payload TEXT,
    handed_over_at REAL, -- a payload is told once
    transcript_path TEXT,
    transcript_offset INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    ended_at REAL
);
CREATE INDEX sessions_of_effort ON sessions (effort_id, ended_at);
CREATE INDEX sessions_of_host ON sessions (host_session, ended_at);

CREATE TABLE phase_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    effort_id INTEGER NOT NULL REFERENCES efforts (id) ON DELETE CASCADE,
    phase_label TEXT NOT NULL,
    reason TEXT,
    proof TEXT,
    created_at REAL NOT NULL
);
CREATE INDEX phases_of_effort ON phase_history (effort_id);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    tool_name TEXT,
    timestamp REAL NOT NULL
);
CREATE INDEX messages_of_session ON messages (session_id, timestamp);

CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    label TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL DEFAULT '', -- claude, codex, ...
    project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
    effort_id INTEGER REFERENCES efforts (id) ON DELETE SET NULL,
    status TEXT NOT NULL DEFAULT 'done' CHECK (status IN ('error', 'attention', 'working', 'checked', 'done')),
    parent TEXT,
    manages TEXT,
    claims TEXT,
    targeted_claims TEXT,
    named INTEGER NOT NULL DEFAULT 0, -- has an AGENT_ID; else it is known by its window alone
    host_session TEXT NOT NULL DEFAULT '',
    pane TEXT NOT NULL DEFAULT '', -- where a display may show it: socket and pane of a terminal multiplexer
    pid INTEGER,
    note TEXT NOT NULL DEFAULT '', -- what a person should know, e.g. why it is in error
    signals INTEGER NOT NULL DEFAULT 0,
    restart_prompt TEXT,
    restart_at REAL, -- asked for and not carried out yet
    updated_at REAL NOT NULL
) WITHOUT ROWID;

-- The session is the agent's own one, or one that nobody has claimed yet: never that of another window.
CREATE VIEW fleet_status AS
SELECT a.id AS agent, a.label, a.kind, a.status, a.note, a.parent, a.pane, a.named, p.path AS project, e.id AS effort_id,
       e.task_id AS task, e.skill, e.current_phase, s.id AS session_id, s.heartbeat_counter,
       CASE WHEN json_valid(e.metadata) THEN json_extract(e.metadata, '$.blockAfter') END AS block_after,
       s.context_usage, s.last_heartbeat, a.pid IS NOT NULL AS supervised, a.restart_at, a.updated_at
FROM agents a
LEFT JOIN projects p ON p.id = a.project_id
LEFT JOIN efforts e ON e.id = a.effort_id AND e.lifecycle = 'active'
LEFT JOIN sessions s ON s.id = (
    SELECT max(id) FROM sessions
    WHERE effort_id = a.effort_id AND ended_at IS NULL AND subagent = ''
      AND (fleet_agent = a.id OR fleet_agent = '' AND host_session IN (a.host_session, '')));

CREATE VIEW task_summary AS
SELECT t.*, count(e.id) AS effort_count, count(CASE WHEN e.lifecycle = 'active' THEN 1 END) AS active_count,
       max(coalesce(e.finished_at, e.created_at)) AS last_activity
FROM tasks t LEFT JOIN efforts e ON e.task_id = t.dir_path
GROUP BY t.dir_path;

CREATE VIEW active_efforts AS
SELECT e.*, t.project_id, t.title FROM efforts e JOIN tasks t ON t.dir_path = e.task_id WHERE e.lifecycle = 'active';

CREATE VIEW stale_sessions AS
SELECT * FROM sessions
WHERE ended_at IS NULL AND coalesce(last_heartbeat, created_at) < (julianday('now') - 2440587.5) * 86400.0 - 300;
