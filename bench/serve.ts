/** The desk that is measured: the whole product with an answerer that says back what it is asked. Tells its address and key on one line, then obeys lines. */
import { randomBytes } from "node:crypto";
import { createDesk } from "../server/app.js";
import { loadConfig } from "../server/config.js";
import type { Answerer, Ending, Piece } from "../server/engine/ports.js";
import { systemClock, systemRandom } from "../server/open.js";
import { openSqlite } from "../server/store/sqlite.js";
import { storeOf } from "../server/store/store.js";

const dir = process.env.DATA_DIR ?? "";
const PIECES = 200;

/** `echo …`: at once. `pieces …`: 200 pieces as fast as they are taken. `paced …`: a piece every 20 ms. */
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
		if (paced) await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + (i + 1) * 20 - performance.now())));
		else await new Promise((resolve) => setImmediate(resolve));
	}
	yield { type: "reply", asks: false };
}

const log = (level: string, fields: object, text: string): void => {
	if (level !== "info") process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);
};
const config = loadConfig({ DATA_DIR: dir, LIMIT_REQUESTS_PER_MINUTE_PER_ADDRESS: "100000000", LIMIT_SOCKETS_PER_ADDRESS: "100000", LIMIT_SOCKETS_PER_DESK: "100000", LIMIT_SOCKETS_PER_GUEST: "100000", LIMIT_SOCKETS_UNAUTHENTICATED: "100000", LIMIT_STREAMS_PER_CALLER: "100000" });
const driver = await openSqlite({ dir, workerUrl: new URL("../server/writer.js", import.meta.url), clock: systemClock, log });
const desk = await createDesk({ config, store: storeOf(driver, false), answerers: [answerer], clock: systemClock, random: systemRandom, log });
if (!(await desk.engine.desk("mira"))) await desk.engine.owner.createOwner({ handle: "mira", name: "Mira" });
const key = await desk.engine.owner.createKey("mira", `bench ${randomBytes(4).toString("hex")}`);
const listening = await desk.listen({ port: 0, host: "127.0.0.1" });
process.stdout.write(`${JSON.stringify({ port: listening.port, key })}\n`);
process.on("message", (ask: { id: number; what: "cpu" | "memory" }) => {
	if (ask.what === "cpu") {
		const { user, system } = process.cpuUsage();
		process.send?.({ id: ask.id, value: (user + system) / 1_000 });
	} else {
		globalThis.gc?.();
		const { rss, heapUsed } = process.memoryUsage();
		process.send?.({ id: ask.id, value: { rss, heapUsed } });
	}
});
process.on("SIGTERM", () => process.exit(0));
