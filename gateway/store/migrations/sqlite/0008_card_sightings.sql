-- When each agent was last seen with the card it was accepted with, and how long the card may be used from then: after a
-- restart it is, while its agent cannot be asked. Apart from the card, which is large and written when it changes only.
CREATE TABLE card_sightings (
    agent          TEXT    NOT NULL PRIMARY KEY,
    card           TEXT    NOT NULL,           -- the fingerprint of that card
    source         TEXT    NOT NULL,           -- digest of the configured addresses that it was looked for at
    location       TEXT    NOT NULL,           -- where it was found
    seen_at        INTEGER NOT NULL,
    fresh_for      INTEGER NOT NULL,           -- in milliseconds from then
    stale_if_error INTEGER,                    -- in milliseconds after that, if the agent says so
    waits          INTEGER NOT NULL            -- 1 while another card of the agent waits to be accepted
) WITHOUT ROWID;
