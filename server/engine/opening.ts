/** Watches the hours of desks: when those of one begin or end, it says so, once. Nobody else has to look at the clock. */
import { type Desks, presenceOf } from "./desks.js";
import type { Desk, EngineParts } from "./engine.js";
import { wrongHours } from "./hours.js";
import type { Clock, Store } from "./ports.js";
import type { DeskRow } from "./rows.js";
import { settingsOf } from "./settings.js";

/** How often it looks, milliseconds: as late as that a visitor hears of it. */
const EVERY_MS = 15_000;

export interface OpeningParts {
	store: Store;
	clock: Clock;
	log: EngineParts["log"];
	desks: Desks;
	presence: (desk: Desk) => void;
}

export class Opening {
	private readonly last = new Map<string, boolean>();
	/** Hours that cannot be read, by the desk whose they are: said once. */
	private readonly unreadable = new Map<string, string>();
	private stopTimer: (() => void) | undefined;
	private stopped = false;

	constructor(private readonly parts: OpeningParts) {}

	start(): void {
		if (this.stopped) return;
		this.stopTimer = this.parts.clock.after(EVERY_MS, () => {
			// A store that does not answer now is asked again.
			void this.look()
				.catch((error: unknown) =>
					this.parts.log("warn", { err: error }, "the hours of desks could not be looked at; they are looked at again"),
				)
				.finally(() => this.start());
		});
	}

	stop(): void {
		this.stopped = true;
		this.stopTimer?.();
	}

	private async look(): Promise<void> {
		const { store, log } = this.parts;
		for (const row of await store.read.desks()) {
			// One desk keeps no other from being looked at.
			await this.lookAt(row).catch((error: unknown) =>
				log("error", { err: error, desk: row.handle }, "the hours of a desk could not be looked at"),
			);
		}
	}

	private async lookAt(row: DeskRow): Promise<void> {
		const { clock, desks, presence } = this.parts;
		const settings = settingsOf(row.settings);
		this.complain(row.handle, settings.hours);
		if (settings.hours === "") {
			this.last.delete(row.handle);
			return;
		}
		const { online } = presenceOf(settings, clock.now());
		const before = this.last.get(row.handle);
		this.last.set(row.handle, online);
		if (before === undefined || before === online) return;
		desks.forget(row.handle);
		const desk = await desks.get(row.handle);
		if (desk) presence(desk);
	}

	/** Hours that were saved where another zone was known leave their desk away: whoever runs the server is told. */
	private complain(handle: string, hours: string): void {
		const wrong = wrongHours(hours);
		if (wrong === undefined) this.unreadable.delete(handle);
		else if (this.unreadable.get(handle) !== hours) {
			this.unreadable.set(handle, hours);
			this.parts.log("error", { desk: handle }, `A desk counts as away, since its hours cannot be read. ${wrong}`);
		}
	}
}
