/**
 * Keeps the shelves of desks that are being asked, so that a turn does not read the whole memory anew. A shelf serves as long
 * as the files are letter for letter the same; the least used go when there are too many characters. Files of `people/`
 * have a shelf of their own, so that one visitor's notes do not cost a copy of everybody's; so have data and code.
 */
import { LIMITS } from "../../../shared/limits.js";
import type { MemoryFile } from "../../engine/ports.js";
import { isProse } from "./prose.js";
import { Shelf } from "./shelf.js";

interface Kept {
	files: readonly MemoryFile[];
	chars: number;
	shelf: Promise<Shelf>;
}

export class Library {
	private readonly kept = new Map<string, Kept>();
	private chars = 0;

	/** `keptChars`: kept over all desks; each costs some 60 bytes. One desk's memory is kept whatever its size. */
	constructor(private readonly keptChars: number = LIMITS.knowledgeChars) {}

	/** The shelves for these files of a desk: what everybody may read, prose then data, and so what is for one person. Empty ones are left out. */
	async shelves(desk: string, files: readonly MemoryFile[]): Promise<Shelf[]> {
		const personal = files.filter((file) => file.path.startsWith("people/"));
		const common = personal.length === 0 ? files : files.filter((file) => !file.path.startsWith("people/"));
		const shelves: Promise<Shelf>[] = [];
		for (const [name, all] of [["", common] as const, [personal.map((file) => `\n${file.path}`).join(""), personal] as const]) {
			const data = all.filter((file) => !isProse(file));
			const prose = data.length === 0 ? all : all.filter((file) => !data.includes(file));
			if (prose.length > 0) shelves.push(this.shelf(desk + name, prose, true));
			if (data.length > 0) shelves.push(this.shelf(`${desk}${name}\ndata`, data, false));
		}
		return (await Promise.all(shelves)).filter((shelf) => shelf.notes.length > 0);
	}

	private shelf(key: string, files: readonly MemoryFile[], prose: boolean): Promise<Shelf> {
		const before = this.kept.get(key);
		if (before) this.drop(key, before);
		const kept =
			before && same(before.files, files)
				? before
				: { files, chars: files.reduce((sum, file) => sum + file.text.length, 0), shelf: Shelf.build(files, prose) };
		kept.shelf.catch(() => {
			if (this.kept.get(key) === kept) this.drop(key, kept);
		});
		this.kept.set(key, kept);
		this.chars += kept.chars;
		for (const [oldest, one] of this.kept) {
			if (this.chars <= this.keptChars || one === kept) break;
			this.drop(oldest, one);
		}
		return kept.shelf;
	}

	private drop(key: string, kept: Kept): void {
		this.kept.delete(key);
		this.chars -= kept.chars;
	}
}

const same = (a: readonly MemoryFile[], b: readonly MemoryFile[]): boolean =>
	a === b || (a.length === b.length && a.every((file, i) => file.path === b[i]?.path && file.text === b[i]?.text));
