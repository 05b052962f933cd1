-- Bodies are blobs from here on (`src/row/body.rs`); those written before stay as they are, JSON in text.

-- Agents by number, so that lists of them are short.
CREATE TABLE agents (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE
);

-- Who was considered for a decision, by verdict: the numbers of agents, each between commas.
CREATE TABLE considered (
    decision  INTEGER PRIMARY KEY REFERENCES decisions (number) ON DELETE CASCADE,
    chosen    TEXT NOT NULL,
    outscored TEXT NOT NULL,
    discarded TEXT NOT NULL
);

-- Finds the decisions an agent was considered for: the blocks of 1024 that they are in. An entry for each of them
-- would be a page written for each candidate, since entries of one agent stand together and so those of one decision
-- apart. `candidates` has these for the decisions of before.
CREATE TABLE considered_blocks (
    agent     INTEGER NOT NULL,
    block     INTEGER NOT NULL,                -- the number of a decision divided by 1024
    chosen    INTEGER NOT NULL,                -- 1 if the agent has this verdict somewhere in it; likewise below
    outscored INTEGER NOT NULL,
    discarded INTEGER NOT NULL,
    PRIMARY KEY (agent, block)
) WITHOUT ROWID;
