-- Times are microseconds since 1970-01-01T00:00:00Z. Decisions are numbered in the order they were recorded,
-- and everything else refers to them by number, so that the entries of every index are small and new ones
-- stand together at its end.

-- Marks the file as one of ours ("a2ag"), so that a file of another program is never written to.
PRAGMA application_id = 1630691687;

CREATE TABLE decisions (
    number        INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,     -- UUID version 7, so the order of ids is time
    at            INTEGER NOT NULL,
    caller        TEXT    NOT NULL,            -- the subject
    chosen        INTEGER NOT NULL,            -- 1 if a candidate has this verdict; likewise below
    outscored     INTEGER NOT NULL,
    discarded     INTEGER NOT NULL,
    attempts      TEXT    NOT NULL,            -- JSON objects, one a line
    outcome       TEXT,                        -- its state; null while nothing is known
    outcome_task  TEXT,
    task_agent    TEXT,                        -- whose task that is; null unless it is in `tasks`
    outcome_error TEXT,                        -- JSON
    outcome_ms    INTEGER,
    finished_at   INTEGER                      -- from here on the outcome is final
);

-- SQLite ends each entry with the number, which is what results are sorted by.
CREATE INDEX decisions_by_caller ON decisions (caller);
CREATE INDEX decisions_by_outcome ON decisions (outcome);
CREATE INDEX decisions_with_chosen ON decisions (chosen) WHERE chosen = 1;
CREATE INDEX decisions_with_outscored ON decisions (outscored) WHERE outscored = 1;
CREATE INDEX decisions_with_discarded ON decisions (discarded) WHERE discarded = 1;
CREATE INDEX decisions_by_running_task ON decisions (task_agent, outcome_task)
    WHERE task_agent IS NOT NULL AND finished_at IS NULL;

-- Apart from `decisions`, because a row is written anew whenever its outcome changes and this part never does.
CREATE TABLE decision_bodies (
    decision INTEGER PRIMARY KEY REFERENCES decisions (number) ON DELETE CASCADE,
    body     TEXT NOT NULL                     -- the decision as made, in JSON
);

-- Finds the decisions an agent was considered for. The bodies say it as well, so that removal needs no
-- second index.
CREATE TABLE candidates (
    agent    TEXT    NOT NULL,
    decision INTEGER NOT NULL,
    verdict  TEXT    NOT NULL,
    PRIMARY KEY (agent, decision)
) WITHOUT ROWID;

CREATE TABLE tasks (
    agent         TEXT    NOT NULL,
    task_id       TEXT    NOT NULL,            -- unique only within its agent
    context_id    TEXT,
    caller        TEXT    NOT NULL,            -- binding text
    version       TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    ended         INTEGER NOT NULL,            -- 1 once the state is terminal
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,            -- when the state was first seen
    last_decision INTEGER,                     -- the newest that led to it; null once that is removed
    PRIMARY KEY (agent, task_id)
) WITHOUT ROWID;

CREATE TABLE contexts (
    caller     TEXT    NOT NULL,               -- binding text
    context_id TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    at         INTEGER NOT NULL,               -- when it was last used
    PRIMARY KEY (caller, context_id)
) WITHOUT ROWID;

CREATE INDEX contexts_by_time ON contexts (at);
