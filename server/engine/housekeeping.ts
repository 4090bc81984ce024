/**
 * Slices of what keeps the store small: the chunk rows of tasks that ended a day ago become one artifact at the seq of the last
 * chunk; the numbers between stay used and read as covered (design.md, "Storage": what is kept once).
 */
import type { Artifact, TaskArtifactUpdateEvent } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";

export interface FoldInput {
	/** Chunks written before this. */
	before: number;
	/** Tasks a slice. */
	limit: number;
}

export interface FoldRows {
	tasks: { contextId: string; uid: string; chunks: { id: number; seq: number; kind: "artifact" | "whole"; body: string }[] }[];
}

export interface FoldPlan {
	/** Rows that become a whole artifact (kind `whole`). */
	rewrite: { id: number; body: string }[];
	/** Rows that go. */
	drop: number[];
}

/** Folds the chunks of some ended tasks. `folded` 0: nothing left to do. */
export function decideFoldChunks(rows: FoldRows, _input: FoldInput): { plan: FoldPlan; answer: { folded: number } } {
	const plan: FoldPlan = { rewrite: [], drop: [] };
	let folded = 0;
	for (const task of rows.tasks) {
		const byArtifact = new Map<string, { last: number; artifacts: Artifact[]; rows: number[] }>();
		for (const chunk of task.chunks) {
			const update = JSON.parse(chunk.body) as TaskArtifactUpdateEvent;
			const id = update.artifact.artifactId;
			const so = byArtifact.get(id) ?? { last: 0, artifacts: [], rows: [] };
			so.artifacts = applyArtifactUpdate(so.artifacts, update);
			so.rows.push(chunk.id);
			so.last = chunk.id;
			byArtifact.set(id, so);
		}
		for (const { last, artifacts, rows: ids } of byArtifact.values()) {
			// One that came whole and stayed so.
			if (ids.length === 1 && task.chunks.find((c) => c.id === last)?.kind === "whole") continue;
			folded += 1;
			const update: TaskArtifactUpdateEvent = {
				taskId: task.uid,
				contextId: task.contextId,
				artifact: artifacts[0] as Artifact,
				lastChunk: true,
			};
			plan.rewrite.push({ id: last, body: JSON.stringify(update) });
			plan.drop.push(...ids.filter((id) => id !== last));
		}
	}
	return { plan, answer: { folded } };
}
