import { TaskState as SdkTaskState, taskStateFromJSON } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { isInterrupted, isTerminal, TASK_STATES } from "./task-states.js";

describe("TASK_STATES", () => {
	it("are the protocol's, numbered from 1", () => {
		expect(TASK_STATES.map((state) => taskStateFromJSON(state))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
		// The SDK counts two more: unspecified and its own UNRECOGNIZED.
		expect(Object.values(SdkTaskState).filter((value) => typeof value === "number")).toHaveLength(TASK_STATES.length + 2);
	});

	it("end, or wait for the caller, or go on", () => {
		expect(TASK_STATES.filter(isTerminal)).toEqual([
			"TASK_STATE_COMPLETED",
			"TASK_STATE_FAILED",
			"TASK_STATE_CANCELED",
			"TASK_STATE_REJECTED",
		]);
		expect(TASK_STATES.filter(isInterrupted)).toEqual(["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"]);
	});
});
