/**
 * The states of a task by their wire names, and which of them end it or wait for the caller (A2A 4.1.3). Imports nothing,
 * so browsers use it too. Which state may follow which is the engine's to say.
 */

/** In the order of the proto's numbers, from 1. `TASK_STATE_UNSPECIFIED` (0) is not among them: it is never sent, and read as unset. */
export const TASK_STATES = [
	"TASK_STATE_SUBMITTED",
	"TASK_STATE_WORKING",
	"TASK_STATE_COMPLETED",
	"TASK_STATE_FAILED",
	"TASK_STATE_CANCELED",
	"TASK_STATE_INPUT_REQUIRED",
	"TASK_STATE_REJECTED",
	"TASK_STATE_AUTH_REQUIRED",
] as const;

export type TaskState = (typeof TASK_STATES)[number];

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>([
	"TASK_STATE_COMPLETED",
	"TASK_STATE_FAILED",
	"TASK_STATE_CANCELED",
	"TASK_STATE_REJECTED",
]);

/** Ended for good: no later status, no message accepted. */
export const isTerminal = (state: TaskState): boolean => TERMINAL.has(state);

/** Waits for its caller: a blocking send answers, the task goes on with the caller's next message. */
export const isInterrupted = (state: TaskState): boolean => state === "TASK_STATE_INPUT_REQUIRED" || state === "TASK_STATE_AUTH_REQUIRED";
