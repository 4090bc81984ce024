/** How a task's artifacts grow by the updates of its stream (a2a.md 1.5). Server, chat and tests use the one rule. */
import type { Artifact, TaskArtifactUpdateEvent } from "./a2a.schema.js";

/** The artifacts after one more update; nothing given is changed. `append` goes on with the artifact of that id, else it replaces it. */
export function applyArtifactUpdate(artifacts: readonly Artifact[], update: TaskArtifactUpdateEvent): Artifact[] {
	const at = artifacts.findIndex((a) => a.artifactId === update.artifact.artifactId);
	if (at < 0) return [...artifacts, update.artifact];
	const before = artifacts[at] as Artifact;
	const after = update.append ? { ...before, ...update.artifact, parts: joinParts(before.parts, update.artifact.parts) } : update.artifact;
	return artifacts.map((a, i) => (i === at ? after : a));
}

/** Text that goes on is one text: a reader of the whole must not see where the pieces were cut. */
function joinParts(before: Artifact["parts"], added: Artifact["parts"]): Artifact["parts"] {
	const parts = [...before];
	for (const part of added) {
		const last = parts.at(-1);
		if (last?.text !== undefined && part.text !== undefined && !last.metadata && !part.metadata && last.mediaType === part.mediaType) {
			parts[parts.length - 1] = { ...last, text: last.text + part.text };
		} else {
			parts.push(part);
		}
	}
	return parts;
}
