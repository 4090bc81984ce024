/** The columns of each row as the engine names them. Aliases are quoted: PostgreSQL would fold their case. */
export const DESK =
	'd.id, d.handle, d.name, d.about, d.suggestions, d.settings, d.preset, d.apps, d.owner_id as "ownerId", o.name as "ownerName", d.language, d.created_at as "createdAt", d.changed_at as "changedAt"';
export const DESK_FROM = "desk d join principal o on o.id = d.owner_id";
export const PRINCIPAL =
	'p.id, p.uid, p.kind, p.desk_id as "deskId", p.generation, p.name, p.seen_at as "seenAt", p.created_at as "createdAt"';
export const CONVERSATION =
	'c.id, c.uid, c.desk_id as "deskId", c.seq, c.epoch, c.ended_at as "endedAt", c.channel, c.site, c.embed, c.changed_at as "changedAt", c.created_at as "createdAt"';
export const PARTICIPANT = 'conversation_id as "conversationId", side, principal_id as "principalId", read_seq as "readSeq", microphone';
export const TASK =
	't.id, t.uid, t.desk_id as "deskId", t.caller_id as "callerId", t.conversation_id as "conversationId", c.uid as "contextId", t.state, t.status, t.status_at as "statusAt", t.artifacts, t.metadata, t.first_seq as "firstSeq", t.last_seq as "lastSeq", t.asked_seq as "askedSeq", t.asked_from as "askedFrom", t.hidden';
export const TASK_FROM = "task t join conversation c on c.id = t.conversation_id";
export const TURN =
	'id, uid, conversation_id as "conversationId", desk_id as "deskId", state, epoch, claim, lease_until as "leaseUntil", attempts, through_seq as "throughSeq", wrote, queued_at as "queuedAt"';
export const EVENT = 'e.seq, e.kind, t.uid as "taskId", e.body, e.at';
export const EVENT_FROM = "event e left join task t on t.id = e.task_id";
/** States of tasks that have not ended; the same text as the partial indexes', or they would not be used. */
export const OPEN_STATES = "('TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED')";
