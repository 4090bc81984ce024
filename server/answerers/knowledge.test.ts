import { describe, expect, it } from "vitest";
import { asksCaller } from "../engine/asks.js";
import type { Ending, MemoryFile, Piece } from "../engine/ports.js";
import { answerers } from "./index.js";
import { quoted, tell, turnOf } from "./knowledge/ask.fixture.js";
import { knowledge } from "./knowledge.js";

const NOW = Date.UTC(2026, 2, 23, 10);
const HOURS = {
	path: "hours.md",
	text: "# Opening hours\n\n- Tuesday to Friday: 10:00–18:00\n- Saturday: 11:00–16:00\n- Sunday and Monday: closed\n",
};
const SHIPPING = {
	path: "shipping.md",
	text: "# Shipping\n\nWe ship to France for €12 and to Spain for €14. It takes four days.\n\nWe pack in paper.\n",
};
const CHINESE = { path: "kiln.md", text: "# 电窑\n\n周五下午可以参观电窑。\n" };
const NOTES: MemoryFile[] = [HOURS, SHIPPING, CHINESE];

const ask = (question: string, memory = NOTES, before: string[] = []) =>
	tell(
		knowledge(() => NOW),
		turnOf(memory, [question], before),
	);

describe("the answerer of the table", () => {
	it("needs nothing, runs here, and always says something", () => {
		expect(answerers(() => NOW).map(({ name, inProcess, maySilence }) => ({ name, inProcess, maySilence }))).toEqual([
			{ name: "knowledge", inProcess: true, maySilence: false },
		]);
	});
});

describe("a question that the notes answer", () => {
	it("is answered by their own line and where it stands", async () => {
		const { text, gaps, endings } = await ask("Are you open on Saturday?");
		expect(text).toBe("Here is what Mira's notes say:\n\n> - Saturday: 11:00–16:00\n\n(from hours.md, “Opening hours”)");
		expect(gaps).toEqual([]);
		expect(endings).toEqual([{ type: "reply", asks: false }]);
	});

	it("is answered in Chinese when asked in Chinese", async () => {
		expect((await ask("电窑什么时候可以参观？")).text).toBe(
			"Mira 的笔记里是这样写的：\n\n> 周五下午可以参观电窑。\n\n（出自 kiln.md「电窑」）",
		);
	});

	it("is answered from prose first, and from data where the prose does not say", async () => {
		const stock = { path: "stock.csv", text: "Saturday,open,09:00\n\ncandles,14,wax\n" };
		const { text } = await ask("Are you open on Saturday?", [...NOTES, stock]);
		expect(text).toContain("(from hours.md");
		expect(text).not.toContain("stock.csv");
		expect((await ask("Are there candles?", [...NOTES, stock])).text).toContain("candles,14,wax");
		expect((await ask("Are there candles?", [stock])).text).toContain("candles,14,wax");
	});

	it("is answered by what the notes deny, whatever fact of it is asked for", async () => {
		const notes = [HOURS, { path: "post.md", text: "# Post\n\nWe do not ship outside Europe. \n\nWe ship to France for €12." }];
		for (const question of ["How much is shipping to Japan?", "How long does delivery to Canada take?", "寄日本多少钱？"])
			expect((await ask(question, notes)).text, question).toContain("outside Europe");
		expect((await ask("How much is shipping to Japan?")).gaps).toHaveLength(1);
	});

	it("about somebody's age is answered by the limit of age", async () => {
		const notes = [HOURS, { path: "c.md", text: "# Classes\n\nChildren can take part in classes from the age of ten.\n\nBring an apron." }];
		for (const question of ["Can an eight-year-old join a class?", "Can my 12 year old take a class?", "八岁的孩子可以上课吗？"])
			expect((await ask(question, notes)).text, question).toContain("from the age of ten");
	});

	it("is found in a note of the other language, which is quoted as it stands", async () => {
		const english = await ask("When can I visit the kiln?");
		expect(english.text).toContain("Mira's notes say this, in Chinese:\n\n> 周五下午可以参观电窑。");
		const chinese = await ask("寄到法国多少钱？");
		expect(chinese.text).toContain("Mira 的笔记里有这段英文：\n\n> We ship to France for €12");
	});

	it("comes in pieces, a line each", async () => {
		const { pieces, text } = await ask("When are you open?");
		expect(quoted(text)).toHaveLength(3);
		expect(pieces.length).toBeGreaterThan(6);
	});

	it("survives a misspelt word", async () => {
		expect(quoted((await ask("are you open on saterday")).text)).toEqual(["- Saturday: 11:00–16:00"]);
	});

	it("about one thing is answered by a note about things of its kind, but never its price", async () => {
		const notes = [{ path: "broken.md", text: "If a piece arrives broken, send a photo. Repairing a piece costs €15." }];
		expect((await ask("My mug arrived broken, what now?", notes)).text).toContain("send a photo");
		expect((await ask("How much is a mug that arrived broken?", notes)).gaps).toHaveLength(1);
	});

	it("is answered for each thing it names, and each question of a message by itself", async () => {
		expect(quoted((await ask("Are you open on Saturday and Monday?")).text)).toEqual([
			"- Saturday: 11:00–16:00",
			"- Sunday and Monday: closed",
		]);
		const two = await ask("Hi! When are you open on Friday? Do you ship to Spain?");
		expect(two.text).toMatch(/\*\*When are you open on Friday\?\*\*[\s\S]*10:00–18:00[\s\S]*\*\*Do you ship to Spain\?\*\*[\s\S]*€14/);
		expect(two.gaps).toEqual([]);
	});

	it("is read with what was said before where it goes on from that", async () => {
		expect(quoted((await ask("and on Sunday?", NOTES, ["Are you open on Saturday?"])).text)).toEqual(["- Sunday and Monday: closed"]);
		expect(quoted((await ask("那周日呢？", NOTES, ["你们周六几点关门？"])).text)).toEqual(["- Sunday and Monday: closed"]);
		const classes = { path: "classes.md", text: "# Classes\n\n- throwing with a wheel every Saturday\n- drawing with ink every Sunday\n" };
		expect(quoted((await ask("and on Sunday?", [HOURS, classes], ["Is there a class on Saturday?"])).text)).toEqual([
			"- drawing with ink every Sunday",
		]);
		expect((await ask("How long does it take?", NOTES, ["Do you ship to France?"])).text).toContain("It takes four days.");
		expect((await ask("How long does it take?")).gaps).toEqual(["How long does it take?"]);
	});
});

describe("a question that the notes do not answer", () => {
	it("is told so plainly, in its language, kept for the owner, and nothing is quoted", async () => {
		const english = await ask("Do you sell candles?");
		expect(english).toMatchObject({
			text: "I don't know: Mira's notes don't say. Mira will see your question.",
			gaps: ["Do you sell candles?"],
		});
		const chinese = await ask("你们卖蜡烛吗？");
		expect(chinese).toMatchObject({ text: "这个我不知道，Mira 的笔记里没有写。Mira 会看到您的问题。", gaps: ["你们卖蜡烛吗？"] });
		expect(english.endings).toEqual([{ type: "reply", asks: false }]);
	});

	it("is not answered from a note that only shares words with it", async () => {
		for (const question of [
			"Do you ship to Japan?",
			"How much is the paper?",
			"Are you open in Porto on Saturday?",
			"How long is the shop open for children?",
			"电窑多少钱？",
		]) {
			expect(await ask(question), question).toMatchObject({ gaps: [question] });
		}
	});

	it("is not answered by what holds on another day", async () => {
		const notes = [
			HOURS,
			{ path: "classes.md", text: "# Classes\n\nWheel throwing for beginners with clay, glaze and an apron: every Saturday." },
		];
		const question = (day: string) => `Is there wheel throwing for beginners with clay, glaze and an apron on ${day}?`;
		expect((await ask(question("Saturday"), notes)).text).toContain("every Saturday");
		expect((await ask(question("Monday"), notes)).gaps).toEqual([question("Monday")]);
	});

	it("is not answered with what stood there before a follow-up", async () => {
		expect((await ask("and to Japan?", NOTES, ["Do you ship to France?"])).gaps).toEqual(["and to Japan?"]);
	});

	it("is kept by itself when it stands beside one that has an answer", async () => {
		const { text, gaps } = await ask("Are you open on Saturday? Do you sell candles?");
		expect(text).toContain("11:00–16:00");
		expect(gaps).toEqual(["Do you sell candles?"]);
	});

	it("stays unknown with no notes at all", async () => {
		expect((await ask("Are you open on Saturday?", [])).gaps).toEqual(["Are you open on Saturday?"]);
	});

	it("is cut to what the owner can read", async () => {
		expect((await ask(`Do you sell ${"very ".repeat(2_000)}old candles?`)).gaps[0]?.length).toBe(500);
	});

	it("is cut between characters, never through one", async () => {
		const gap = (await ask(`Do you sell ${"𠮷".repeat(1_000)}?`)).gaps[0] as string;
		expect([...gap]).toHaveLength(500);
		expect(gap.isWellFormed?.() ?? !/[\ud800-\udbff]$/.test(gap)).toBe(true);
	});

	it("cannot put markup into the reply", async () => {
		const { text } = await ask("Are you open on Saturday? Is **this** [a link](https://evil.example) <img src=x> `x`?");
		expect(text).not.toMatch(/evil|<img|\]\(|`/);
	});
});

describe("a courtesy", () => {
	it.each(["hi", "Hello Mira!", "good morning 👋", "who are you?", "What can I ask you?"])(
		"%j is answered with what can be asked, and is no gap",
		async (text) => {
			const told = await ask(text);
			expect(told.text).toContain("You can ask me about: Opening hours, Shipping.");
			expect(told.gaps).toEqual([]);
		},
	);

	it.each(["你好", "您好呀！", "在吗？", "你是谁？", "可以问你什么"])("%j is answered in Chinese", async (text) => {
		const told = await ask(text);
		expect(told.text).toContain("可以问我：电窑。");
		expect(told.gaps).toEqual([]);
	});

	it.each(["thanks a lot!", "Thank you, bye", "ok great", "👍", "谢谢你", "好的，再见", "明白了"])(
		"%j gets a word and no gap",
		async (text) => {
			const told = await ask(text);
			expect(told.gaps).toEqual([]);
			expect(told.text.length).toBeLessThan(60);
			expect(asksCaller(told.text)).toBe(false);
		},
	);

	it("before a question does not hide it", async () => {
		expect((await ask("Hi there, thanks! Are you open on Saturday?")).text).toContain("11:00–16:00");
		expect((await ask("Thanks for the candles")).gaps).toEqual(["Thanks for the candles"]);
	});
});

describe("what is never said", () => {
	const SECRET = "The alarm code is 4711.";

	it.each([
		["_private.md", SECRET],
		["staff/_codes/alarm.md", SECRET],
		["instructions.md", SECRET],
		["notes/Instructions.md", SECRET],
		["open.md", `# Open\n\n<!-- ${SECRET} -->\n\nWe are open.`],
		["front.md", `---\nalarm: The alarm code is 4711.\n---\n\nWe are open.`],
	])("what stands in %s", async (path, text) => {
		const told = await ask("What is the alarm code?", [...NOTES, { path, text }]);
		expect(told.text).not.toContain("4711");
		expect(told.gaps).toEqual(["What is the alarm code?"]);
	});

	it("the control: the same words in a common file are said", async () => {
		expect((await ask("What is the alarm code?", [...NOTES, { path: "alarm.md", text: SECRET }])).text).toContain("4711");
	});

	it("the name of a person's file: its notes are notes about them", async () => {
		const { text } = await ask("Is my order ready?", [
			...NOTES,
			{ path: "people/guest_0123.md", text: "Your order is ready from Friday." },
		]);
		expect(text).toContain("> Your order is ready from Friday.");
		expect(text).toContain("(from notes about you)");
		expect(text).not.toContain("guest_0123");
	});
});

describe("parts that are no words", () => {
	const picture = [{ url: "https://files.example/1.png", mediaType: "image/png" }];

	it("are said to be unreadable, in the visitor's language", async () => {
		const alone = await tell(
			knowledge(() => NOW),
			turnOf(NOTES, [picture], ["你好"]),
		);
		expect(alone).toMatchObject({ text: "我现在只能读文字，还看不了图片和文件。请把想问的写出来。", gaps: [] });
		const english = await tell(
			knowledge(() => NOW),
			turnOf(NOTES, [picture], [], { language: "en" }),
		);
		expect(english.text).toContain("can't read pictures or files yet");
	});

	it("do not keep the words beside them from being answered", async () => {
		const { text } = await tell(
			knowledge(() => NOW),
			turnOf(NOTES, [[{ text: "Are you open on Saturday?" }, ...picture]]),
		);
		expect(text).toContain("11:00–16:00");
		expect(text).toContain("can't read the picture or file");
	});
});

describe("a turn", () => {
	it("stops when its signal aborts, without an ending", async () => {
		const stop = new AbortController();
		const said: (Piece | Ending)[] = [];
		for await (const piece of knowledge(() => NOW).answer(turnOf(NOTES, ["When are you open?"]), stop.signal)) {
			said.push(piece);
			stop.abort();
		}
		expect(said).toEqual([{ type: "text", text: "Here is what Mira's notes say:\n\n" }]);
	});

	it("answers from the memory as it is now", async () => {
		const one = knowledge(() => NOW);
		expect((await tell(one, turnOf(NOTES, ["Are you open on Saturday?"]))).text).toContain("11:00–16:00");
		const changed = [{ ...HOURS, text: HOURS.text.replace("11:00–16:00", "closed") }, SHIPPING];
		expect((await tell(one, turnOf(changed, ["Are you open on Saturday?"]))).text).toContain("> - Saturday: closed");
	});

	it("keeps desks, and the people of one desk, apart", async () => {
		const one = knowledge(() => NOW);
		const ada = [HOURS, { path: "people/ada.md", text: "Your parcel waits at the post office." }];
		expect((await tell(one, turnOf(ada, ["Where is my parcel?"]))).text).toContain("post office");
		expect((await tell(one, turnOf([HOURS], ["Where is my parcel?"]))).gaps).toHaveLength(1);
		expect((await tell(one, turnOf([], ["Are you open on Saturday?"], [], { handle: "other" }))).gaps).toHaveLength(1);
	});

	it("costs few milliseconds over a hundred files, once they are read", async () => {
		const files = Array.from({ length: 100 }, (_, i) => ({
			path: `notes-${i}.md`,
			text: `# Notes ${i}\n\n${`Piece ${i} is shipped for €${i}, packed in paper.\n\n`.repeat(10)}`,
		}));
		const one = knowledge(() => NOW);
		const turn = () => turnOf([...NOTES, ...files.map((file) => ({ ...file }))], ["Are you open on Saturday?"]);
		await tell(one, turn());
		const times: number[] = [];
		for (let i = 0; i < 30; i++) {
			const before = process.cpuUsage();
			await tell(one, turn());
			const { user, system } = process.cpuUsage(before);
			times.push((user + system) / 1000);
		}
		// The median: a collection of garbage in one of them is not its cost.
		expect(times.sort((a, b) => a - b)[15]).toBeLessThan(5);
	});

	it("reads hostile messages of 16 KB without stalling", async () => {
		const one = knowledge(() => NOW);
		await tell(one, turnOf(NOTES, ["hi"]));
		for (const unit of [
			"a ",
			"?",
			"and ",
			"周",
			"一二",
			"how much ",
			"(",
			"hi ",
			"é",
			"多少钱，",
			"can you, ",
			"Mon to ",
			"1:",
			"12月",
			"[a](",
			"x-",
			"' ",
		]) {
			const turn = turnOf(NOTES, [unit.repeat(16_384 / unit.length)]);
			const times: number[] = [];
			for (let i = 0; i < 3; i++) {
				const before = process.cpuUsage();
				await tell(one, turn);
				const { user, system } = process.cpuUsage(before);
				times.push((user + system) / 1000);
			}
			expect(Math.min(...times), JSON.stringify(unit)).toBeLessThan(150);
		}
	});
});
