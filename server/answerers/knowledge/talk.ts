/**
 * Reads what a visitor wrote: courtesies that want no note, the questions in a message, and what a question goes on from.
 * Pure. It looks at the form of sentences only; whether there is an answer is for `find.ts`.
 */
import type { Language } from "./language.js";
import { needsOf, withoutAsking } from "./needs.js";
import { GENERAL, type Question } from "./score.js";
import { stem } from "./vocabulary.js";
import { normalise, type Term, termsOf } from "./words.js";

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

/** How much each matters where several stand in one message. */
const WEIGHT: Record<SmallTalk, number> = { self: 5, bye: 4, thanks: 3, greeting: 2, fine: 1 };

/** The courtesy that a message is, if it is nothing else. `names`: of the desk and its owner, as people address them. */
export function smallTalkOf(text: string, names: readonly string[]): SmallTalk | null {
	let rest = text.replace(/[’‘]/g, "'").slice(0, 300);
	if (text.length > rest.length + 20) return null;
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

/** A question as it was asked, and how it hangs on what was said before. */
export interface Asked {
	text: string;
	/** `goes on`: it opens like a continuation. `points`: it has a word that stands for something said before. */
	follows: "goes on" | "points" | null;
}

const SENTENCE = /[^.!?。！？\n]+(?:[.!](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*/g;
const GOES_ON = /^(?:and|but|or|also|so|then|what about|how about|what if|same for)\b|^(?:那么?|还有|另外|换成|如果是|要是)|呢\s*[?？]*$/i;
const POINTS =
	/\b(?:it|its|they|them|their|that|this|these|those|ones?|he|she|him|her)\b|它|这个|那个|这些|那些|这样|那样|这种|那种|她|他/i;
const QUESTIONS = 5;

/** The questions of one message: its sentences with a question mark, or without any the whole. */
export function questionsOf(message: string): Asked[] {
	const sentences = (message.match(SENTENCE) ?? []).map((s) => s.trim()).filter((s) => /[\p{L}\p{N}]/u.test(s));
	const marked: string[] = [];
	for (const [i, sentence] of sentences.entries()) {
		if (!/[?？]/.test(sentence)) continue;
		// "My bowl arrived broken. What should I do?": the second says nothing without the first.
		const alone = termsOf(normalise(sentence)).some((term) => term.factor > GENERAL);
		const before = i > 0 && !/[?？]/.test(sentences[i - 1] as string) ? sentences[i - 1] : undefined;
		marked.push(alone || before === undefined ? sentence : `${before} ${sentence}`);
	}
	const texts = marked.length > 0 ? marked : sentences.length > 0 ? [sentences.join(" ")] : [];
	return texts.slice(0, QUESTIONS).map((text) => ({ text, follows: followsOf(text) }));
}

function followsOf(text: string): Asked["follows"] {
	if (GOES_ON.test(text)) return "goes on";
	return POINTS.test(text) ? "points" : null;
}

const JOINTS = /[,，;；]\s*(?:and |but |or )?|\s+(?:and|but)\s+|还有|以及|另外|并且|同时/i;
const OPENS =
	/^(?:also |then )?(?:who|what|when|where|which|how|do|does|did|is|are|can|could|would|will|shall|should|may|have|has)\b|吗|呢|什么|哪|怎|几|多少|多久|如何|能不能|可不可以|有没有|是否/i;

/** The questions that stand joined in one sentence; itself alone where it is one. */
export function clausesOf(text: string): string[] {
	const clauses = text
		.split(JOINTS)
		.map((c) => c.trim())
		.filter((c) => c !== "");
	return clauses.length > 1 && clauses.length <= QUESTIONS && clauses.every((c) => OPENS.test(c)) ? clauses : [text];
}

const AND = /^\s*(?:and|or|和|与|跟|及|以及|或|或者|、|,|，)\s*(?:(?:the|an?|some|for|to)\s+)?$/i;

/**
 * The same question about each of the things that it names with "and" between ("the mug and the teapot"): no passage need
 * speak of both. Itself alone where it names one.
 */
export function eachOf(question: Question): Question[] {
	const text = normalise(question.text);
	let from = 0;
	// Words side by side are one thing: the small bowl.
	const things: { terms: Term[]; from: number; to: number }[] = [];
	const placed = question.terms
		.map((term) => ({ term, at: text.toLowerCase().indexOf(term.text.toLowerCase()) }))
		.sort((a, b) => a.at - b.at);
	for (const { term, at } of placed) {
		const last = things.at(-1);
		const to = Math.max(at, from) + term.text.length;
		if (last && at >= last.to && text.slice(last.to, at).trim() === "") {
			last.terms.push(term);
			last.to = to;
		} else things.push({ terms: [term], from: at, to });
		from = to;
	}
	for (const [i, thing] of things.entries()) {
		const next = things[i + 1];
		if (!next || !AND.test(text.slice(thing.to, next.from))) continue;
		const without = (other: { terms: Term[] }) => ({ ...question, terms: question.terms.filter((term) => !other.terms.includes(term)) });
		return [without(next), without(thing)];
	}
	return [question];
}

/** What the desk is itself called and described as: known to whoever asks it. */
export interface Self {
	names: readonly string[];
	about: string;
}

/**
 * @param said what the visitor wrote before, oldest first; looked through for what a continuation goes on from.
 * @returns what to look for by itself, and together with what was said before.
 */
export function readQuestion(
	asked: Asked,
	language: Language,
	said: readonly string[],
	self: Self,
): { alone: Question; going: Question | null } {
	const terms = ownTerms(asked.text, self);
	const needs = needsOf(normalise(asked.text));
	// "Where are you?" asks for the address without the word.
	if (needs.includes("where") && !terms.some((term) => term.factor > GENERAL) && !/\bfrom\b|来自|哪里人/i.test(asked.text)) {
		terms.push({ keys: ["#place"], factor: 1, text: asked.text });
	}
	const alone: Question = { text: asked.text, language, terms, needs, earlier: [] };
	const few = terms.filter((term) => term.factor > GENERAL).length <= 1;
	if (asked.follows === null && !few) return { alone, going: null };
	// "And on Sunday?" and "and the mugs?" ask the same of another day, another piece.
	const replaced = new Set(terms.flatMap((term) => [term.class, term.kind]).filter((c) => c !== undefined));
	const earlier: Term[] = [];
	let earlierNeeds: Question["needs"] = [];
	for (const text of said.slice(-4).reverse()) {
		for (const term of ownTerms(text, self)) {
			if ((term.class && replaced.has(term.class)) || (term.kind && replaced.has(term.kind))) continue;
			if (!terms.concat(earlier).some((t) => t.keys.join() === term.keys.join())) earlier.push(term);
		}
		if (earlierNeeds.length === 0) earlierNeeds = needsOf(normalise(text));
		if (!questionsOf(text).some((q) => q.follows === "goes on")) break;
	}
	return { alone, going: earlier.length === 0 ? null : { ...alone, needs: needs.length > 0 ? needs : earlierNeeds, earlier } };
}

/**
 * Terms of a question without the desk's own names, unless it asks for nothing else ("Who is Mira?"). What its line about
 * itself says is no news in a question, nor are the words price and pay in one that asks how much.
 */
function ownTerms(text: string, self: Self): Term[] {
	const names = new Set(self.names.flatMap((name) => normalise(name).toLowerCase().split(/\s+/).map(stem)));
	const about = new Set(termsOf(normalise(self.about)).flatMap((term) => term.keys));
	const all = termsOf(withoutAsking(normalise(text)));
	const others = all.filter((term) => !term.keys.every((key) => names.has(key)));
	const needs = needsOf(normalise(text));
	const priced = needs.includes("price");
	return (others.length > 0 || needs.length > 0 ? others : all).map((term) => {
		if (priced && (term.keys.includes("#price") || term.keys.includes("#pay"))) return { ...term, factor: 0.2 };
		return term.keys.some((key) => about.has(key)) ? { ...term, factor: Math.min(term.factor, 0.4) } : term;
	});
}
