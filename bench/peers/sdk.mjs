/**
 * The peer: the server of @a2a-js/sdk on Express, an echo that completes at once with four events a task, or streams pieces. In
 * memory, or with `STORE=sqlite` its own database store on better-sqlite3 at synchronous=FULL.
 */

import { join } from "node:path";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";

const PIECES = 200;
const TASK = { SUBMITTED: 1, WORKING: 2, COMPLETED: 3 };
const text = (words) => ({ content: { $case: "text", value: words }, metadata: undefined, filename: "", mediaType: "" });
const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });

class Echo {
	async execute({ taskId, contextId, userMessage }, bus) {
		const words = userMessage.parts[0]?.content?.value ?? "";
		bus.publish(
			AgentEvent.task({
				id: taskId,
				contextId,
				status: status(TASK.SUBMITTED),
				artifacts: [],
				history: [userMessage],
				metadata: undefined,
			}),
		);
		bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(TASK.WORKING), metadata: undefined }));
		const piece = (said, append, lastChunk) =>
			AgentEvent.artifactUpdate({
				taskId,
				contextId,
				artifact: { artifactId: "result", name: "result", description: "", parts: [text(said)], metadata: undefined, extensions: [] },
				append,
				lastChunk,
				metadata: undefined,
			});
		if (words.startsWith("pieces") || words.startsWith("paced")) {
			const paced = words.startsWith("paced");
			const count = Number(words.split(" ")[1] ?? PIECES);
			const began = performance.now();
			for (let i = 0; i < count; i++) {
				bus.publish(piece(`piece ${i} `, i > 0, i === count - 1));
				if (paced) await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + (i + 1) * 20 - performance.now())));
				else await new Promise((resolve) => setImmediate(resolve));
			}
		} else {
			bus.publish(piece(words, false, true));
		}
		bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(TASK.COMPLETED), metadata: undefined }));
		bus.finished();
	}
	async cancelTask() {}
}

async function sqliteStore() {
	const { DatabaseTaskStore } = await import("@a2a-js/sdk/server/database");
	const { Kysely, SqliteDialect } = await import("kysely");
	const { default: Database } = await import("better-sqlite3");
	const database = new Database(join(process.env.DATA_DIR, "sdk.db"));
	database.pragma("journal_mode = wal");
	database.pragma("synchronous = full");
	database.exec(`create table tasks (tenant text not null, owner text not null, id text not null, context_id text not null, status_last_updated bigint not null,
		status_state text, status text, artifacts text, history text, metadata text, protocol_version text, primary key (tenant, owner, id));
		create index tasks_by_change on tasks (tenant, owner, status_last_updated desc, id);`);
	return new DatabaseTaskStore(new Kysely({ dialect: new SqliteDialect({ database }) }));
}

const card = {
	name: "peer",
	description: "echo",
	version: "1.0.0",
	provider: undefined,
	documentationUrl: "",
	iconUrl: "",
	supportedInterfaces: [{ url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" }],
	capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
	securitySchemes: {},
	securityRequirements: [],
	defaultInputModes: ["text/plain"],
	defaultOutputModes: ["text/plain"],
	skills: [
		{
			id: "echo",
			name: "echo",
			description: "echo",
			tags: ["echo"],
			examples: [],
			inputModes: [],
			outputModes: [],
			securityRequirements: [],
		},
	],
	signatures: [],
};
const store = process.env.STORE === "sqlite" ? await sqliteStore() : new InMemoryTaskStore();
const requestHandler = new DefaultRequestHandler(card, store, new Echo());
const app = express();
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
const server = app.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => process.send?.({ ready: { port: server.address().port } }));
