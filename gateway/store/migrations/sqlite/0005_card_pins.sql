-- The card each agent was last accepted with; changes are measured from it, also after a restart.
CREATE TABLE card_pins (
    agent       TEXT    NOT NULL PRIMARY KEY,
    card        BLOB    NOT NULL,              -- as received
    accepted_at INTEGER NOT NULL
) WITHOUT ROWID;
