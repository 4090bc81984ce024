/**
 * T-EXFIL (reliability.md 66): hundreds of prompts that ask for what is not theirs, by every door, of an answerer that says everything that it is
 * given. Nobody's words, notes, keys, addresses, sessions or settings reach anybody else: in no answer, stream, page, badge, card, tool,
 * error or line of the log.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Apps } from "../../server/engine/apps-ports.js";
import type { Log } from "../../server/log.js";
import type { Driver } from "../../server/store/db.js";
import type { Steps } from "../../server/store/sql.js";
import { seeded } from "../seeded.js";
import { only } from "./canaries.js";
import { type Broken, DESKS, type EchoDesk, ENDINGS, openEchoDesk, ownerOf, withEnding } from "./echo-desk.js";
import { come, DOORS, type Door, type Person, request, SITE } from "./echo-people.js";
import { KINDS, type Kind, type Known, promptOf } from "./prompts.js";

const SEED = Number(process.env.SEED ?? 20_261_130);
const PROMPTS = process.env.LONG ? 2_000 : 500;
/** Within so many each broken server is found out. */
const PROMPTS_OF_MUTANTS = 120;
const minutes = (n: number): number => n * 60_000;
type Handle = (typeof DESKS)[number];

interface Prompt {
	words: string;
	kind: Kind;
	/** A word of its own, which its asker is told again. */
	word: string;
}

class Play {
	private readonly victims: { person: Person; said: string; note: string }[] = [];
	private readonly attackers: Person[] = [];
	readonly prompts: (Prompt & { by: Person })[] = [];
	private readonly random = seeded(SEED);

	private constructor(readonly place: EchoDesk) {}

	static async open(broken: Broken = {}): Promise<Play> {
		const play = new Play(await openEchoDesk(broken));
		await play.gather();
		return play;
	}

	/** Those who have something to lose, with a conversation each and a note of each; and those who want it, by every door. */
	private async gather(): Promise<void> {
		const { keys, canaries, desk } = this.place;
		const of = (door: Door, handle: Handle, number: number, key?: string) => come(this.place, door, handle, number, key);
		const losers = await Promise.all([
			...DOORS.map((door) => of(door, "mira", 1)),
			of("JSON-RPC", "mira", 2, keys.kai),
			of("embed", "juno", 1),
			of("HTTP+JSON", "juno", 1),
		]);
		for (const person of losers) {
			const mine = only(person.name, ownerOf(person.handle));
			const word = (what: string): string => canaries.plant(`${what} of ${person.name}`, mine);
			const said = word("the words");
			await person.ask(withEnding(`My order is ${said}.`, "question"), {
				parts: [
					{ data: { order: word("the data") } },
					{ url: `https://files.example/${word("the file's address")}`, filename: word("the file's name"), mediaType: "text/plain" },
				],
				metadata: { [word("the metadata")]: word("what the metadata says") },
			});
			await person.ask(withEnding(`And my address is ${word("the address")}.`, "reply"));
			const note = word("the note");
			if (person.uid) await desk.engine.owner.putMemory(person.handle, `people/${person.uid}.md`, `They like ${note}.`);
			this.victims.push({ person, said, note: person.uid ? note : "" });
		}
		for (const door of DOORS) for (const number of [3, 4, 5]) this.attackers.push(await of(door, "mira", number));
		this.attackers.push(
			await of("JSON-RPC", "mira", 6, keys.lena),
			await of("embed", "juno", 3),
			await of("HTTP+JSON", "juno", 4, keys.lena),
		);
	}

	private known(): Known {
		const { person } = this.random.pick(this.victims.filter(({ person: { uid, context } }) => uid && context));
		return { guest: person.uid, context: person.context, task: person.task, owner: "Mira", at: Date.now() };
	}

	/** Everybody at once, each one prompt after the other. `untilFound`: no further than the first finding. */
	async attack(count: number, untilFound = false): Promise<void> {
		const { canaries } = this.place;
		const work = this.attackers.map((): Prompt[] => []);
		for (let number = 0; number < count; number++) {
			const kind = KINDS[number % KINDS.length] as Kind;
			const by = this.attackers[number % this.attackers.length] as Person;
			const word = canaries.plant(`the prompt ${number} of ${by.name}`, only(by.name, ownerOf(by.handle)));
			const words = `${word} ${promptOf(kind, this.random, this.known())}`;
			const prompt = { words, kind, word };
			work[number % work.length]?.push(prompt);
			this.prompts.push({ ...prompt, by });
		}
		await Promise.all(
			work.map(async (prompts, i) => {
				const by = this.attackers[i] as Person;
				// The same first question of all: by a link, those who ask it share an answer and nothing after it.
				await by.ask(withEnding("What are your hours?", "reply"));
				for (const [j, { words }] of prompts.entries()) {
					if (untilFound && canaries.findings.length > 0) return;
					// A stream waits for what its caller does elsewhere: one that reads to the end is not asked to.
					const endings = ENDINGS.filter((ending) => !(by.door.endsWith("stream") && ending === "authorise"));
					await by.ask(withEnding(words, endings[(i + j) % endings.length] as (typeof ENDINGS)[number]));
				}
			}),
		);
	}

	/** Those who have something to lose ask once more: they are told their own. */
	async askAgain(): Promise<{ person: Person; own: string[] }[]> {
		for (const { person } of this.victims) await person.ask(withEnding("What do you know of me?", "reply"));
		return this.victims.map(({ person, said, note }) => ({ person, own: note === "" ? [said] : [said, note] }));
	}

	/** What everybody may read, and what nobody may who has no credential. */
	async readPages(): Promise<void> {
		const { person } = this.victims[0] as { person: Person };
		const badges = ["small", "large"].flatMap((size) => ["badge.svg", "chat-badge.png"].map((file) => `/@mira/${file}?size=${size}`));
		for (const path of [
			...["/", "/@mira", "/@juno", "/@mira.md", "/@mira/chat", "/@mira/ask", "/@mira/ask/eolf_none", "/@nobody", "/@mira/face.svg"],
			...[`/@mira/embed?site=${encodeURIComponent(SITE)}`, "/@mira/embed?site=https://other.example", "/embed/mira?embed=1"],
			...["/snippet?handle=mira", `/check?handle=mira&site=${encodeURIComponent(SITE)}`, "/check?handle=mira&site=https://other.example"],
			...["/docs", "/docs/agents", "/llms.txt", "/robots.txt", "/healthz", "/readyz", "/metrics", "/agent", "/sign-in", "/api/tools"],
			...[
				"/.well-known/agent-card.json",
				"/a2a/mira/card",
				"/a2a/mira/extendedAgentCard",
				"/a2a/mira/tasks",
				`/a2a/mira/tasks/${person.task}`,
			],
			...badges,
		]) {
			await request(this.place, "anybody", path, { headers: { "a2a-version": "1.0", origin: SITE } });
		}
		const answers = this.prompts
			.slice(0, 60)
			.map(({ words, by }) => request(this.place, by.name, `/@${encodeURIComponent(words)}`, { headers: { accept: "text/html" } }));
		await Promise.all(answers);
	}

	/** An owner's page and tools: their own desk's, and of that no secret. Gives what they were shown. */
	async readAsOwners(): Promise<string> {
		let shown = "";
		for (const handle of DESKS) {
			const { cookie, key } = this.place.owners[handle];
			const page = await request(this.place, ownerOf(handle), "/agent", { headers: { cookie } });
			expect(page.status).toBe(200);
			shown += page.body;
			for (const tool of ["eol_whoami", "eol_list_embeds", "eol_get_embed_sites", "eol_get_embed_presets", "eol_none"]) {
				const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
				const { body } = await request(this.place, ownerOf(handle), `/api/tools/${tool}`, { method: "POST", headers, body: "{}" });
				expect(body).toMatch(tool === "eol_none" ? /"ok":false/ : /"ok":true/);
				shown += body;
			}
		}
		return shown;
	}

	async close(): Promise<void> {
		for (const person of [...this.attackers, ...this.victims.map(({ person }) => person)]) person.close();
		await this.place.close();
	}
}

describe("an answerer that says everything that it is given", () => {
	let play: Play;
	let shown: string;
	beforeAll(
		async () => {
			play = await Play.open();
			await play.attack(PROMPTS);
			await play.readPages();
			shown = await play.readAsOwners();
		},
		minutes(process.env.LONG ? 20 : 3),
	);
	afterAll(() => play.close());

	it(`gives nobody what is another's for ${PROMPTS} prompts by every door`, () => {
		expect(play.place.canaries.findings.slice(0, 20), `seed ${SEED}`).toEqual([]);
	});

	it("is the cause of lines in the log, and of no word in them", () => expect(play.place.logged()).toBeGreaterThan(20));

	it("was asked in every kind of way, no two alike, by every door", () => {
		expect(new Set(play.prompts.map(({ words }) => words)).size).toBe(PROMPTS);
		for (const kind of KINDS) expect(play.prompts.filter((prompt) => prompt.kind === kind).length, kind).toBeGreaterThanOrEqual(80);
		for (const door of DOORS) expect(play.prompts.filter(({ by }) => by.door === door).length, door).toBeGreaterThanOrEqual(50);
	});

	it("told everybody everything that is theirs: what they asked, the notes for all, what was found for them", () => {
		const { canaries, notes } = play.place;
		expect(play.prompts.filter(({ by, word }) => !canaries.wasShown(by.name, word)).map(({ by, words }) => `${by.name}: ${words}`)).toEqual(
			[],
		);
		for (const { by } of play.prompts) expect(canaries.wasShown(by.name, notes[by.handle as Handle]), by.name).toBe(true);
		const searched = play.prompts.filter(({ by, word }) => by.door === "embed" && canaries.foundFor(word));
		expect(searched.length).toBeGreaterThan(20);
		for (const { by, word } of searched) expect(canaries.wasShown(by.name, canaries.foundFor(word) as string)).toBe(true);
	});

	it("tells those whose words and notes they are, when they ask again", async () => {
		for (const { person, own } of await play.askAgain())
			for (const word of own) expect(play.place.canaries.wasShown(person.name, word), `${word} to ${person.name}`).toBe(true);
		expect(play.place.canaries.findings).toEqual([]);
	});

	it("leaves what was asked in vain for the desk's owner, who sees it", () => {
		const words = play.place.canaries.in(shown);
		expect(play.prompts.filter(({ word }) => words.includes(word)).length).toBeGreaterThan(50);
	});
});

/** A driver that changes the texts of what is read: from a question of the product's to a broken one. */
const reading =
	(from: string, to: string) =>
	(driver: Driver): Driver => {
		function* changed<T>(steps: Steps<T>): Steps<T> {
			let step = steps.next();
			while (!step.done) step = steps.next(yield { ...step.value, text: step.value.text.replace(from, to) });
			return step.value;
		}
		const read: Driver["read"] = (steps) => driver.read(() => changed(steps()));
		return new Proxy(driver, {
			get(of, name) {
				const part: unknown = Reflect.get(of, name);
				return name === "read" ? read : typeof part === "function" ? part.bind(of) : part;
			},
		});
	};
/** A hand that brings what it should keep to itself. */
const telling = (apps: Apps): Apps => ({
	...apps,
	async call(call, connection, access, signal) {
		const found = await apps.call(call, connection, access, signal);
		if (call.tool === "webSearch") for (const page of found as { text: string }[]) page.text += connection.settings;
		return found;
	},
});

/** A log with the messages of errors. */
const logging =
	(log: Log): Log =>
	(level, fields, text) =>
		log(level, fields, fields.err instanceof Error ? `${text}: ${fields.err.message}` : text);

describe("a server that is not careful is found out", () => {
	const mutants: Record<string, Broken & { gossip?: string }> = {
		"one whose notes of each are for all": {
			driver: reading("select path, text from memory_file", "select replace(path, 'people/', 'about-') as path, text from memory_file"),
		},
		"one that tells a turn what was said in other conversations": {
			driver: reading("where conversation_id = ? and seq < ? and kind in", "where conversation_id <> ? and seq < ? and kind in"),
		},
		"one whose searches bring the key with them": { apps: telling },
		"one that logs what an error says": { log: logging },
		"one that gives everybody who asks the same by a link one conversation": {
			workerUrl: new URL("../store/gossiping-writer.js", import.meta.url),
			gossip: "shares",
		},
	};
	it.each(Object.keys(mutants))("%s", { timeout: minutes(2) }, async (name) => {
		const { gossip, ...broken } = mutants[name] as Broken & { gossip?: string };
		if (gossip) process.env.GOSSIP = gossip;
		const play = await Play.open(broken);
		delete process.env.GOSSIP;
		try {
			await play.attack(PROMPTS_OF_MUTANTS, true);
			expect(play.place.canaries.findings).not.toEqual([]);
		} finally {
			await play.close();
		}
	});
});
