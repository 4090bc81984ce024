/**
 * The words of a reply: fixed sentences in English and Chinese around what the notes say, which stands as a quotation, letter
 * for letter, with the file it is from. Nothing here is made of anything but these two.
 */
import type { Group } from "./find.js";
import type { Language } from "./language.js";
import type { SmallTalk } from "./manners.js";
import { plain } from "./passages.js";
import type { Note, Shelf } from "./shelf.js";

/** An answered or unanswered question of a turn. */
export interface Answer {
	question: string;
	language: Language;
	/** Empty: not known. */
	found: Group[];
	/** What was found out beyond the notes, said after them. `keep`: the question is kept for the owner all the same. */
	outside?: { pieces: string[]; keep: boolean };
}

const TOPICS = 8;
const LABEL_CHARS = 100;

const WORDS = {
	en: {
		says: (owner: string) => `Here is what ${owner}'s notes say:`,
		saysInOther: (owner: string) => `${owner}'s notes say this, in Chinese:`,
		source: (path: string, heading: string | undefined) => `(from ${path}${heading ? `, “${heading}”` : ""})`,
		yours: "notes about you",
		unknown: (owner: string) => `I don't know: ${owner}'s notes don't say. ${owner} will see your question.`,
		unread: "I can't read pictures or files yet, only text. Please write what you would like to know.",
		alsoUnread: "I can't read the picture or file you sent yet, only your words.",
		topics: (list: string[]) => `You can ask me about: ${list.join(", ")}.`,
		talk: {
			greeting: (owner: string) => `Hello! I answer for ${owner} from ${owner}'s notes.`,
			thanks: () => "You're welcome.",
			bye: () => "Goodbye, and thanks for stopping by.",
			fine: () => "Good. I'm here if you want to know something else.",
			self: (owner: string) =>
				`I'm the automatic agent at ${owner}'s front desk. I quote what ${owner}'s notes say, and ${owner} sees what I can't answer.`,
		},
	},
	zh: {
		says: (owner: string) => `${owner}的笔记里是这样写的：`,
		saysInOther: (owner: string) => `${owner}的笔记里有这段英文：`,
		source: (path: string, heading: string | undefined) => `（出自 ${path}${heading ? `「${heading}」` : ""}）`,
		yours: "关于您的笔记",
		unknown: (owner: string) => `这个我不知道，${owner}的笔记里没有写。${owner}会看到您的问题。`,
		unread: "我现在只能读文字，还看不了图片和文件。请把想问的写出来。",
		alsoUnread: "您发来的图片或文件我还看不了，只读了文字。",
		topics: (list: string[]) => `可以问我：${list.join("、")}。`,
		talk: {
			greeting: (owner: string) => `您好！我根据${owner}的笔记替${owner}回答问题。`,
			thanks: () => "不客气。",
			bye: () => "再见，欢迎再来。",
			fine: () => "好的。想知道别的，随时可以问我。",
			self: (owner: string) => `我是${owner}前台的自动智能体，只引用${owner}笔记里写的；答不了的问题，${owner}会看到。`,
		},
	},
} as const;

/** The reply to courtesies. It says what can be asked where that helps. */
export function smallTalk(talk: SmallTalk, language: Language, owner: string, shelves: readonly Shelf[]): string[] {
	const words = WORDS[language];
	const pieces: string[] = [tidy(words.talk[talk](named(owner, language)))];
	const topics = topicsOf(shelves, language);
	if ((talk === "greeting" || talk === "self") && topics.length > 0) pieces.push(`${language === "en" ? " " : ""}${words.topics(topics)}`);
	return pieces;
}

/** Where there were only parts that cannot be read. */
export const unread = (language: Language): string[] => [WORDS[language].unread];

/** Added where there were words and parts that cannot be read. */
export const alsoUnread = (language: Language): string[] => ["\n\n", WORDS[language].alsoUnread];

/** The reply to questions, in the pieces in which it is said. */
export function answers(list: readonly Answer[], owner: string): string[] {
	const pieces: string[] = [];
	for (const [i, answer] of list.entries()) {
		if (i > 0) pieces.push("\n\n");
		if (list.length > 1) pieces.push(`**${label(answer.question)}**\n\n`);
		pieces.push(...one(answer, owner));
	}
	return pieces;
}

function one({ found, language, outside }: Answer, owner: string): string[] {
	const words = WORDS[language];
	const called = named(owner, language);
	if (found.length === 0) return outside?.pieces ?? [tidy(words.unknown(called))];
	const other = found.flat().every((note) => note.language !== null && note.language !== language);
	const pieces: string[] = [`${tidy((other ? words.saysInOther : words.says)(called))}\n\n`];
	for (const [i, group] of found.entries()) {
		if (i > 0) pieces.push("\n\n");
		for (const line of quote(group)) pieces.push(`> ${line}`.trimEnd(), "\n");
		const { path, headings } = (group[0] as Note).passage;
		pieces.push("\n", words.source(path.startsWith("people/") ? words.yours : path, headings.at(-1)));
	}
	if (outside) pieces.push("\n\n", ...outside.pieces);
	return pieces;
}

/** Lines of the file, each block with what leads to it, blocks apart by an empty line. */
function quote(notes: readonly Note[]): string[] {
	const lines: string[] = [];
	let block = -1;
	for (const { passage } of notes) {
		if (passage.block !== block) {
			if (block !== -1) lines.push("");
			lines.push(...passage.lead);
			// A line before a list is a paragraph of its own; the head of a table belongs to its rows.
			if (passage.lead.length > 0 && passage.kind === "item") lines.push("");
		}
		block = passage.block;
		lines.push(...passage.lines);
	}
	return lines;
}

/** What these notes treat, by their outermost headings in the asker's language. */
function topicsOf(shelves: readonly Shelf[], language: Language): string[] {
	const topics = new Map<string, string>();
	for (const shelf of shelves) {
		// A line with # in code is no subject.
		if (!shelf.prose) continue;
		for (const { passage } of shelf.notes) {
			const heading = passage.headings[0];
			if (heading === undefined || passage.path.startsWith("people/") || /\p{Script=Han}/u.test(heading) !== (language === "zh")) continue;
			topics.set(heading.toLowerCase(), heading);
		}
	}
	return [...topics.values()].slice(0, TOPICS);
}

/** Somebody's words without what would be markup, in one line. */
export const bare = (text: string): string =>
	plain(text)
		.replace(/[\\*_`<>[\]()#|~!]/g, " ")
		.replace(/\s+/g, " ")
		.trim();

/** A visitor's own words over their answer: without what would be markup. */
function label(question: string): string {
	const words = bare(question);
	return words.length > LABEL_CHARS ? `${words.slice(0, LABEL_CHARS)}…` : words;
}

/** No space where a Latin name stands after a Chinese comma or at an end. */
export const tidy = (sentence: string): string => sentence.replace(/([，。；：、]) +/g, "$1").trim();

/** The owner's name as it stands in a sentence: Latin letters apart from Chinese characters. */
export function named(owner: string, language: Language): string {
	const name = owner.trim() || (language === "zh" ? "主人" : "the owner");
	if (language === "en") return name;
	return `${/^[\p{Script=Latin}\p{N}]/u.test(name) ? " " : ""}${name}${/[\p{Script=Latin}\p{N}.]$/u.test(name) ? " " : ""}`;
}
