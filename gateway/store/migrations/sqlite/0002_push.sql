-- Webhooks of clients, and the notifications on their way to them. Times are microseconds since 1970.

CREATE TABLE push_configs (
    callback        TEXT    NOT NULL PRIMARY KEY, -- digest of the token in the callback's address
    bearer          TEXT    NOT NULL,             -- digest of the token the agent shows there
    agent           TEXT    NOT NULL,
    task_id         TEXT,                         -- the agent's own; null while unknown
    caller          TEXT    NOT NULL,             -- binding text
    version         TEXT    NOT NULL,             -- what the client spoke
    sealed          INTEGER NOT NULL,             -- 1 if the client knows ids sealed
    agent_config_id TEXT    NOT NULL,
    config_id       TEXT,                         -- the client's
    url             TEXT    NOT NULL,
    token           TEXT,
    scheme          TEXT,
    credentials     TEXT,                         -- in the clear, because deliveries carry them
    confirmed       INTEGER NOT NULL DEFAULT 0,   -- 1 once the agent has it and the task is known
    created_at      INTEGER NOT NULL,
    heard_at        INTEGER NOT NULL,             -- when a notification came last
    ended_at        INTEGER                       -- when the task was seen to end
) WITHOUT ROWID;

CREATE INDEX push_configs_by_task ON push_configs (agent, task_id);

CREATE TABLE push_outbox (
    id            INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of delivery within a callback
    callback      TEXT    NOT NULL REFERENCES push_configs (callback) ON DELETE CASCADE,
    payload       TEXT    NOT NULL,
    state         TEXT,                              -- the one it tells
    at            INTEGER NOT NULL,
    failures      INTEGER NOT NULL DEFAULT 0,
    due_at        INTEGER NOT NULL,
    claimed_until INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX push_outbox_by_callback ON push_outbox (callback, id);
