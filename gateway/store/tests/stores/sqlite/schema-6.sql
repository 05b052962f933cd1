PRAGMA application_id = 1630691687;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO _sqlx_migrations VALUES(1,'decisions','2026-11-30 21:47:41',1,X'780daf4b1ef81152851797f6aff8f9c3da766a0d7ffbe55efad951475a87d0a803e8203044139432cb50378324c703f1',1918861);
INSERT INTO _sqlx_migrations VALUES(2,'push','2026-11-30 21:47:41',1,X'6a0aa86acc4eb6c1805d49f20122d891c65114a1ffa38797ae0ee9bb872ece5805e6103fc8a29e32a2cccad05465352e',1275661);
INSERT INTO _sqlx_migrations VALUES(3,'tasks by caller','2026-11-30 21:47:41',1,X'87abdc3305340e6baf79030fcd09909f97d914f25b0c27d3a47907a83aea6c46cc376b53563f125ccdd89c86c66d50fa',767883);
INSERT INTO _sqlx_migrations VALUES(5,'card pins','2026-11-30 21:47:41',1,X'8abe39ba94d90c5f52e8a56059ccf3e64580144f40984baddc91bd26dc7735240853181e1a5674606d83c13c96f65ddd',714023);
INSERT INTO _sqlx_migrations VALUES(6,'learning','2026-11-30 21:47:41',1,X'6be4eb5ba05ad00669464535416033513ab2dca5e57c7caafa42a8e49911e698652ff5db8c399c733c368d9344c7887a',4727342);
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
, teaches TEXT, skill TEXT, cancel_asked INTEGER NOT NULL DEFAULT 0, cost REAL, feedback TEXT, judged_score REAL
    AS (coalesce(feedback ->> 'score', feedback ->> 'accepted')) VIRTUAL, judged TEXT AS (CASE
    WHEN coalesce(feedback ->> 'score', feedback ->> 'accepted') IS NOT NULL THEN 'feedback'
    WHEN outcome IN ('completed', 'message') THEN outcome
    WHEN outcome IN ('failed', 'rejected') THEN 'failed'
    WHEN outcome = 'canceled' AND NOT cancel_asked THEN 'failed'
END) VIRTUAL, known_cost REAL AS (coalesce(feedback ->> 'cost', cost)) VIRTUAL);
INSERT INTO decisions VALUES(1,'01a0c450-6c00-75dc-bf85-1348143701f0',1790000000000000,'ana',1,1,1,replace('{"agent":"becas","started_at":"2026-09-21T14:13:20.007Z","phase":"response","outcome":"ok","detail":"two\nlines","ms":7}\012','\012',char(10)),'completed','t-0','becas',NULL,9000,1790000009000000,'becas','review',0,NULL,NULL);
INSERT INTO decisions VALUES(2,'01a0c450-6fe8-75ba-a4be-bed083739b32',1790000001000000,'ana',1,1,1,replace('{"agent":"becas","started_at":"2026-09-21T14:13:20.007Z","phase":"response","outcome":"ok","detail":"two\nlines","ms":7}\012','\012',char(10)),'working','t-1','becas',NULL,0,NULL,'becas','review',0,NULL,NULL);
INSERT INTO decisions VALUES(3,'01a0c450-73d0-7d20-8e07-b494b70bba1a',1790000002000000,'ana',1,1,0,replace('{"agent":"becas","started_at":"2026-09-21T14:13:20.007Z","phase":"response","outcome":"ok","detail":"two\nlines","ms":7}\012','\012',char(10)),NULL,NULL,NULL,NULL,NULL,NULL,'pagos','review',0,NULL,NULL);
INSERT INTO decisions VALUES(4,'01a0c450-77b8-7dc0-8c64-4e9f2522ba1f',1790000003000000,'ana',1,1,1,replace('{"agent":"becas","started_at":"2026-09-21T14:13:20.007Z","phase":"response","outcome":"ok","detail":"two\nlines","ms":7}\012','\012',char(10)),NULL,NULL,NULL,NULL,NULL,NULL,'becas','review',0,NULL,NULL);
CREATE TABLE decision_bodies (
    decision INTEGER PRIMARY KEY REFERENCES decisions (number) ON DELETE CASCADE,
    body     TEXT NOT NULL                     -- the decision as made, in JSON
);
INSERT INTO decision_bodies VALUES(1,'{"id":"01a0c450-6c00-75dc-bf85-1348143701f0","at":"2026-09-21T14:13:20Z","kind":"scored","caller":{"subject":"ana","tenant":"uni"},"operation":"SendMessage","client_version":"1.0","request":{"message_id":"m-1","digest":"sha256:00","text_chars":12,"text":"¿Cuánto?","text_cut":true,"input_modes":["text/plain"],"accepted_output_modes":["text/plain"],"streaming":true,"push":true,"data_keys":["año"],"extensions":["urn:x"],"binding":"HTTP+JSON","hints":{"max_latency_ms":1500.5,"profile":"critical","max_effect":"prepare"}},"rule":{"name":"becas first","action":"use","agents":["becas"],"profile":"critical","max_effect":"prepare"},"versions":{"config":"","catalog":"","profile":"balanced@1f3a9c02"},"weights":{"fit":0.3,"quality":0.25,"availability":0.15,"latency":0.1,"cost":0.1,"risk":0.1},"trace_id":"0af7651916cd43dd8448eb211c80319c","candidates":[{"agent":"becas","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"chosen"},{"agent":"pagos","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"outscored"},{"agent":"cartas","card":"sha256:01","verdict":"discarded","reason":"streaming","detail":"card says streaming=false"}],"unlisted":{"outscored":1,"discarded":{"below_min_fit":3}},"margin":0.30000000000000004,"propensity":0.96,"exploration":{"method":"epsilon","among":5,"explored":false},"attempts":[]}');
INSERT INTO decision_bodies VALUES(2,'{"id":"01a0c450-6fe8-75ba-a4be-bed083739b32","at":"2026-09-21T14:13:21Z","kind":"scored","caller":{"subject":"ana","tenant":"uni"},"operation":"SendMessage","client_version":"1.0","request":{"message_id":"m-1","digest":"sha256:00","text_chars":12,"text":"¿Cuánto?","text_cut":true,"input_modes":["text/plain"],"accepted_output_modes":["text/plain"],"streaming":true,"push":true,"data_keys":["año"],"extensions":["urn:x"],"binding":"HTTP+JSON","hints":{"max_latency_ms":1500.5,"profile":"critical","max_effect":"prepare"}},"rule":{"name":"becas first","action":"use","agents":["becas"],"profile":"critical","max_effect":"prepare"},"versions":{"config":"","catalog":"","profile":"balanced@1f3a9c02"},"weights":{"fit":0.3,"quality":0.25,"availability":0.15,"latency":0.1,"cost":0.1,"risk":0.1},"trace_id":"0af7651916cd43dd8448eb211c80319c","candidates":[{"agent":"becas","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"chosen"},{"agent":"pagos","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"outscored"},{"agent":"cartas","card":"sha256:01","verdict":"discarded","reason":"streaming","detail":"card says streaming=false"}],"unlisted":{"outscored":1,"discarded":{"below_min_fit":3}},"margin":0.30000000000000004,"propensity":0.96,"exploration":{"method":"epsilon","among":5,"explored":false},"attempts":[]}');
INSERT INTO decision_bodies VALUES(3,'{"id":"01a0c450-73d0-7d20-8e07-b494b70bba1a","at":"2026-09-21T14:13:22Z","kind":"scored","caller":{"subject":"ana","tenant":"uni"},"operation":"SendMessage","client_version":"1.0","request":{"message_id":"m-1","digest":"sha256:00","text_chars":12,"text":"¿Cuánto?","text_cut":true,"input_modes":["text/plain"],"accepted_output_modes":["text/plain"],"streaming":true,"push":true,"data_keys":["año"],"extensions":["urn:x"],"binding":"HTTP+JSON","hints":{"max_latency_ms":1500.5,"profile":"critical","max_effect":"prepare"}},"rule":{"name":"becas first","action":"use","agents":["becas"],"profile":"critical","max_effect":"prepare"},"versions":{"config":"","catalog":"","profile":"balanced@1f3a9c02"},"weights":{"fit":0.3,"quality":0.25,"availability":0.15,"latency":0.1,"cost":0.1,"risk":0.1},"trace_id":"0af7651916cd43dd8448eb211c80319c","candidates":[{"agent":"pagos","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"chosen"},{"agent":"cartas","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"outscored"}],"unlisted":{"outscored":1,"discarded":{"below_min_fit":3}},"margin":0.30000000000000004,"propensity":0.96,"exploration":{"method":"epsilon","among":5,"explored":false},"attempts":[]}');
INSERT INTO decision_bodies VALUES(4,'{"id":"01a0c450-77b8-7dc0-8c64-4e9f2522ba1f","at":"2026-09-21T14:13:23Z","kind":"scored","caller":{"subject":"ana","tenant":"uni"},"operation":"SendMessage","client_version":"1.0","request":{"message_id":"m-1","digest":"sha256:00","text_chars":12,"text":"¿Cuánto?","text_cut":true,"input_modes":["text/plain"],"accepted_output_modes":["text/plain"],"streaming":true,"push":true,"data_keys":["año"],"extensions":["urn:x"],"binding":"HTTP+JSON","hints":{"max_latency_ms":1500.5,"profile":"critical","max_effect":"prepare"}},"rule":{"name":"becas first","action":"use","agents":["becas"],"profile":"critical","max_effect":"prepare"},"versions":{"config":"","catalog":"","profile":"balanced@1f3a9c02"},"weights":{"fit":0.3,"quality":0.25,"availability":0.15,"latency":0.1,"cost":0.1,"risk":0.1},"trace_id":"0af7651916cd43dd8448eb211c80319c","candidates":[{"agent":"becas","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"chosen"},{"agent":"pagos","skill":"review","interface":{"binding":"JSONRPC","version":"1.0"},"card":"sha256:01","signals":{"fit":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"quality":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"availability":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"latency":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"cost":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}},"risk":{"raw":7.1,"value":0.8,"why":["beca"],"terms":{"effect":0.3}}},"contributions":{"fit":0.24,"quality":0.2,"availability":0.1,"latency":-0.05,"cost":-0.0,"risk":-0.045},"score":0.445,"propensity":0.25,"verdict":"outscored"},{"agent":"cartas","card":"sha256:01","verdict":"discarded","reason":"streaming","detail":"card says streaming=false"}],"unlisted":{"outscored":1,"discarded":{"below_min_fit":3}},"margin":0.30000000000000004,"propensity":0.96,"exploration":{"method":"epsilon","among":5,"explored":false},"attempts":[]}');
CREATE TABLE candidates (
    agent    TEXT    NOT NULL,
    decision INTEGER NOT NULL,
    verdict  TEXT    NOT NULL,
    PRIMARY KEY (agent, decision)
) WITHOUT ROWID;
INSERT INTO candidates VALUES('becas',1,'chosen');
INSERT INTO candidates VALUES('becas',2,'chosen');
INSERT INTO candidates VALUES('becas',4,'chosen');
INSERT INTO candidates VALUES('cartas',1,'discarded');
INSERT INTO candidates VALUES('cartas',2,'discarded');
INSERT INTO candidates VALUES('cartas',3,'outscored');
INSERT INTO candidates VALUES('cartas',4,'discarded');
INSERT INTO candidates VALUES('pagos',1,'outscored');
INSERT INTO candidates VALUES('pagos',2,'outscored');
INSERT INTO candidates VALUES('pagos',3,'chosen');
INSERT INTO candidates VALUES('pagos',4,'outscored');
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
    last_decision INTEGER, first_decision INTEGER,                     -- the newest that led to it; null once that is removed
    PRIMARY KEY (agent, task_id)
) WITHOUT ROWID;
INSERT INTO tasks VALUES('becas','t-0','c-1','3:uniana','1.0','completed',1,1790000000020000,1790000009000000,1,1);
INSERT INTO tasks VALUES('becas','t-1','c-1','3:uniana','1.0','working',0,1790000000020000,1790000000020000,2,2);
CREATE TABLE contexts (
    caller     TEXT    NOT NULL,               -- binding text
    context_id TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    at         INTEGER NOT NULL,               -- when it was last used
    PRIMARY KEY (caller, context_id)
) WITHOUT ROWID;
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
CREATE TABLE card_pins (
    agent       TEXT    NOT NULL PRIMARY KEY,
    card        BLOB    NOT NULL,              -- as received
    accepted_at INTEGER NOT NULL
) WITHOUT ROWID;
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
INSERT INTO lessons VALUES('becas','review',20717,1.0,0.0,0.0,0.0,0.0,0.0,0.0,1);
CREATE TABLE forgotten (
    agent    TEXT    NOT NULL,
    skill    TEXT,                                 -- null for all
    decision INTEGER NOT NULL,
    at       INTEGER NOT NULL
);
DELETE FROM sqlite_sequence;
CREATE INDEX decisions_by_caller ON decisions (caller);
CREATE INDEX decisions_by_outcome ON decisions (outcome);
CREATE INDEX decisions_with_chosen ON decisions (chosen) WHERE chosen = 1;
CREATE INDEX decisions_with_outscored ON decisions (outscored) WHERE outscored = 1;
CREATE INDEX decisions_with_discarded ON decisions (discarded) WHERE discarded = 1;
CREATE INDEX decisions_by_running_task ON decisions (task_agent, outcome_task)
    WHERE task_agent IS NOT NULL AND finished_at IS NULL;
CREATE INDEX contexts_by_time ON contexts (at);
CREATE INDEX push_configs_by_task ON push_configs (agent, task_id);
CREATE INDEX push_outbox_by_callback ON push_outbox (callback, id);
CREATE INDEX tasks_by_caller ON tasks (caller, updated_at, agent, task_id);
CREATE INDEX lessons_by_revision ON lessons (revision);
CREATE INDEX lessons_by_day ON lessons (day);
CREATE INDEX forgotten_by_agent ON forgotten (agent);
COMMIT;
