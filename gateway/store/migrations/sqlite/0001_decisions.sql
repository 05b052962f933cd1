-- Times are microseconds since 1970-01-01T00:00:00Z. Decision ids are UUID version 7, so their order is time.

-- Marks the file as one of ours ("a2ag"), so that a file of another program is never written to.
PRAGMA application_id = 1630691687;

CREATE TABLE decisions (
    id            TEXT    NOT NULL PRIMARY KEY,
    at            INTEGER NOT NULL,
    kind          TEXT    NOT NULL,
    caller        TEXT    NOT NULL,            -- the subject
    tenant        TEXT,
    operation     TEXT    NOT NULL,
    agent         TEXT,                        -- the chosen one
    attempts      TEXT    NOT NULL DEFAULT '', -- JSON objects, one a line
    outcome       TEXT,                        -- its state; null while nothing is known
    outcome_task  TEXT,
    outcome_error TEXT,                        -- JSON
    outcome_ms    INTEGER,
    finished_at   INTEGER                      -- from here on the outcome is final
);

-- The trailing columns let the two filters be combined without a look at the table.
CREATE INDEX decisions_by_time ON decisions (at, id);
CREATE INDEX decisions_by_caller ON decisions (caller, id, outcome);
CREATE INDEX decisions_by_outcome ON decisions (outcome, id, caller);

-- Apart from `decisions`, because a row is written anew whenever its outcome changes and this part never does.
CREATE TABLE decision_bodies (
    decision_id TEXT NOT NULL PRIMARY KEY REFERENCES decisions (id) ON DELETE CASCADE,
    body        TEXT NOT NULL                  -- the decision as made, in JSON
);

CREATE TABLE candidates (
    agent       TEXT NOT NULL,
    decision_id TEXT NOT NULL REFERENCES decisions (id) ON DELETE CASCADE,
    verdict     TEXT NOT NULL,
    reason      TEXT,
    PRIMARY KEY (agent, decision_id)
) WITHOUT ROWID;

CREATE INDEX candidates_by_decision ON candidates (decision_id);
CREATE INDEX candidates_by_verdict ON candidates (verdict, decision_id);

CREATE TABLE tasks (
    agent      TEXT    NOT NULL,
    task_id    TEXT    NOT NULL,               -- unique only within its agent
    context_id TEXT,
    caller     TEXT    NOT NULL,               -- binding text
    version    TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    ended      INTEGER NOT NULL,               -- 1 once the state is terminal
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,               -- when the state was first seen
    PRIMARY KEY (agent, task_id)
) WITHOUT ROWID;

CREATE TABLE task_decisions (
    agent       TEXT NOT NULL,
    task_id     TEXT NOT NULL,
    decision_id TEXT NOT NULL REFERENCES decisions (id) ON DELETE CASCADE,
    PRIMARY KEY (agent, task_id, decision_id),
    FOREIGN KEY (agent, task_id) REFERENCES tasks (agent, task_id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX task_decisions_by_decision ON task_decisions (decision_id);

CREATE TABLE contexts (
    caller     TEXT    NOT NULL,               -- binding text
    context_id TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    at         INTEGER NOT NULL,               -- when it was last used
    PRIMARY KEY (caller, context_id)
) WITHOUT ROWID;

CREATE INDEX contexts_by_time ON contexts (at);
