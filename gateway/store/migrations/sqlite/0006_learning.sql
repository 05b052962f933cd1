-- What decisions teach about the skills of agents.

ALTER TABLE decisions ADD COLUMN teaches TEXT;     -- the agent it teaches about; null if about none
ALTER TABLE decisions ADD COLUMN skill TEXT;       -- of that agent; '' where none was named
ALTER TABLE decisions ADD COLUMN cancel_asked INTEGER NOT NULL DEFAULT 0; -- 1 once the caller asked for it
ALTER TABLE decisions ADD COLUMN cost REAL;        -- by what the agent reported
ALTER TABLE decisions ADD COLUMN feedback TEXT;    -- JSON

-- What is known of the result: the last word of a person, else that of the task.
ALTER TABLE decisions ADD COLUMN judged_score REAL
    AS (coalesce(feedback ->> 'score', feedback ->> 'accepted')) VIRTUAL;
ALTER TABLE decisions ADD COLUMN judged TEXT AS (CASE
    WHEN coalesce(feedback ->> 'score', feedback ->> 'accepted') IS NOT NULL THEN 'feedback'
    WHEN outcome IN ('completed', 'message') THEN outcome
    WHEN outcome IN ('failed', 'rejected') THEN 'failed'
    WHEN outcome = 'canceled' AND NOT cancel_asked THEN 'failed'
END) VIRTUAL;
ALTER TABLE decisions ADD COLUMN known_cost REAL AS (coalesce(feedback ->> 'cost', cost)) VIRTUAL;

-- Counted by the day a decision was made on, so that what is learned later about it changes the same row. Nothing
-- fades here: how much a day still weighs is up to whoever reads it.
CREATE TABLE lessons (
    agent     TEXT    NOT NULL,
    skill     TEXT    NOT NULL,
    day       INTEGER NOT NULL,                    -- since 1970
    completed REAL    NOT NULL,
    failed    REAL    NOT NULL,
    messages  REAL    NOT NULL,
    accepted  REAL    NOT NULL,                    -- by feedback: the sum of scores
    refused   REAL    NOT NULL,                    -- and of what they lack to 1
    costs     REAL    NOT NULL,                    -- how many are known
    cost      REAL    NOT NULL,                    -- and their sum
    revision  INTEGER NOT NULL,                    -- grows with every change of any row
    PRIMARY KEY (agent, skill, day)
) WITHOUT ROWID;

CREATE INDEX lessons_by_revision ON lessons (revision);
CREATE INDEX lessons_by_day ON lessons (day);

-- Decisions up to the one named here teach nothing any more.
CREATE TABLE forgotten (
    agent    TEXT    NOT NULL,
    skill    TEXT,                                 -- null for all
    decision INTEGER NOT NULL,
    at       INTEGER NOT NULL
);

CREATE INDEX forgotten_by_agent ON forgotten (agent);

ALTER TABLE tasks ADD COLUMN first_decision INTEGER; -- the one it began with
