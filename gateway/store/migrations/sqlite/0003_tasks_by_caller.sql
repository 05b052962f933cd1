-- Lists the tasks of a caller, newest first (A2A §3.1.4).
CREATE INDEX tasks_by_caller ON tasks (caller, updated_at, agent, task_id);
