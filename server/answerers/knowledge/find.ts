/**
 * Finds the notes that answer a question, or none: a passage that only shares a few words with a question is no answer to
 * it. The index names candidates, `score.ts` judges them, and what answers equally well is quoted together.
 */
import { GENERAL, type Question, type Scored, score, weigh, worthSearching } from "./score.js";
import type { Note, Shelf } from "./shelf.js";
import type { Term } from "./words.js";

/** Passages of one section, in the file's order; never empty. */
export type Group = Note[];

/** Passages looked at closely, a shelf. */
const CANDIDATES = 150;
/** Passages as near as this to the best answer as well as it does. */
const TIE = 0.015;
const QUOTE_CHARS = 900;
const QUOTE_GROUPS = 2;

/** @returns the passages that answer, best first; empty where the notes do not say. */
export function find(question: Question, shelves: readonly Shelf[]): Group[] {
	const { terms, needs, earlier } = question;
	// A question of general words only ("What should I bring?") asks for a subject, if there is one of just that name.
	const named = needs.length === 0 && earlier.length === 0 && terms.every((term) => term.factor <= GENERAL);
	const weighed = weigh(named ? { ...question, terms: terms.map((term) => ({ ...term, factor: 1 })) } : question, shelves);
	const weights = worthSearching(weighed);
	const scored: Scored[] = [];
	for (const shelf of shelves) {
		for (const { note, share } of shelf.search(weights, CANDIDATES)) {
			const one = score(question, weighed, note, share, named);
			if (one) scored.push(one);
		}
	}
	scored.sort((a, b) => b.rank - a.rank);
	const solid = weighed.filter((w) => w.term.factor > GENERAL && !w.earlier);
	const only = solid.length === 1 && needs.length === 0 && earlier.length === 0 ? solid[0] : undefined;
	return (only && overview(scored, only.term)) ?? nearest(scored);
}

/** For a question that names a subject and asks nothing about it ("Workshops?"): its notes from their beginning. */
function overview(scored: readonly Scored[], term: Term): Group[] | null {
	const best = scored[0]?.note;
	if (!best || !term.keys.some((key) => best.place.title.has(key))) return null;
	const { path, headings } = best.passage;
	const under = scored.map((s) => s.note).filter((note) => note.passage.path === path && note.passage.headings[0] === headings[0]);
	const groups: Group[] = [];
	for (const note of inOrder(fitting(inOrder(under)))) {
		const last = groups.at(-1);
		if (last?.[0]?.passage.section === note.passage.section) last.push(note);
		else groups.push([note]);
	}
	return groups;
}

/** The best passage with its equals of the same section; then the equals of another section. */
function nearest(scored: readonly Scored[]): Group[] {
	const least = (scored[0]?.rank ?? 0) - TIE;
	const groups: Group[] = [];
	const taken = new Set<Scored>();
	for (const first of scored) {
		if (first.rank < least || groups.length === QUOTE_GROUPS) break;
		if (taken.has(first)) continue;
		const { path, section } = first.note.passage;
		const same = scored.filter((s) => s.rank >= least && s.note.passage.path === path && s.note.passage.section === section);
		// Where the question singles out no item of a list, the whole list answers it.
		const lists = same.filter((s) => s.note.passage.kind !== "paragraph");
		same.push(...scored.filter((s) => !same.includes(s) && lists.some((l) => isSibling(l.note, s.note) && s.exact >= l.exact - 0.001)));
		for (const s of same) taken.add(s);
		groups.push(inOrder(fitting(same.map((s) => s.note))));
	}
	return groups;
}

const isSibling = (a: Note, b: Note): boolean => a.passage.path === b.passage.path && a.passage.block === b.passage.block;

const inOrder = (notes: readonly Note[]): Note[] => [...notes].sort((a, b) => a.order - b.order);

/** As many from the first on as may be quoted at once, at least one. */
function fitting(notes: readonly Note[]): Note[] {
	let chars = 0;
	return notes.filter((note, i) => {
		chars += note.passage.lines.join("\n").length;
		return i === 0 || chars <= QUOTE_CHARS;
	});
}
