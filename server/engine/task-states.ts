/** The legal moves of a task, as a table (a2a.md 1.4). Terminal states have none. */
import type { TaskState } from "../../shared/a2a.schema.js";

const OPEN = ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"] as const;
const ENDS = ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"] as const;

export const MOVES: Readonly<Record<string, readonly TaskState[]>> = {
	TASK_STATE_SUBMITTED: [...OPEN, ...ENDS],
	// WORKING to itself: the same state with something new to say (waiting for the owner, interrupted and begun anew).
	TASK_STATE_WORKING: [...OPEN, ...ENDS],
	TASK_STATE_INPUT_REQUIRED: ["TASK_STATE_WORKING", ...ENDS],
	TASK_STATE_AUTH_REQUIRED: ["TASK_STATE_WORKING", ...ENDS],
	TASK_STATE_COMPLETED: [],
	TASK_STATE_FAILED: [],
	TASK_STATE_CANCELED: [],
	TASK_STATE_REJECTED: [],
};

export const mayMove = (from: TaskState, to: TaskState): boolean => MOVES[from]?.includes(to) ?? false;
