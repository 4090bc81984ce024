/** Watches the hours of desks: when those of one begin or end, it says so, once. Nobody else has to look at the clock. */
import { type Desks, presenceOf } from "./desks.js";
import type { Desk } from "./engine.js";
import type { Clock, Store } from "./ports.js";
import { settingsOf } from "./settings.js";

/** How often it looks, milliseconds: as late as that a visitor hears of it. */
const EVERY_MS = 15_000;

export class Opening {
	private readonly last = new Map<string, boolean>();
	private stopTimer: (() => void) | undefined;
	private stopped = false;

	constructor(private readonly parts: { store: Store; clock: Clock; desks: Desks; presence: (desk: Desk) => void }) {}

	start(): void {
		if (this.stopped) return;
		this.stopTimer = this.parts.clock.after(EVERY_MS, () => {
			// A store that does not answer now is asked again.
			void this.look()
				.catch(() => undefined)
				.finally(() => this.start());
		});
	}

	stop(): void {
		this.stopped = true;
		this.stopTimer?.();
	}

	private async look(): Promise<void> {
		const { store, clock, desks, presence } = this.parts;
		for (const row of await store.read.desks()) {
			const settings = settingsOf(row.settings);
			if (settings.hours === "") {
				this.last.delete(row.handle);
				continue;
			}
			const { online } = presenceOf(settings, clock.now());
			const before = this.last.get(row.handle);
			this.last.set(row.handle, online);
			if (before === undefined || before === online) continue;
			desks.forget(row.handle);
			const desk = await desks.get(row.handle);
			if (desk) presence(desk);
		}
	}
}
