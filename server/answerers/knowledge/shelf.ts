/**
 * A set of notes made ready for searching: their passages with the keys they contain, how rare each key is, and a BM25
 * index that gives the few passages worth a closer look. Built in slices of a few milliseconds, so that a large memory does
 * not hold up everybody else; never changed once built.
 */
import MiniSearch from "minisearch";
import type { MemoryFile } from "../../engine/ports.js";
import { type Language, languageOf } from "./language.js";
import { denies, factsOf, type Need, namesPlace } from "./needs.js";
import { type Passage, passagesOf, plain } from "./passages.js";
import { keysOf, normalise, termsOf } from "./words.js";

/** A passage and what it can be found by. */
export interface Note {
	passage: Passage;
	/** Its place among all notes of the shelf. */
	order: number;
	/** Keys of its own words. */
	own: Keys;
	/** Keys of the words it begins with: what it is about, more likely than what it mentions. */
	opening: Keys;
	facts: readonly Need[];
	/** It says that something is not done. */
	denies: boolean;
	/** null: figures and names, the same in both. */
	language: Language | null;
	/** What stands over it. */
	place: Place;
	/** What its own label ("Email: …") would ask for as a question: keys a word. */
	label: readonly (readonly string[])[];
}

/** What passages under the same headings share. */
export interface Place {
	/** Keys of the headings, the line before the list, the head of the table, the file's name. */
	context: Keys;
	/** Keys of the outermost heading alone, and of the nearest. */
	title: Keys;
	heading: Keys;
	/** What the nearest heading would ask for as a question: keys a word. */
	subject: readonly (readonly string[])[];
	/** The nearest heading is a question that the passage answers. */
	isAnswer: boolean;
}

/** A set of keys in little room: a shelf's keys are numbered, and a passage keeps its numbers in order. */
export class Keys {
	private readonly numbers: Uint32Array;

	constructor(
		private readonly numbering: Map<string, number>,
		keys: Iterable<string>,
	) {
		const numbers = new Set<number>();
		for (const key of keys) {
			let number = numbering.get(key);
			if (number === undefined) {
				number = numbering.size;
				numbering.set(key, number);
			}
			numbers.add(number);
		}
		this.numbers = Uint32Array.from(numbers).sort();
	}

	has(key: string): boolean {
		const number = this.numbering.get(key);
		if (number === undefined) return false;
		let low = 0;
		let high = this.numbers.length - 1;
		while (low <= high) {
			const middle = (low + high) >> 1;
			const at = this.numbers[middle] as number;
			if (at === number) return true;
			if (at < number) low = middle + 1;
			else high = middle - 1;
		}
		return false;
	}
}

/** Characters of notes read in one go, some milliseconds of work; then everybody else has a turn. */
const SLICE_CHARS = 2_000;
const OPENING = /^[^\p{L}\p{N}]*(?:\p{Script=Han}{1,8}|(?:[^\s\p{Script=Han}]+\s*){1,4})/u;
const CHINESE = /\p{Script=Han}/u;

export class Shelf {
	readonly notes: Note[] = [];
	/** Keys that stand in a heading: what these notes treat by itself. */
	readonly topics = new Set<string>();
	private readonly frequency = new Map<string, number>();
	private readonly numbering = new Map<string, number>();
	private readonly index = new MiniSearch<{ id: number; keys: string }>({
		fields: ["keys"],
		tokenize: (text) => text.split(" "),
		processTerm: (term) => term,
		searchOptions: { combineWith: "OR" },
	});
	/** What stands over the passage added last, and the keys of it all. */
	private over = { of: "", place: null as Place | null, keys: [] as string[] };

	private constructor(
		/** What people write to be read; else data and code. */
		readonly prose: boolean,
	) {}

	static async build(files: readonly MemoryFile[], prose = true): Promise<Shelf> {
		const shelf = new Shelf(prose);
		let chars = 0;
		for (const file of files) {
			for (const passage of passagesOf(file)) {
				if (chars >= SLICE_CHARS) {
					await new Promise((resume) => setImmediate(resume));
					chars = 0;
				}
				shelf.add(passage);
				for (const line of passage.lines) chars += line.length;
			}
		}
		return shelf;
	}

	private add(passage: Passage): void {
		const text = passage.lines.map(plain).join("\n");
		const { place, keys } = this.placeOf(passage);
		const own = keysOf(normalise(text));
		const facts = factsOf(text);
		// An amount of money is a price, a measure a size, degrees a temperature and an address a place, whether or not the word stands there.
		if (facts.includes("price")) own.push("#price");
		if (facts.includes("size")) own.push("#size");
		if (/\d\s?(?:°|degrees|度)/i.test(text)) own.push("#temperature");
		if (namesPlace(text)) own.push("#place");
		const label = /^(?:[-*+•]|\d{1,3}[.)、])?\s*([^:：\n]{1,40})[:：]/.exec(text)?.[1] ?? "";
		const all = new Set([...own, ...keys]);
		for (const key of all) this.frequency.set(key, (this.frequency.get(key) ?? 0) + 1);
		this.index.add({ id: this.notes.length, keys: [...all].join(" ") });
		this.notes.push({
			passage,
			order: this.notes.length,
			own: new Keys(this.numbering, own),
			opening: new Keys(this.numbering, keysOf(normalise(OPENING.exec(text)?.[0] ?? ""))),
			facts,
			denies: denies(text),
			language: languageOf(text),
			place,
			label: wordsOf(normalise(label)),
		});
	}

	private placeOf(passage: Passage): { place: Place; keys: string[] } {
		const name = (passage.path.split("/").at(-1) as string).replace(/\.\w+$/, "");
		const around = normalise([...passage.headings, ...passage.lead.map(plain), name].join("\n"));
		if (this.over.place === null || this.over.of !== around) {
			const nearest = normalise(passage.headings.at(-1) ?? "");
			const keys = keysOf(around);
			for (const heading of passage.headings) for (const key of keysOf(normalise(heading))) if (key.length > 1) this.topics.add(key);
			this.over = {
				of: around,
				keys,
				place: {
					context: new Keys(this.numbering, keys),
					title: new Keys(this.numbering, keysOf(normalise(passage.headings[0] ?? ""))),
					heading: new Keys(this.numbering, keysOf(nearest)),
					subject: wordsOf(nearest),
					isAnswer: nearest.endsWith("?"),
				},
			};
		}
		return { place: this.over.place as Place, keys: this.over.keys };
	}

	/** How many passages contain a key; for a longer Chinese word those that contain its rarest pair. */
	count(key: string): number {
		if (key.length > 2 && CHINESE.test(key)) return Math.min(...pairs(key).map((pair) => this.frequency.get(pair) ?? 0));
		return this.frequency.get(key) ?? 0;
	}

	/** The passages that share most with these keys, best first, with a measure between 0 and 1. `weights` has one for each key. */
	search(weights: ReadonlyMap<string, number>, limit: number): { note: Note; share: number }[] {
		const boosts = new Map<string, number>();
		for (const [key, weight] of weights)
			for (const part of key.length > 2 && CHINESE.test(key) ? pairs(key) : [key]) boosts.set(part, weight);
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
		if (word.length < 6 || word.length > 30 || CHINESE.test(word)) return undefined;
		const spelt = this.index.autoSuggest(word, { fuzzy: 1, prefix: false });
		const near = spelt.find((s) => s.suggestion[0] === word[0])?.suggestion;
		if (near !== undefined) return near;
		const begun = this.index.autoSuggest(word.slice(0, 6), { fuzzy: false, prefix: true });
		return begun.map((s) => s.suggestion).find((known) => sharedBeginning(word, known) >= 0.75 * Math.max(word.length, known.length));
	}
}

function sharedBeginning(a: string, b: string): number {
	let n = 0;
	while (n < a.length && a[n] === b[n]) n++;
	return n;
}

const wordsOf = (subject: string): string[][] => termsOf(subject).map((term) => term.keys);

const pairs = (word: string): string[] => Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2));

/**
 * How much of a key is in a set: all of it; for longer Chinese words the share of pairs when it is most of them; half for a
 * single character that stands there within another word only.
 */
export function contains(keys: Keys, key: string): number {
	if (keys.has(key)) return key.length === 1 && CHINESE.test(key) && !keys.has(`=${key}`) ? 0.5 : 1;
	if (key.length <= 2 || !CHINESE.test(key)) return 0;
	const all = pairs(key);
	const share = all.filter((pair) => keys.has(pair)).length / all.length;
	return share === 1 ? 1 : share >= 0.5 ? share * 0.6 : 0;
}
