-- What one record or note changes. They are inserted into a view that only the writing connection has, as many
-- as there are with one statement, and its triggers apply them in turn.

CREATE TEMP VIEW inbox (kind, decision, at, caller, agent, task_id, context_id, version, state, ended, error,
    ms, finished_at, attempts, chosen, outscored, discarded, skill, cost, feedback, candidates, body)
AS SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL;

CREATE TEMP TRIGGER record INSTEAD OF INSERT ON inbox WHEN new.kind = 'record'
BEGIN
    INSERT INTO decisions (id, at, caller, chosen, outscored, discarded, attempts, outcome, outcome_task,
        outcome_error, outcome_ms, finished_at, teaches, skill, cost)
    VALUES (new.decision, new.at, new.caller, new.chosen <> '', new.outscored <> '', new.discarded <> '', new.attempts,
        new.state, new.task_id, new.error, new.ms, new.finished_at, new.agent, new.skill, new.cost);
    INSERT INTO decision_bodies (decision, body) VALUES (last_insert_rowid(), new.body);
    INSERT INTO considered (decision, chosen, outscored, discarded)
    VALUES (last_insert_rowid(), new.chosen, new.outscored, new.discarded);
    INSERT INTO considered_blocks (agent, block, chosen, outscored, discarded)
    SELECT key, last_insert_rowid() / 1024, value = 'chosen', value = 'outscored', value = 'discarded'
    FROM json_each(new.candidates) WHERE true
    -- Most are there already, and what does not change is not written.
    ON CONFLICT (agent, block) DO UPDATE SET chosen = max(chosen, excluded.chosen),
        outscored = max(outscored, excluded.outscored), discarded = max(discarded, excluded.discarded)
    WHERE excluded.chosen > chosen OR excluded.outscored > outscored OR excluded.discarded > discarded;
END;

CREATE TEMP TRIGGER attempt INSTEAD OF INSERT ON inbox WHEN new.kind = 'attempt'
BEGIN
    UPDATE decisions SET attempts = attempts || new.attempts WHERE id = new.decision;
END;

-- A broken stream does not tell how its task ends, so that outcome stays open for what is seen later.
CREATE TEMP TRIGGER ended INSTEAD OF INSERT ON inbox WHEN new.kind = 'ended'
BEGIN
    UPDATE decisions SET outcome = new.state, outcome_error = new.error,
        outcome_ms = max(new.at - at, 0) / 1000, cost = coalesce(new.cost, cost),
        finished_at = iif(new.state = 'truncated', NULL, new.at)
    WHERE id = new.decision AND finished_at IS NULL;
END;

-- The task that an agent answered a message with.
CREATE TEMP TRIGGER task INSTEAD OF INSERT ON inbox WHEN new.kind = 'task'
BEGIN
    SELECT RAISE(ABORT, 'there is no such decision')
    WHERE NOT EXISTS (SELECT 1 FROM decisions WHERE id = new.decision);
    -- Ended tasks never start again (A2A §3.4), so a running one under the same id is another task of an
    -- agent that counts anew after a restart.
    DELETE FROM tasks WHERE agent = new.agent AND task_id = new.task_id AND ended = 1 AND NOT new.ended;
    INSERT INTO tasks (agent, task_id, context_id, caller, version, state, ended, created_at, updated_at,
        first_decision, last_decision)
    SELECT new.agent, new.task_id, new.context_id, new.caller, new.version, new.state, new.ended, new.at,
        new.at, number, number
    FROM decisions WHERE id = new.decision
    ON CONFLICT (agent, task_id) DO UPDATE SET last_decision = excluded.last_decision;
    UPDATE decisions SET outcome = new.state, outcome_error = NULL,
        outcome_ms = max(new.at - at, 0) / 1000, cost = coalesce(new.cost, cost),
        finished_at = iif(new.ended, new.at, NULL)
    WHERE id = new.decision AND finished_at IS NULL;
    -- Last, so that tasks which have ended already never enter the index of running ones.
    UPDATE decisions SET task_agent = new.agent, outcome_task = new.task_id WHERE id = new.decision;
END;

-- Moves a task, and the decisions that led to it, to a state. One seen again changes nothing, so that polling
-- costs no writes and times say when a state was first seen. Fires for `task` as well, whose task may be older,
-- before or after the trigger above: either order leaves the same.
CREATE TEMP TRIGGER state INSTEAD OF INSERT ON inbox WHEN new.kind IN ('task', 'state')
BEGIN
    UPDATE tasks SET state = new.state, ended = new.ended, updated_at = new.at
    WHERE agent = new.agent AND task_id = new.task_id AND ended = 0 AND state <> new.state;
    UPDATE decisions SET outcome = new.state, outcome_error = NULL,
        outcome_ms = max(new.at - at, 0) / 1000, cost = coalesce(new.cost, cost),
        finished_at = iif(new.ended, new.at, NULL)
    WHERE task_agent = new.agent AND outcome_task = new.task_id AND finished_at IS NULL
        AND (outcome IS NOT new.state OR cost IS NOT coalesce(new.cost, cost));
    UPDATE push_configs SET ended_at = new.at
    WHERE new.ended AND agent = new.agent AND task_id = new.task_id AND ended_at IS NULL;
    -- Running tasks outlive the removal of their decisions, because their owner is still asked for.
    DELETE FROM tasks
    WHERE agent = new.agent AND task_id = new.task_id AND ended = 1 AND last_decision IS NULL;
END;

CREATE TEMP TRIGGER context INSTEAD OF INSERT ON inbox WHEN new.kind = 'context'
BEGIN
    INSERT INTO contexts (caller, context_id, agent, at)
    VALUES (new.caller, new.context_id, new.agent, new.at)
    ON CONFLICT (caller, context_id) DO UPDATE SET agent = excluded.agent, at = excluded.at;
END;

CREATE TEMP TRIGGER cancel_asked INSTEAD OF INSERT ON inbox WHEN new.kind = 'cancel_asked'
BEGIN
    UPDATE decisions SET cancel_asked = 1
    WHERE task_agent = new.agent AND outcome_task = new.task_id AND finished_at IS NULL;
END;

CREATE TEMP TRIGGER feedback INSTEAD OF INSERT ON inbox WHEN new.kind = 'feedback'
BEGIN
    UPDATE decisions SET feedback = new.feedback WHERE id = new.decision;
END;

-- Counts what a decision teaches, whatever has just changed it: what it taught before is taken back, so that it
-- counts once.
CREATE TEMP TRIGGER learn AFTER UPDATE OF outcome, cancel_asked, cost, feedback ON main.decisions
WHEN new.teaches IS NOT NULL
    AND (new.judged IS NOT old.judged OR new.judged_score IS NOT old.judged_score
        OR new.known_cost IS NOT old.known_cost)
    AND new.number > (SELECT coalesce(max(decision), 0) FROM forgotten
        WHERE agent = new.teaches AND (skill IS NULL OR skill = new.skill))
BEGIN
    INSERT INTO lessons (agent, skill, day, completed, failed, messages, accepted, refused, costs, cost, revision)
    VALUES (new.teaches, new.skill, new.at / 86400000000,
        (new.judged IS 'completed') - (old.judged IS 'completed'),
        (new.judged IS 'failed') - (old.judged IS 'failed'),
        (new.judged IS 'message') - (old.judged IS 'message'),
        coalesce(new.judged_score, 0) - coalesce(old.judged_score, 0),
        coalesce(1 - new.judged_score, 0) - coalesce(1 - old.judged_score, 0),
        (new.known_cost IS NOT NULL) - (old.known_cost IS NOT NULL),
        coalesce(new.known_cost, 0) - coalesce(old.known_cost, 0),
        (SELECT coalesce(max(revision), 0) + 1 FROM lessons))
    ON CONFLICT (agent, skill, day) DO UPDATE SET
        completed = completed + excluded.completed, failed = failed + excluded.failed,
        messages = messages + excluded.messages, accepted = accepted + excluded.accepted,
        refused = refused + excluded.refused, costs = costs + excluded.costs, cost = cost + excluded.cost,
        revision = excluded.revision;
END;

-- Empties lessons instead of removing them, so that whoever reads them by revision hears of it.
CREATE TEMP TRIGGER forget INSTEAD OF INSERT ON inbox WHEN new.kind = 'forget'
BEGIN
    DELETE FROM forgotten WHERE agent = new.agent AND (new.skill IS NULL OR skill = new.skill);
    INSERT INTO forgotten (agent, skill, decision, at)
    SELECT new.agent, new.skill, coalesce(max(number), 0), new.at FROM decisions;
    UPDATE lessons SET completed = 0, failed = 0, messages = 0, accepted = 0, refused = 0, costs = 0, cost = 0,
        revision = (SELECT max(revision) + 1 FROM lessons)
    WHERE agent = new.agent AND (new.skill IS NULL OR skill = new.skill);
END;
