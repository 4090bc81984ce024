import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { testClock } from "../../test/clock.js";
import { echo, openTestDesk, type TestDesk } from "../../test/desk.js";
import type { Answerer, Ending, Piece, Turn } from "../engine/ports.js";
import { createLog } from "../log.js";

const clock = testClock();
const lines: string[] = [];
let site: TestDesk;
/** Each test has a desk of its own on the one server. */
let handle: string;
let made = 0;
/** Turns that ran, by their words. */
let asked: string[] = [];
type Script = (turn: Turn) => Iterable<Piece | Ending> | AsyncIterable<Piece | Ending>;
const echoing: Script = (turn) => echo.answer(turn, new AbortController().signal) as Iterable<Piece | Ending>;
let script: Script = echoing;
const answerer: Answerer = {
	name: "scripted",
	inProcess: true,
	maySilence: false,
	async *answer(turn) {
		asked.push(turn.incoming.map((m) => m.message.parts.map((p) => p.text ?? "").join("")).join("\n"));
		yield* script(turn);
	},
};

beforeAll(async () => {
	const log = createLog({ level: "info", write: (line) => lines.push(line) });
	site = await openTestDesk({ clock, answerer, log, config: { publicUrl: "https://desk.example" } });
	await site.engine.start();
});
afterAll(() => site.close());
beforeEach(async () => {
	handle = `desk${++made}`;
	asked = [];
	script = echoing;
	await site.engine.owner.createOwner({ handle, name: "Mira", ownerName: "Mira Lin" });
	// The allowance of a minute and of an hour is one for all who come without an address.
	clock.turn(2 * 60 * 60 * 1000);
});

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
	site.app.request(`https://desk.example/@${handle}/${path}`, { headers, method });
const ask = async (words: string, headers: Record<string, string> = {}) => {
	const answer = await get(`ask.md?q=${encodeURIComponent(words)}`, headers);
	const text = await answer.text();
	return { answer, text, link: linkIn(text) };
};
/** The private link of a text or a page, below the desk's own address. */
const linkIn = (text: string): string => /\/(ask\/eolf_[\w-]{43})/.exec(text)?.[1] ?? "";
const more = async (link: string, words: string, n?: number) => {
	const answer = await get(`${link}.md?q=${encodeURIComponent(words)}${n === undefined ? "" : `&n=${n}`}`);
	return { answer, text: await answer.text() };
};
/** A browser whose user opened the address. */
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

describe("asking by an address", () => {
	it("answers in the response, as a page and as text", async () => {
		const text = await ask("11月有空吗");
		expect(text.answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
		expect(text.text).toContain("**You:** 11月有空吗");
		expect(text.text).toContain("**Mira:** You said: 11月有空吗");
		expect(text.text).toContain("Answered.");
		expect(text.text).toContain(`https://desk.example/@${handle}/ask/eolf_`);

		const page = await get(`ask?q=${encodeURIComponent("How much is <b>a mug</b>?")}`);
		const html = await page.text();
		expect(page.headers.get("content-type")).toMatch(/^text\/html/);
		expect(html).toContain("You said: How much is &lt;b&gt;a mug&lt;/b&gt;?");
		expect(html).not.toContain("<b>a mug");
		expect(linkIn(html)).not.toBe("");
		for (const [accept, type] of [
			["text/markdown, text/html, */*", "text/markdown"],
			["text/plain", "text/plain"],
			["text/html, text/plain;q=0.5", "text/html"],
			["*/*", "text/html"],
		] as const)
			expect((await get("ask?q=hello", { accept })).headers.get("content-type"), accept).toMatch(new RegExp(`^${type}`));
	});

	it("is a send like any other, by a guest, through the door ask", async () => {
		let seen: Turn | undefined;
		script = (turn) => {
			seen = turn;
			return echoing(turn);
		};
		await ask("Who are you?");
		expect(seen?.asker).toMatchObject({ kind: "agent", channel: "ask" });
	});

	it("is kept by nobody, framed by nobody, found by no search engine, and tells no other site", async () => {
		const { link } = await ask("hello");
		for (const path of ["ask", "ask?q=hello", link, `${link}.md`, `${link}?q=more`]) {
			const { headers } = await get(path);
			expect(headers.get("cache-control"), path).toBe("no-store");
			expect(headers.get("referrer-policy"), path).toBe("no-referrer");
			expect(headers.get("x-robots-tag"), path).toContain("noindex");
			expect(headers.get("set-cookie"), path).toBeNull();
			expect(headers.get("eol-guest-token"), path).toBeNull();
			expect(headers.get("x-content-type-options"), path).toBe("nosniff");
		}
		const csp = (await get(link)).headers.get("content-security-policy");
		expect(csp).toContain("frame-ancestors 'none'");
		expect(csp).toContain("form-action 'self'");
		expect(csp).not.toContain("script-src");
	});

	it("shows a box that needs no script where nothing was asked, and asks nothing", async () => {
		for (const path of ["ask", "ask?q=", "ask?q=%20"]) {
			const html = await (await get(path)).text();
			expect(html).toContain(`<form class="box" action="/@${handle}/ask" method="get">`);
		}
		expect(asked).toEqual([]);
	});

	it("says that nobody is there, and that the question is kept for the owner", async () => {
		await site.engine.owner.changeSettings(handle, { builtInAnswerer: false });
		const { text, link } = await ask("Are you open?");
		expect(text).toContain("Your question is kept for Mira's owner; looking again in a few seconds will not help.");
		expect(asked).toEqual([]);
		expect(await (await get(`${link}.md`)).text()).toContain("**You:** Are you open?");
		await site.engine.owner.changeSettings(handle, { builtInAnswerer: true });
		await expect.poll(async () => (await get(`${link}.md`)).text()).toContain("You said: Are you open?");
	});

	it("says that the desk takes no questions, where guests are off, also to who has a link", async () => {
		const { link } = await ask("hello");
		await site.engine.owner.changeSettings(handle, { guests: false });
		for (const path of ["ask?q=again", link, `${link}?q=again`, "ask"]) {
			const answer = await get(path);
			expect([answer.status, (await answer.text()).includes("takes no questions from visitors")], path).toEqual([403, true]);
		}
		expect(asked).toEqual(["hello"]);
	});

	it("waits a while for its answer, then gives a receipt whose link reads it", async () => {
		let release: () => void = () => undefined;
		const held = new Promise<void>((resolve) => {
			release = resolve;
		});
		script = async function* (turn) {
			await held;
			yield* echoing(turn);
		};
		const waiting = ask("slow");
		await expect.poll(() => asked.length).toBe(1);
		let over = false;
		void waiting.finally(() => {
			over = true;
		});
		await expect
			.poll(() => {
				clock.turn(LIMITS.askWaitMs / 4);
				return over;
			})
			.toBe(true);
		const { text, link } = await waiting;
		expect(text).toContain("The answer is on its way");
		expect(text).not.toContain("You said");
		release();
		await expect.poll(async () => (await get(`${link}.md`)).text()).toContain("You said: slow");
	});

	it("answers JSON's readers and text's readers in their own form when it refuses", async () => {
		const missing = (accept: string) => site.app.request("/@nobody/ask?q=x", { headers: { accept } });
		expect((await missing("application/json")).headers.get("content-type")).toMatch(/json/);
		expect((await missing("text/plain")).headers.get("content-type")).toMatch(/^text\/plain/);
		expect((await missing("text/html")).headers.get("content-type")).toMatch(/^text\/html/);
		expect((await missing("*/*")).status).toBe(404);
	});

	it.each([
		["too long", `ask?q=${"a".repeat(LIMITS.askChars + 1)}`, 400, "at most 2000 characters"],
		["in another encoding", "ask?q=%C4%E3%BA%C3", 400, "UTF-8"],
		["with a character that no text holds", "ask?q=a%00b", 400, "could not be read"],
		["with a token in it", "ask?q=eolg_abc", 400, "A token never stands in an address"],
		["with a token beside it", "ask?q=hello&token=abc", 400, "A token never stands in an address"],
	])("refuses a question %s, and says what to do", async (_, path, status, words) => {
		const answer = await get(path);
		expect(answer.status).toBe(status);
		expect(await answer.text()).toContain(words);
		expect(asked).toEqual([]);
	});

	it("has the limits of everybody without a token, and says when to come back; a repeat costs nothing", async () => {
		for (let i = 0; i < LIMITS.guestMessagesPerMinute; i++) expect((await ask(`question ${i}`)).answer.status).toBe(200);
		const { answer, text } = await ask("one more");
		expect(answer.status).toBe(429);
		expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
		expect(text).toContain("Too many messages");
		for (let i = 0; i < LIMITS.askRepeats; i++) expect((await ask("question 3")).answer.status).toBe(200);
		expect(asked).toHaveLength(LIMITS.guestMessagesPerMinute);
		// More of them cost as much as questions do.
		const over = await ask("question 3");
		expect([over.answer.status, over.text.includes("Too many messages")]).toEqual([429, true]);
		expect((await ask("question 4")).answer.status).toBe(200);
	});

	it.each([
		["the same question", () => ["ask.md?q=again%20and%20again"]],
		["the same question in other spaces", (_, i) => [`ask.md?q=again${"%20".repeat(i + 1)}and%20again`]],
		["the same question in a browser", () => ["ask?q=again%20and%20again", BROWSER]],
		["the same words by one private link", (link) => [`${link}.md?q=more`]],
		["the same words from the same page of one", (link) => [`${link}.md?q=more&n=3`]],
	] as [string, (link: string, i: number) => [string, Record<string, string>?]][])(
		"writes no more for %s, opened over and over, than an hour of questions and a few retries of each",
		async (_, addressed) => {
			const { link } = await ask("again and again");
			let opened = 0;
			const { write } = site.store;
			site.store.write = ((name, input) => {
				if (name === "openAsk" || name === "askMore") opened++;
				return write(name, input);
			}) as typeof write;
			try {
				const statuses: number[] = [];
				for (let minute = 0; minute < 60; minute++) {
					for (let i = 0; i < 2 * LIMITS.guestMessagesPerMinute; i++) statuses.push((await get(...addressed(link, i))).status);
					clock.turn(60_000);
				}
				expect(statuses.slice(0, LIMITS.guestMessagesPerMinute - 1).every((status) => status < 400)).toBe(true);
				expect(statuses[2 * LIMITS.guestMessagesPerMinute - 1]).toBe(429);
			} finally {
				site.store.write = write;
			}
			expect(opened).toBeGreaterThan(LIMITS.guestMessagesPerMinute - 1);
			expect(opened).toBeLessThanOrEqual(LIMITS.guestMessagesPerHour * (1 + LIMITS.askRepeats));
			// To read costs nothing, also then.
			expect((await get(`${link}.md`)).status).toBe(200);
		},
	);

	it("is said in Chinese to who reads Chinese", async () => {
		const html = await (await get("ask?q=hi", { "accept-language": "zh-CN" })).text();
		expect(html).toContain("你的私人链接");
		expect(await (await get("ask.md?q=hi&lang=zh")).text()).toContain("已回答");
	});
});

/** What a browser on a phone of that name says of itself. */
const ANDROID = (device: string): string =>
	`Mozilla/5.0 (Linux; Android 14; ${device}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36`;

describe("what is no question", () => {
	it.each([
		["a prefetch", { "sec-purpose": "prefetch" }, 503],
		["a prerender", { "sec-purpose": "prefetch;prerender" }, 503],
		["an old prefetch", { "x-moz": "prefetch" }, 503],
		["a picture of another page", { "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors" }, 400],
		["a frame of another page", { "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate" }, 400],
		["a script's call in a browser", { "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" }, 400],
		["a preview of a chat program", { "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" }, 200],
		["a crawler", { "user-agent": "Mozilla/5.0 (compatible; GPTBot/1.2)" }, 200],
		[
			"a crawler as a phone",
			{ "user-agent": `${ANDROID("Nexus 5X Build/MMB29P")} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)` },
			200,
		],
		[
			"a crawler among what a phone says of itself",
			{ "user-agent": "Mozilla/5.0 (Linux; Android 7.0; compatible; PetalBot) Safari/537.36" },
			200,
		],
		["a crawler on a phone that is called like one", { "user-agent": `${ANDROID("CUBOT P60")} (compatible; bingbot/2.0)` }, 200],
	])("asks nothing for %s", async (_, headers, status) => {
		const { link } = await ask("a real one");
		for (const path of ["ask?q=hello", `${link}?q=hello`]) {
			const answer = await get(path, headers as unknown as Record<string, string>);
			expect(answer.status, path).toBe(status);
			expect(answer.headers.get("cache-control")).toBe("no-store");
		}
		expect(asked).toEqual(["a real one"]);
	});

	it.each([
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Example-User/1.0; +Example-User@example.com)",
		ANDROID("CUBOT P60"),
		ANDROID("CUBOT KINGKONG 9 Build/UP1A"),
		ANDROID("Robot Spider Preview"),
		"Dalvik/2.1.0 (Linux; U; Android 11; CUBOT NOTE 20)",
		"Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0",
		"Instagram 302.0.0.23.113 Android (33/13; 440dpi; 1080x2177; CUBOT; P60; P60; mt6765; en_GB)",
		"python-httpx/0.28",
		"curl/8.5.0",
	])("asks for an agent that calls itself %s", async (agent) => {
		await get("ask?q=hello", { "user-agent": agent });
		expect(asked).toEqual(["hello"]);
	});

	it("asks nothing for HEAD", async () => {
		expect((await get("ask?q=hello", {}, "HEAD")).status).toBe(200);
		expect(asked).toEqual([]);
	});
});

describe("the same address opened again", () => {
	it("asks once, however the words are spaced, and gives each opening a link of its own", async () => {
		const links = new Set<string>();
		for (const words of ["What are your hours?", "What  are your hours? ", "What are your hours?"]) {
			const { text, link } = await ask(words);
			expect(text).toContain("**Mira:** You said: What are your hours?");
			links.add(link);
		}
		expect(asked).toEqual(["What are your hours?"]);
		expect(links.size).toBe(3);
	});

	it("asks once when it is opened twenty times in one moment", async () => {
		const all = await Promise.all(Array.from({ length: 20 }, () => ask("at once")));
		for (const { text } of all) expect(text).toContain("You said: at once");
		expect(asked).toEqual(["at once"]);
	});

	it("asks anew after a while, and at another desk", async () => {
		await ask("hello");
		clock.turn(LIMITS.askRepeatMs);
		await ask("hello");
		await site.app.request("/@mira/ask?q=hello");
		expect(asked).toEqual(["hello", "hello", "hello"]);
	});

	it("sends a browser on to the private link, so that a reload only reads", async () => {
		const answer = await get("ask?q=from%20a%20browser", BROWSER);
		expect(answer.status).toBe(303);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		const link = linkIn(answer.headers.get("location") ?? "");
		for (let i = 0; i < 3; i++) expect(await (await get(link, BROWSER)).text()).toContain("You said: from a browser");
		const next = await get(`${link}?q=and%20more&n=5`, BROWSER);
		expect([next.status, next.headers.get("location")]).toEqual([303, `/@${handle}/${link}`]);
		expect(await (await get(link, BROWSER)).text()).toContain("You said: and more");
		expect(asked).toEqual(["from a browser", "and more"]);
	});
});

describe("a private link", () => {
	it("asks more in the same conversation, and a reload of that asks nothing", async () => {
		script = function* (turn) {
			yield { type: "text", text: `${turn.history.length} before` };
			yield { type: "reply", asks: false };
		};
		const { link } = await ask("one");
		expect((await more(link, "two")).text).toContain("**Mira:** 2 before");
		expect((await more(link, "two")).text).toContain("**You:** two");
		expect(asked).toEqual(["one", "two"]);
		const { text } = await more(link, "three");
		expect(text.match(/\*\*You:\*\*/g)).toHaveLength(3);
		expect(asked).toEqual(["one", "two", "three"]);
	});

	it("takes the same words again from who says that they have seen the answer", async () => {
		script = function* (turn) {
			yield { type: "text", text: turn.history.length < 3 ? "Shall I?" : "Done." };
			yield { type: "reply" };
		};
		const { text, link } = await ask("Book a table");
		expect(text).toContain("Mira asks you something");
		const seen = (from: string): number => Number(/\?n=(\d+)&q=/.exec(from)?.[1]);
		const first = await more(link, "yes", seen(text));
		expect((await more(link, "yes", seen(text))).text).toBe(first.text);
		const second = await more(link, "yes", seen(first.text));
		expect(second.text).toContain("Done.");
		expect(asked).toEqual(["Book a table", "yes", "yes"]);
	});

	it("answers what the desk has asked: the task that waits goes on", async () => {
		const turns: Turn[] = [];
		script = function* (turn) {
			turns.push(turn);
			yield { type: "text", text: turns.length === 1 ? "Which day?" : "Then Friday." };
			yield { type: "reply" };
		};
		const { link } = await ask("May I visit?");
		const { text } = await more(link, "Friday");
		expect(text).toContain("Then Friday.");
		const tasks = turns.map((turn) => turn.incoming[0]?.message.taskId);
		expect(turns).toHaveLength(2);
		expect(tasks[1]).toBeDefined();
	});

	it("shows nobody what another one asked: who else opened the same address sees that question alone", async () => {
		const [mine, other] = [await ask("the same question"), await ask("the same question")];
		await more(mine.link, "my secret");
		expect(await (await get(`${mine.link}.md`)).text()).toContain("my secret");
		const third = await ask("the same question");
		for (const { link } of [other, third]) {
			const text = await (await get(`${link}.md`)).text();
			expect(text).toContain("You said: the same question");
			expect(text).not.toContain("my secret");
		}
		const { text } = await more(other.link, "another thing");
		expect(text).toContain("You said: the same question");
		expect(text).toContain("You said: another thing");
		expect(text).not.toContain("my secret");
		expect(await (await get(`${mine.link}.md`)).text()).not.toContain("another thing");
		// Also once the link that took the conversation has ended.
		await get(`${mine.link}/end`, {}, "POST");
		expect((await more(third.link, "a third thing")).text).not.toContain("my secret");
	});

	it("shows nobody else what was answered to the desk's question, and tells them in plain words to ask again", async () => {
		script = function* (turn) {
			yield { type: "text", text: turn.history.length === 0 ? "Which day?" : "Done." };
			yield { type: "reply" };
		};
		const [mine, other] = [await ask("May I visit?"), await ask("May I visit?")];
		expect((await more(mine.link, "my secret is Friday")).text).toContain("Done.");
		for (const { link } of [other, await ask("May I visit?")]) {
			for (const [path, headers] of [
				[`${link}.md`, {}],
				[link, {}],
				[`${link}.md?lang=zh`, {}],
			] as const) {
				const text = await (await get(path, headers)).text();
				expect(text, path).toContain("Which day?");
				expect(text, path).not.toContain("secret");
				expect(text, path).not.toContain("Done.");
				expect(text, path).toContain(path.includes("zh") ? "请在下面把问题完整地再问一次" : "Ask again below");
			}
		}
	});

	it("says that earlier words are left out, on the page and as text", async () => {
		const { link } = await ask("round 0");
		const said = async () => [await (await get(link)).text(), await (await get(`${link}.md?lang=zh`)).text()];
		const marks = ["Earlier words are left out.", "更早的内容已省略。"];
		for (let i = 1; i < LIMITS.historyPage / 2; i++) {
			clock.turn(60_000);
			await more(link, `round ${i}`);
		}
		for (const [i, text] of (await said()).entries()) expect(text).not.toContain(marks[i]);
		await more(link, "one more");
		for (const [i, text] of (await said()).entries()) expect(text).toContain(marks[i]);
	});

	it("tells nobody else how far a conversation has gone, or that it was ended", async () => {
		script = function* (turn) {
			yield { type: "text", text: "Well." };
			yield turn.history.length > 0 ? { type: "end_conversation" } : { type: "reply", asks: false };
		};
		const [mine, other] = [await ask("one"), await ask("one")];
		expect((await more(mine.link, "rude words")).text).toContain("Mira has ended this conversation");
		const text = await (await get(`${other.link}.md`)).text();
		expect(text).toContain("Answered.");
		expect(text.replaceAll(other.link, "")).toBe(other.text.replaceAll(other.link, ""));
	});

	it("ends when its holder says so by a form, never by being opened", async () => {
		const { link } = await ask("hello");
		const page = await (await get(link)).text();
		expect(page).toContain(`<form method="post" action="/@${handle}/${link}/end">`);
		expect((await get(`${link}/end`)).status).toBe(404);
		expect((await get(link)).status).toBe(200);
		expect((await get(`${link}/end`, {}, "POST")).status).toBe(200);
		for (const path of [link, `${link}.md`, `${link}?q=more`]) {
			const answer = await get(path);
			expect([answer.status, (await answer.text()).includes("This private link has ended")], path).toEqual([404, true]);
		}
		expect(asked).toEqual(["hello"]);
	});

	it("ends when the owner revokes its guest, for everybody who had one, and the next one who asks is somebody new", async () => {
		let guest = "";
		script = (turn) => {
			guest = turn.asker.id;
			return echoing(turn);
		};
		const [one, two] = [await ask("hello"), await ask("hello")];
		await site.engine.owner.revokeGuest(handle, guest);
		for (const { link } of [one, two]) expect((await get(link)).status).toBe(404);
		expect((await ask("hello")).text).toContain("You said: hello");
		expect(asked).toEqual(["hello", "hello"]);
	});

	it("ends by itself some time after it was last asked with", async () => {
		const { link } = await ask("hello");
		clock.turn(LIMITS.followUpMs - 1);
		await more(link, "still there?");
		clock.turn(LIMITS.followUpMs - 1);
		expect((await get(link)).status).toBe(200);
		clock.turn(1);
		expect((await get(link)).status).toBe(404);
	});

	it("opens nothing at another desk, and what is no key opens nothing", async () => {
		const { link } = await ask("hello");
		const key = link.slice("ask/".length);
		expect((await site.app.request(`/@mira/ask/${key}`)).status).toBe(404);
		for (const wrong of [`${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`, "eolf_", "x", "..%2fask", "%00", "eolg_abc"])
			expect((await get(`ask/${wrong}`)).status, wrong).toBe(404);
	});

	it("is kept as a hash alone, and is in no line of the log, whatever goes wrong", async () => {
		const { link } = await ask("hello");
		const key = link.slice("ask/".length);
		// What SQLite has not moved from its log yet stands beside the file.
		for (const file of readdirSync(site.dir)) {
			if (file.startsWith("desk.db")) expect(readFileSync(join(site.dir, file)).includes(key), file).toBe(false);
		}
		const whole = site.engine.followUps.read;
		site.engine.followUps.read = () => Promise.reject(new Error(`it broke at /@${handle}/${link}`));
		lines.length = 0;
		expect((await get(link)).status).toBe(500);
		expect((await get(`${link}.md`)).status).toBe(500);
		site.engine.followUps.read = whole;
		expect(lines.join("\n")).toContain("A page could not be made.");
		expect(lines.join("\n")).toContain("eolf_[hidden]");
		expect(lines.join("\n")).not.toContain(key);
	});

	it("links out of an answer only to the web and to mail", async () => {
		script = function* () {
			yield {
				type: "text",
				text: "[a](https://a.example/x) [b](javascript:alert(1)) [c](/@mira) <https://d.example>\n\n![e](https://e.example/p.png) <script>alert(1)</script>",
			};
			yield { type: "reply", asks: false };
		};
		const html = await (await get("ask?q=links")).text();
		expect(html).toContain('<a href="https://a.example/x" rel="noopener noreferrer nofollow ugc">a</a>');
		expect(html).not.toContain('="javascript:');
		expect(html).not.toContain("<script>alert");
		// A picture is a link: nothing is fetched for an answer.
		expect(html).not.toMatch(/src="[^"]*e\.example/);
		expect(html).not.toContain('href="/@mira"');
	});

	it("says so once the desk has ended the conversation", async () => {
		script = function* () {
			yield { type: "text", text: "Good bye." };
			yield { type: "end_conversation" };
		};
		const { text } = await ask("again and again");
		expect(text).toContain("Mira has ended this conversation");
	});
});

describe("what these tests would find", () => {
	/** How often a question was asked that was opened twice, and whether one who opened it reads what the other asked more. */
	async function tried(of: TestDesk): Promise<{ asked: number; leaked: boolean }> {
		asked = [];
		const open = async (path: string) => (await of.app.request(`/@mira/${path}`, { headers: { accept: "text/markdown" } })).text();
		const [mine, other] = [linkIn(await open("ask?q=same")), linkIn(await open("ask?q=same"))];
		const times = asked.length;
		await open(`${mine}?q=secret`);
		await open(`${other}?q=else`);
		return { asked: times, leaked: (await open(other)).includes("secret") };
	}
	const changed = async (gossip: string | undefined) => {
		if (gossip) process.env.GOSSIP = gossip;
		const workerUrl = gossip ? new URL("../../test/store/gossiping-writer.js", import.meta.url) : undefined;
		const of = await openTestDesk({ answerer, ...(workerUrl ? { workerUrl } : {}) });
		delete process.env.GOSSIP;
		const found = await tried(of);
		await of.close();
		return found;
	};

	it("is nothing in the product", async () => expect(await changed(undefined)).toEqual({ asked: 1, leaked: false }));
	it("is a store that forgets what was asked", async () => expect(await changed("forgets")).toEqual({ asked: 2, leaked: false }));
	it("is a store that shares a conversation", async () => expect(await changed("shares")).toEqual({ asked: 1, leaked: true }));
});

describe("@example", () => {
	it.each(["", ".md", "/ask", "/ask?q=hello", "/ask.md?q=hello", "/chat"])(
		"is an example, says so at /@example%s, and answers nothing",
		async (path) => {
			const answer = await site.app.request(`/@example${path}`);
			expect(answer.status).toBe(200);
			expect(await answer.text()).toContain("@example stands for somebody");
			expect(asked).toEqual([]);
		},
	);
	it("is nobody's handle", async () => {
		await expect(site.engine.owner.createOwner({ handle: "example", name: "E" })).rejects.toMatchObject({ code: "invalid_params" });
	});
});
