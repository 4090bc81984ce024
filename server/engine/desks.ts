/** Desks as they are now, kept in memory until they change: every request asks for one. */
import type { DeskFace } from "../../shared/channel.js";
import type { Desk } from "./engine.js";
import { opensAt } from "./hours.js";
import type { Clock, Store } from "./ports.js";
import type { DeskRow } from "./rows.js";
import { type DeskSettings, isThere, settingsOf } from "./settings.js";

/** What is remembered is looked at again after this, whoever changed it how: a hand in the database leaves no notice. */
const FRESH_MS = 5_000;
/** Handles that strangers make up are remembered as well, so that they cost no read each; at most so many. */
const REMEMBER_MAX = 5_000;

interface Known {
	desk: Promise<Desk | undefined>;
	/** Absent while it is being read, and where there is none. */
	deskId?: number;
	until: number;
}

export class Desks {
	private readonly known = new Map<string, Known>();
	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly brand: string,
	) {}

	get(handle: string): Promise<Desk | undefined> {
		const now = this.clock.now();
		const known = this.known.get(handle);
		if (known && known.until > now) return known.desk;
		const desk = this.store.read.deskByHandle(handle).then((row) => row && this.deskOf(row, known));
		if (this.known.size >= REMEMBER_MAX) this.known.clear();
		const next: Known = { desk, until: now + FRESH_MS };
		this.known.set(handle, next);
		desk.then(
			(found) => {
				if (found) next.deskId = found.row.id;
			},
			() => this.known.get(handle) === next && this.known.delete(handle),
		);
		return desk;
	}

	/** The same object while nothing has changed: what doors keep for a desk (its card's bytes) stays good. */
	private async deskOf(row: DeskRow, before: { desk: Promise<Desk | undefined> } | undefined): Promise<Desk> {
		const old = await before?.desk.catch(() => undefined);
		const settings = settingsOf(row.settings);
		const here = presenceOf(settings, this.clock.now());
		const isSame = old && old.face.online === here.online && old.face.opensAt === here.opensAt;
		if (isSame && JSON.stringify(old.row) === JSON.stringify(row)) return old;
		return { row, settings, face: faceOf(row, settings, here, this.brand) };
	}

	async all(): Promise<Desk[]> {
		const rows = await this.store.read.desks();
		const desks = await Promise.all(rows.map((row) => this.get(row.handle)));
		return desks.filter((d) => d !== undefined);
	}

	forget(handle: string): void {
		this.known.delete(handle);
	}

	/** A desk's row is another one now. Null: one is new, so that handles at which nobody was are looked at again. */
	changed(deskId: number | null): void {
		for (const [handle, known] of this.known) if (known.deskId === undefined || known.deskId === deskId) this.known.delete(handle);
	}

	forgetAll(): void {
		this.known.clear();
	}
}

/** Whether somebody is there, and when somebody will be, where the owner's hours say it. */
export function presenceOf(settings: DeskSettings, now: number): Pick<DeskFace, "online" | "opensAt"> {
	if (isThere(settings, now)) return { online: true };
	const opens = settings.builtInAnswerer ? opensAt(settings.hours, now) : undefined;
	return opens === undefined ? { online: false } : { online: false, opensAt: opens };
}

const faceOf = (row: DeskRow, settings: DeskSettings, here: Pick<DeskFace, "online" | "opensAt">, brand: string): DeskFace => ({
	handle: row.handle,
	name: row.name,
	...(row.about === "" ? {} : { about: row.about }),
	face: `/@${row.handle}/face.svg`,
	...here,
	...(settings.parts === "all" ? { pictures: true } : {}),
	suggestions: JSON.parse(row.suggestions) as string[],
	ownerName: row.ownerName,
	brand,
});
