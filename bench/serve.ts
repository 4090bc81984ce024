/**
 * The desk that is measured: the whole product on SQLite, with an answerer that says back what it is asked. Limits by address and by time
 * are out of reach, since they are not what is measured; those on turns at once are as they are.
 */
import { createDesk } from "../server/app.js";
import { loadConfig } from "../server/config.js";
import type { Answerer, Ending, Piece } from "../server/engine/ports.js";
import { systemClock, systemRandom } from "../server/open.js";
import { openSqlite } from "../server/store/sqlite.js";
import { storeOf } from "../server/store/store.js";
import { questions, ready } from "./child.js";

const HANDLE = "mira";
/** A desk answers no more than so many visitors of one place at a time, so a thousand of them are at twenty desks. */
const VISITED = 20;
const PIECES = 200;
const PACE_MS = 20;
const OUT_OF_REACH = 100_000_000;

/** `echo …`: at once. `pieces [n]`: n pieces as fast as they are taken. `paced [n]`: a piece every 20 ms. The peers' answer alike. */
const answerer: Answerer = {
	name: "bench",
	inProcess: true,
	maySilence: false,
	answer(turn) {
		const words = turn.incoming[0]?.message.parts[0]?.text ?? "";
		if (words.startsWith("pieces") || words.startsWith("paced")) return stream(words);
		return [
			{ type: "text", text: words },
			{ type: "reply", asks: false },
		];
	},
};

async function* stream(words: string): AsyncGenerator<Piece | Ending> {
	const paced = words.startsWith("paced");
	const count = Number(words.split(" ")[1] ?? PIECES);
	const began = performance.now();
	for (let i = 0; i < count; i++) {
		yield { type: "text", text: `piece ${i} ` };
		if (paced) await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + (i + 1) * PACE_MS - performance.now())));
		else await new Promise((resolve) => setImmediate(resolve));
	}
	yield { type: "reply", asks: false };
}

const log = (level: string, fields: object, text: string): void => {
	if (level !== "info")
		process.stderr.write(`${text} ${JSON.stringify(fields, (_key, value) => (value instanceof Error ? value.stack : value))}\n`);
};

const settings = loadConfig({ DATA_DIR: process.env.DATA_DIR });
const config = {
	...settings,
	limits: {
		...settings.limits,
		requestsPerMinutePerAddress: OUT_OF_REACH,
		newGuestsPerMinutePerAddress: OUT_OF_REACH,
		socketsPerAddress: OUT_OF_REACH,
		connectionsPerAddress: OUT_OF_REACH,
		socketsPerDesk: OUT_OF_REACH,
		socketsPerGuest: OUT_OF_REACH,
		socketsUnauthenticated: OUT_OF_REACH,
		streamsPerCaller: OUT_OF_REACH,
		guestMessagesPerMinute: OUT_OF_REACH,
		guestMessagesPerHour: OUT_OF_REACH,
	},
};
const driver = await openSqlite({ dir: config.dataDir, workerUrl: new URL("./writer.js", import.meta.url), clock: systemClock, log });
const desk = await createDesk({
	config,
	store: storeOf(driver, false),
	answerers: [answerer],
	clock: systemClock,
	random: systemRandom,
	log,
});
const { engine } = desk;
await engine.owner.createOwner({ handle: HANDLE, name: "Mira" });
const visited = await Promise.all(
	Array.from({ length: VISITED }, async (_, i) => {
		const handle = `visited-${i}`;
		await engine.owner.createOwner({ handle, name: "Mira" });
		const row = await engine.desk(handle);
		if (!row) throw new Error("a desk just made is not there");
		return { handle, row };
	}),
);

/** Tickets as chat pages bear them, each good for one guest, of one desk after the other. */
questions.tickets = (count: number) =>
	Array.from({ length: count }, (_, i) => {
		const { handle, row } = visited[i % VISITED] as (typeof visited)[number];
		return { handle, ticket: engine.embed.issueTicket(row, null) };
	});
/** The owner takes the microphone of conversations, or hands it back: one event in the log of each. */
questions.microphone = async ({ contextIds, owner }: { contextIds: string[]; owner: boolean }) => {
	for (const contextId of contextIds)
		await (owner ? engine.owner.takeMicrophone(HANDLE, contextId) : engine.owner.handBack(HANDLE, contextId));
};

const key = await engine.owner.createKey(HANDLE, "bench");
const { port } = await desk.listen({ port: 0, host: "127.0.0.1" });
ready({ port, key });
