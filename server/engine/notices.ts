/**
 * Acts on notices, whichever process left them: forgets what is remembered of a desk or a credential, tells the doors who is shut out and who is
 * there again (reliability.md G-20, on every node within a second). A notice of this process is acted on before the write that left it resolves. Those of
 * others come by a hint, which may be lost, and are looked for twice a second as well; none is passed over.
 */
import type { Access } from "./access.js";
import type { Desks } from "./desks.js";
import type { Desk, EngineParts, ShutOut } from "./engine.js";
import type { Notice } from "./notices-operations.js";
import type { Clock, NoticeHint, Store } from "./ports.js";
import type { NoticeRow } from "./reads.js";

/** How often it is looked for notices of which no hint came, milliseconds: twice within the second that there is. */
const POLL_MS = 500;
/** Notices read at a time. */
const PAGE = 100;

export interface NoticesParts {
	store: Store;
	clock: Clock;
	log: EngineParts["log"];
	access: Pick<Access, "forget" | "forgetAll">;
	desks: Pick<Desks, "get" | "all" | "changed" | "forgetAll">;
	shutOut: (who: ShutOut) => void;
	presence: (desk: Desk) => void;
}

export class Notices {
	/** Number of the last that was acted on in its turn; undefined: not started. */
	private seen: number | undefined;
	/** There may be more than was read. */
	private more = false;
	private looking: Promise<void> | undefined;
	private failing = false;
	/** Desks whose presence is still to be told; null: of all. */
	private readonly owed = new Set<number | null>();
	private readonly stopHearing: () => void;
	private stopTimer: () => void = () => undefined;
	private stopped = false;

	constructor(private readonly parts: NoticesParts) {
		this.stopHearing = parts.store.onNotice((hint) => this.hear(hint));
	}

	/** Goes on from what stands in the store now. Nobody is there yet who could be shut out. */
	async start(): Promise<void> {
		const { store, access, desks } = this.parts;
		this.seen = await store.read.lastNotice();
		access.forgetAll();
		desks.forgetAll();
		if (store.shared) this.poll();
	}

	stop(): void {
		this.stopped = true;
		this.stopTimer();
		this.stopHearing();
	}

	private poll(): void {
		this.stopTimer = this.parts.clock.after(POLL_MS, () => {
			void this.look().finally(() => {
				if (!this.stopped) this.poll();
			});
		});
	}

	private hear({ id, notice }: NoticeHint): void {
		if (notice) this.act(notice);
		if (this.seen === undefined) {
			// A command of its own: nobody is there whom its presence would be told.
			this.owed.clear();
		} else if (notice && id === this.seen + 1) {
			this.seen = id;
			if (this.owed.size > 0) void this.look();
		} else if (id > this.seen) {
			this.more = true;
			void this.look();
		}
	}

	/** Reads on from what was seen, one read after another. Never rejects. */
	private look(): Promise<void> {
		this.more = true;
		this.looking ??= this.readOn();
		return this.looking;
	}

	private async readOn(): Promise<void> {
		try {
			while (this.more && !this.stopped) {
				this.more = false;
				const from = this.seen ?? 0;
				const rows = await this.parts.store.read.notices(from, PAGE);
				this.take(from, rows);
				if (rows.length === PAGE) this.more = true;
			}
			await this.tellPresence();
			this.failing = false;
		} catch (error) {
			// Said once, not twice a second while the database is away; the next look makes it good.
			if (!this.failing && !this.stopped) this.parts.log("warn", { err: error }, "Notices could not be read; they are looked for again.");
			this.failing = true;
		} finally {
			this.looking = undefined;
		}
	}

	/** Acts on a page that was read from `from` on, which stands first in it. */
	private take(from: number, rows: readonly NoticeRow[]): void {
		const [first] = rows;
		// More have come since than are kept, or the database is an older one than it was (a failover).
		const isMissing = first ? first.id > from + 1 : from > 0;
		if (isMissing) this.actOnAll();
		for (const { id, what } of rows) if (!isMissing && id > (this.seen ?? 0)) this.act(read(what));
		const last = rows.at(-1)?.id ?? 0;
		this.seen = isMissing ? last : Math.max(last, this.seen ?? 0);
	}

	/** An undefined one is of a kind that this version does not know: it may mean anything. */
	private act(notice: Notice | undefined): void {
		const { access, desks, shutOut } = this.parts;
		if (notice?.about === "desk") {
			desks.changed(notice.deskId);
			if (notice.presence) this.owed.add(notice.deskId);
		} else if (notice?.about === "access") {
			if (notice.who.principalId !== undefined) access.forget(notice.who.principalId);
			shutOut(notice.who);
		} else this.actOnAll();
	}

	/** It is not known what has changed: everything is looked at again. */
	private actOnAll(): void {
		const { access, desks, shutOut } = this.parts;
		access.forgetAll();
		desks.forgetAll();
		shutOut({ anybody: true });
		this.owed.add(null);
	}

	private async tellPresence(): Promise<void> {
		const { store, desks, presence } = this.parts;
		for (const deskId of this.owed) {
			this.owed.delete(deskId);
			try {
				const row = deskId === null ? undefined : await store.read.deskById(deskId);
				const found = deskId === null ? await desks.all() : [row && (await desks.get(row.handle))];
				for (const desk of found) if (desk) presence(desk);
			} catch (error) {
				this.owed.add(deskId);
				throw error;
			}
		}
	}
}

function read(what: string): Notice | undefined {
	try {
		return JSON.parse(what) as Notice;
	} catch {
		return undefined;
	}
}
