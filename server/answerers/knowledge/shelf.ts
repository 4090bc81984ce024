/**
 * A set of notes made ready for searching: their passages with the keys they contain, how rare each key is, and a BM25
 * index that gives the few passages worth a closer look. Built in slices of a few milliseconds, so that a large memory does
 * not hold up everybody else; never changed once built.
 */
import MiniSearch from "minisearch";
import type { MemoryFile } from "../../engine/ports.js";
import { type Language, languageOf } from "./language.js";
import { factsOf, namesPlace, type Need } from "./needs.js";
import { type Passage, passagesOf, plain } from "./passages.js";
import { keysOf, normalise, termsOf } from "./words.js";

/** A passage and what it can be found by. */
export interface Note {
	passage: Passage;
	/** Its place among all notes of the shelf. */
	order: number;
	/** Keys of its own words. */
	own: ReadonlySet<string>;
	/** Keys of the headings over it, the line before its list, the head of its table, the file's name. */
	context: ReadonlySet<string>;
	/** Keys of the outermost heading alone, and of the nearest. */
	title: ReadonlySet<string>;
	heading: ReadonlySet<string>;
	/** What the nearest heading, and the passage's own label ("Email: …"), would ask for as questions: a list of keys a word. */
	subjects: readonly (readonly (readonly string[])[])[];
	/** The nearest heading is a question that the passage answers. */
	isAnswer: boolean;
	facts: readonly Need[];
	/** null: figures and names, the same in both. */
	language: Language | null;
}

/** How long building may hold the event loop at a time, milliseconds. */
const SLICE_MS = 8;
const CHINESE = /\p{Script=Han}/u;

export class Shelf {
	readonly notes: Note[] = [];
	/** Keys that stand in a heading: what these notes treat by itself. */
	readonly topics = new Set<string>();
	private readonly frequency = new Map<string, number>();
	private readonly index = new MiniSearch<{ id: number; own: string; context: string }>({
		fields: ["own", "context"],
		tokenize: (text) => text.split(" "),
		processTerm: (term) => term,
		searchOptions: { combineWith: "OR", boost: { own: 1.5 } },
	});

	private constructor() {}

	static async build(files: readonly MemoryFile[]): Promise<Shelf> {
		const shelf = new Shelf();
		let began = performance.now();
		for (const file of files) {
			for (const passage of passagesOf(file)) {
				shelf.add(passage);
				if (performance.now() - began < SLICE_MS) continue;
				await new Promise((resume) => setImmediate(resume));
				began = performance.now();
			}
		}
		return shelf;
	}

	private add(passage: Passage): void {
		const text = passage.lines.map(plain).join("\n");
		const nearest = normalise(passage.headings.at(-1) ?? "");
		const title = new Set(keysOf(normalise(passage.headings[0] ?? "")));
		const heading = new Set(keysOf(nearest));
		const label = /^(?:[-*+•]|\d{1,3}[.)、])?\s*([^:：\n]{1,40})[:：]/.exec(text)?.[1] ?? "";
		const subjects = [nearest, normalise(label)].map((subject) => termsOf(subject).map((term) => term.keys));
		const name = (passage.path.split("/").at(-1) as string).replace(/\.\w+$/, "");
		const around = normalise([...passage.headings, ...passage.lead.map(plain), name].join("\n"));
		const own = keysOf(normalise(text));
		const context = keysOf(around);
		const facts = factsOf(text);
		// An amount of money is a price, whether or not the word stands there.
		if (facts.includes("price")) own.push("#price");
		if (namesPlace(text)) own.push("#place");
		const note: Note = { passage, order: this.notes.length, own: new Set(own), context: new Set(context), title, heading, subjects, isAnswer: nearest.endsWith("?"), facts, language: languageOf(text) };
		for (const key of new Set([...own, ...context])) this.frequency.set(key, (this.frequency.get(key) ?? 0) + 1);
		for (const over of passage.headings) for (const key of keysOf(normalise(over))) if (key.length > 1) this.topics.add(key);
		this.index.add({ id: this.notes.length, own: own.join(" "), context: [...note.context].join(" ") });
		this.notes.push(note);
	}

	/** How many passages contain a key; for a longer Chinese word those that contain its rarest pair. */
	count(key: string): number {
		if (key.length > 2 && CHINESE.test(key)) return Math.min(...pairs(key).map((pair) => this.frequency.get(pair) ?? 0));
		return this.frequency.get(key) ?? 0;
	}

	/** The passages that share most with these keys, best first, with a measure between 0 and 1. `weights` has one for each key. */
	search(weights: ReadonlyMap<string, number>, limit: number): { note: Note; share: number }[] {
		const boosts = new Map<string, number>();
		for (const [key, weight] of weights) for (const part of key.length > 2 && CHINESE.test(key) ? pairs(key) : [key]) boosts.set(part, weight);
		if (boosts.size === 0) return [];
		const found = this.index.search([...boosts.keys()].join(" "), { boostTerm: (term) => boosts.get(term) ?? 1 }).slice(0, limit);
		const best = found[0]?.score ?? 1;
		return found.map((one) => ({ note: this.notes[one.id as number] as Note, share: one.score / best }));
	}

	/**
	 * A word of these notes that an unknown one may stand for: one letter apart, or another ending of the same beginning.
	 * Only for words long enough that chance does not make them alike.
	 */
	alike(word: string): string | undefined {
		if (word.length < 5 || CHINESE.test(word)) return undefined;
		const spelt = this.index.autoSuggest(word, { fuzzy: 1, prefix: false, boost: { own: 1 } });
		const near = spelt.find((s) => s.suggestion[0] === word[0] && !s.suggestion.startsWith("#"))?.suggestion;
		if (near !== undefined) return near;
		if (word.length < 7) return undefined;
		const root = word.slice(0, Math.max(6, word.length - 4));
		return this.index.autoSuggest(root, { prefix: true, fuzzy: false }).find((s) => Math.abs(s.suggestion.length - word.length) <= 4)?.suggestion;
	}
}

const pairs = (word: string): string[] => Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2));

/** How much of a key is in a set: all of it, or for longer Chinese words the share of pairs when it is most of them. */
export function contains(keys: ReadonlySet<string>, key: string): number {
	if (keys.has(key)) return 1;
	if (key.length <= 2 || !CHINESE.test(key)) return 0;
	const all = pairs(key);
	const share = all.filter((pair) => keys.has(pair)).length / all.length;
	return share === 1 ? 1 : share >= 0.5 ? share * 0.6 : 0;
}

