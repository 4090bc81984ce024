/**
 * Answers from the desk's memory with no key and no network (requirements.md RUN-1): quotes what the notes say and names the
 * file, or says plainly that it does not know and keeps the question for the owner. Where its owner has connected something and allows it,
 * it looks there for what the notes do not say (`knowledge/outside.ts`). It makes nothing up: a reply is fixed
 * sentences and lines of the notes, in the language of the question.
 *
 * What it may quote: any file the engine gives it (those under `people/` it gives only for that person), but never one whose
 * name begins with `_`, nor `instructions.md`: they tell an agent what to do and are not for visitors.
 */
import { LIMITS } from "../../shared/limits.js";
import type { Answerer, Ending, Piece, Turn, TurnMessage } from "../engine/ports.js";
import { type Answer, alsoUnread, answers, smallTalk, unread } from "./knowledge/compose.js";
import { find, type Group } from "./knowledge/find.js";
import { type Language, languageOf } from "./knowledge/language.js";
import { Library } from "./knowledge/library.js";
import { type SmallTalk, smallTalkOf } from "./knowledge/manners.js";
import { lookOutside } from "./knowledge/outside.js";
import type { Shelf } from "./knowledge/shelf.js";
import { type Asked, clausesOf, eachOf, questionsOf, readQuestion, type Self } from "./knowledge/talk.js";

/** A new answerer with a library of its own. `now`: milliseconds, for what asks about days. */
export function knowledge(now: () => number): Answerer {
	const library = new Library();
	return {
		name: "knowledge",
		inProcess: true,
		maySilence: false,
		async *answer(turn: Turn, signal: AbortSignal): AsyncGenerator<Piece | Ending> {
			const shelves = await library.shelves(turn.desk.handle, await turn.memory());
			if (signal.aborted) return;
			const heard = listen(turn, shelves);
			await lookOutside(turn, heard.told, heard.owner, now());
			if (signal.aborted) return;
			const { pieces, gaps } = reply(turn, heard, shelves);
			for (const text of pieces) {
				if (signal.aborted) return;
				yield { type: "text", text };
			}
			for (const question of gaps) {
				if (signal.aborted) return;
				yield { type: "gap", question };
			}
			if (!signal.aborted) yield { type: "reply", asks: false };
		},
	};
}

/** What a turn asks, with what the notes say to it. */
interface Heard {
	owner: string;
	language: Language;
	told: Answer[];
	talk: SmallTalk | null;
	/** There were no words at all. */
	unread: boolean;
}

function listen(turn: Turn, shelves: readonly Shelf[]): Heard {
	const owner = turn.desk.ownerName.trim() || turn.desk.name;
	const said = turn.history.filter((m) => m.from === "visitor").map(textOf);
	const incoming = turn.incoming.map(textOf);
	const language = languageOf(incoming.join("\n")) ?? languageOf(said.slice(-3).join("\n")) ?? turn.desk.language ?? "en";
	if (incoming.every((text) => text === "")) return { owner, language, told: [], talk: null, unread: true };
	const self: Self = { names: [turn.desk.name, turn.desk.ownerName, turn.desk.handle], about: turn.desk.about };
	let talk: SmallTalk | null = null;
	const list: Answer[] = [];
	for (const text of incoming) {
		const courtesy = smallTalkOf(text, self.names);
		talk = courtesy ?? talk;
		if (courtesy === null) for (const asked of questionsOf(text)) list.push(...answer(asked, language, said, self, shelves));
		said.push(text);
	}
	return { owner, language, told: list.slice(0, LIMITS.answersPerTurn), talk, unread: false };
}

function reply(
	turn: Turn,
	{ owner, language, told, talk, ...heard }: Heard,
	shelves: readonly Shelf[],
): { pieces: string[]; gaps: string[] } {
	if (heard.unread) return { pieces: unread(language), gaps: [] };
	// What has no words is a nod if it is an emoji, and somebody at a loss if it is "???".
	const wordless = turn.incoming.some((m) => /\p{Extended_Pictographic}/u.test(textOf(m))) ? "fine" : "self";
	const pieces = told.length > 0 ? answers(told, owner) : smallTalk(talk ?? wordless, language, owner, shelves);
	if (turn.incoming.some((m) => m.message.parts.some((part) => part.text === undefined))) pieces.push(...alsoUnread(language));
	return {
		pieces,
		gaps: told
			.filter((one) => one.outside?.keep ?? one.found.length === 0)
			// Code points: none is cut in two.
			.map((one) => [...one.question].slice(0, LIMITS.gapChars).join("")),
	};
}

/** Answers to a sentence from the prose of the notes alone if it has any, else from data too: so that data takes no answer away. */
function answer(asked: Asked, language: Language, said: readonly string[], self: Self, shelves: readonly Shelf[]): Answer[] {
	const prose = shelves.filter((shelf) => shelf.prose);
	const told = answerFrom(asked, language, said, self, prose);
	const isKnown = told.some((one) => one.found.length > 0);
	return isKnown || prose.length === shelves.length ? told : answerFrom(asked, language, said, self, shelves);
}

/** Answers to a sentence: to each question joined in it where all have one, else to the whole, else to those that have one. */
function answerFrom(asked: Asked, language: Language, said: readonly string[], self: Self, shelves: readonly Shelf[]): Answer[] {
	const clauses = clausesOf(asked.text);
	const parts =
		clauses.length > 1
			? clauses.map((text) => ({ question: text, language, found: lookUp({ ...asked, text }, language, said, self, shelves) }))
			: [];
	const known = parts.filter((part) => part.found.length > 0).length;
	if (known > 0 && known === parts.length) return parts;
	const whole = lookUp(asked, language, said, self, shelves);
	return whole.length === 0 && known > 0 ? parts : [{ question: asked.text, language, found: whole }];
}

/**
 * What answers a question: by each of the things it names, where each has an answer, else by the whole. A continuation is
 * read with what it goes on from first, anything else by itself first.
 */
function lookUp(asked: Asked, language: Language, said: readonly string[], self: Self, shelves: readonly Shelf[]): Group[] {
	const { alone, going } = readQuestion(asked, language, said, self);
	const each = eachOf(alone);
	if (each.length > 1) {
		const found = each.map((question) => find(question, shelves));
		const [first = [], ...others] = found;
		const more = others.flat().filter((group) => !first.some((other) => other.some((note) => group.includes(note))));
		if (found.every((groups) => groups.length > 0)) return [...first, ...more];
	}
	const tries = asked.follows === "goes on" ? [going, alone] : [alone, going];
	for (const question of tries) {
		const found = question ? find(question, shelves) : [];
		if (found.length > 0) return found;
	}
	return [];
}

const textOf = (m: TurnMessage): string =>
	m.message.parts
		.map((part) => part.text ?? "")
		.join("\n")
		.trim();
