/**
 * Courtesies: greetings, thanks and the like, which want a friendly word and no note; and questions about the one who
 * answers. Pure; every pattern begins at the start of what is left and takes one courtesy off.
 */

export type SmallTalk = "greeting" | "thanks" | "bye" | "fine" | "self";

const MANNERS: readonly (readonly [SmallTalk, RegExp])[] = [
	[
		"self",
		/^(?:(?:so )?(?:who|what) are you|are you (?:an? )?(?:\w+ )?(?:bot|robot|human|person|real|ai|machine|agent)(?: (?:person|bot|human|agent))?|is (?:this|that) (?:an? )?(?:bot|robot|human|person|ai|real person|machine)|am i (?:talking|speaking|chatting) (?:to|with) (?:an? )?(?:\w+ )?(?:bot|robot|human|person|ai|machine)|(?:what|how) (?:can|could|do) (?:you|i) (?:do|answer|know|help(?: me)?(?: with)?|ask(?: you)?)(?: here| about)?|(?:can (?:you|someone|anyone) |i need (?:some |your )?)?help(?: me)?|(?:can|may) i ask (?:you )?(?:something|a question)|i (?:have|'ve got|got) (?:a|some|another) questions?(?: for you)?)(?![\p{L}\p{N}])/iu,
	],
	[
		"self",
		/^(?:[你您](?:是谁|是什么|是(?:不是)?(?:机器人|真人|人工智能|AI|人工|人)吗?|[会能](?:做|回答|帮我?|帮助我?)(?:些)?(?:什么|啥)(?:问题)?)|(?:我)?(?:可以|能)(?:问|咨询)(?:你|您)?(?:些)?(?:什么|啥)(?:问题)?|(?:我)?(?:想|可以|能)?(?:请问|问|咨询)(?:一下|[您你]?(?:一)?个问题)吗?|帮助)(?:呢|啊|呀)?/iu,
	],
	[
		"greeting",
		/^(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|nice to meet you|is (?:anyone|anybody|someone|somebody) (?:there|here)|anyone (?:there|here)|how are you(?: doing| today)*|what'?s up)(?: there| again| all| everyone)?(?![\p{L}\p{N}])/iu,
	],
	[
		"greeting",
		/^(?:[你您]们?好|哈喽|哈啰|嗨|嘿|早上好|上午好|中午好|下午好|晚上好|早安?|大家好|在吗|在么|有人吗|有人在吗|很高兴认识[你您])[啊呀哦喔哈]*/u,
	],
	[
		"thanks",
		/^(?:thanks?|thank you|thx|ty|cheers|many thanks|much appreciated|appreciate it|that(?:'s| is| was)? (?:very |really |so )?(?:helpful|great|perfect|kind|useful|all)|very helpful|you(?:'ve| have)? (?:been )?(?:very )?(?:helpful|kind)|(?:that )?help(?:s|ed) a lot)(?: you)?(?: (?:so|very) much| a lot| again| for (?:your|the|all your) (?:help|answer|reply|time|info|information))*(?![\p{L}\p{N}])/iu,
	],
	["thanks", /^(?:谢谢|多谢|感谢|谢啦|谢了|谢过|辛苦了|麻烦[你您]了|太感谢|非常感谢)[你您啦了啊呀们的帮助回答解答]*/u],
	[
		"bye",
		/^(?:bye(?:[ -]?bye)?|goodbye|see you(?: (?:soon|later|then|there))?|good night|have a (?:nice|good|great) (?:day|evening|weekend|one)|take care)(?![\p{L}\p{N}])/iu,
	],
	["bye", /^(?:再见|拜拜|回头见|晚安|下次见|回见)[啦了哦]*/u],
	[
		"fine",
		/^(?:ok|okay|k|sure|great|perfect|good|fine|cool|nice|awesome|lovely|wonderful|excellent|got it|i see|understood|alright|all right|no problem|sounds good|will do|yes|yep|yeah|no|nope|never mind|that'?s all)(?![\p{L}\p{N}])/iu,
	],
	[
		"fine",
		/^(?:好的?|好吧|行|嗯+|哦+|明白了?|知道了|收到|了解了?|可以|没事了?|没有了|不用了|不客气|太好了|是的?|对的?|不是)[啊呀哦吧啦]*/u,
	],
];

/** Longer messages want something. */
const COURTESY_CHARS = 300;

/** How much each matters where several stand in one message. */
const WEIGHT: Record<SmallTalk, number> = { self: 5, bye: 4, thanks: 3, greeting: 2, fine: 1 };

/** The courtesy that a message is, if it is nothing else. `names`: of the desk and its owner, as people address them. */
export function smallTalkOf(text: string, names: readonly string[]): SmallTalk | null {
	if (text.length > COURTESY_CHARS) return null;
	let rest = text.replace(/[’‘]/g, "'");
	let found: SmallTalk | null = null;
	const called = names.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
	for (;;) {
		rest = rest.replace(/^[^\p{L}\p{N}]+/u, "");
		if (rest === "") return found;
		const name = called.find((n) => rest.toLowerCase().startsWith(n));
		if (name !== undefined && found !== null) {
			rest = rest.slice(name.length);
			continue;
		}
		const match = MANNERS.map(([talk, words]) => ({ talk, length: words.exec(rest)?.[0].length ?? 0 })).find((m) => m.length > 0);
		if (!match) return null;
		if (found === null || WEIGHT[match.talk] > WEIGHT[found]) found = match.talk;
		rest = rest.slice(match.length);
	}
}
