import { describe, expect, it } from "vitest";
import { asksCaller } from "./asks.js";

type Table = readonly (readonly [reply: string, asks: boolean])[];

const ENGLISH: Table = [
	["Which size would you like?", true],
	["We are open until six.", false],
	["I can hold it for you. Would Thursday at two work?", true],
	["It is 28 euros. Is there anything else I can help you with?", false],
	["Happy to help. Anything else?", false],
	["Shipping takes four days. Does that help?", false],
	["Did that answer your question?", false],
	["Hi! How can I help you today?", false],
	["Here you are. Any other questions?", false],
	["Is there anything else you want engraved on the cup?", true],
	["Sure, but which colour do you want, and is there anything else?", true],
	["What is your postcode? Is there anything else I can do for you?", true],
	["**Do you want it wrapped?**", true],
	["See [what would suit you?](https://shop.example/quiz?from=chat)", true],
	["The shop is at https://shop.example/?page=2", false],
	["Which day suits you? 😊", true],
	["Shall I ask Mira for you? 🙂👍🏽", true],
	["Do you need it by a date (a birthday, for example)?", true],
	["Which glaze? (white, blue or green)", true],
	["Which day suits you?\n\n- Tuesday\n- Thursday", true],
	["**What to bring?**\n\n- an apron\n- old clothes", false],
	["Could you tell me:\n1. your name\n2. how many of you are coming?", true],
	["Try this:\n\n```js\nconst open = isOpen() ? 1 : 0; // really?\n```", false],
	["What happens when you run `npm start`?", true],
	["The command is `which size?`", false],
	["The notes ask “do you ship abroad?”", false],
	["From the faq:\n\n> Do you ship abroad?", false],
	["What address should it go to?\n\nBest regards,\nMira's agent", true],
	["Is Friday fine? Thanks!", true],
	["Do you ship abroad? Yes, to the whole of Europe.", false],
];

const CHINESE: Table = [
	["您想要哪种尺寸？", true],
	["我们营业到下午六点。", false],
	["可以为您预留。周四下午两点方便吗？", true],
	["一共 28 欧元。还有什么可以帮您的吗？", false],
	["请问您还需要其他帮助吗？", false],
	["不客气，还有什么可以帮到您？", false],
	["您好！有什么我能为您效劳的吗？", false],
	["我能为您做些什么？", false],
	["寄送需要四天。这样回答清楚了吗？", false],
	["以上信息对您有帮助吗？", false],
	["您还有其他问题吗？", false],
	["想了解更多信息吗？", false],
	["您还想在杯子上刻什么字？", true],
	["您要什么颜色，还有什么需要吗？", true],
	["请问邮编是多少？还有什么可以帮您的吗？", true],
	["这样安排可以吗？", true],
	["**需要礼品包装吗？**", true],
	["请看[哪一款适合您？](https://shop.example/quiz)", true],
	["网址是 https://shop.example/?page=2", false],
	["您哪天方便呢？😊", true],
	["需要我帮您问问 Mira 吗？～", true],
	["您需要赶在某个日期之前收到（例如生日）吗?", true],
	["要哪种釉色？（白、蓝、绿）", true],
	["您想约哪一天？\n\n- 周二\n- 周四", true],
	["**需要带什么？**\n\n- 围裙\n- 旧衣服", false],
	["笔记里写着“可以寄到国外吗？”", false],
	["常见问题里有：\n\n> 可以寄到国外吗？", false],
	["周五可以吗？谢谢！", true],
	["寄到哪个地址？\n\n谢谢，\nMira", true],
	["可以寄到国外吗？可以，欧洲各国都寄。", false],
];

describe("whether a reply asks the caller something", () => {
	it("is tried on sixty phrases, thirty a language", () => {
		expect([ENGLISH.length, CHINESE.length]).toEqual([30, 30]);
	});

	it.each(ENGLISH)("reads %j as %s", (reply, asks) => {
		expect(asksCaller(reply)).toBe(asks);
	});

	it.each(CHINESE)("reads %j as %s", (reply, asks) => {
		expect(asksCaller(reply)).toBe(asks);
	});

	const EDGES: Table = [
		["", false],
		["   \n\n", false],
		["?", true],
		["Really?!", true],
		["你确定吗？！", true],
		["Which one? — Mira", true],
		["Which one?\n\n— Mira", true],
		["Which one?\n\n---", true],
		["Which one? [1]", true],
		["> Do you ship abroad?\n\nYes.", false],
		["| size | price |\n| --- | --- |\n| large? | 5 |", false],
		["```\nunfinished block?", false],
		["~~~\n```\nstill code?\n~~~", false],
		["```\ncode\n```\nShall I run it?", true],
		["“Which size would you like?”", true],
		["Do you mean “large?”", true],
		["Want it by post, OK?", true],
		["我们周三见，好吗？", true],
		["Questions?", false],
		["What questions do you have about the kiln?", true],
		["How are you?", false],
		["Who knows?", false],
		["您好吗？", false],
		["需要发票吗？", true],
	];

	it.each(EDGES)("decides %j as %s", (reply, asks) => {
		expect(asksCaller(reply)).toBe(asks);
	});

	it("reads hostile replies of 100 KB without stalling", () => {
		const hostile = [
			"?",
			"？",
			"(",
			"[",
			"`",
			"```\n",
			"* ",
			"_a",
			"a_",
			"“",
			"还有什么可以帮",
			"anything else ",
			"is there ",
			"![](",
			"http://",
			"😊",
			"- x\n",
			"! ",
			"? ",
			'a?" ',
		];
		for (const unit of hostile) {
			for (const end of ["", "x", "?"]) {
				// Whole signs too: cut off at a length, a row of emoji may begin with half of one, which no pattern goes on with.
				const replies = [unit.repeat(Math.ceil(100_000 / unit.length)) + end, unit.repeat(50) + end];
				// Time of this process, the best of three: other programs on the machine must not decide this test.
				const times = [1, 2, 3].map(() => {
					const before = process.cpuUsage();
					for (const reply of replies) asksCaller(reply);
					const { user, system } = process.cpuUsage(before);
					return (user + system) / 1000;
				});
				expect(Math.min(...times), JSON.stringify(unit + end)).toBeLessThan(100);
			}
		}
	});
});
