/** Numbered embeds as their owner asks for them (EMB-2). */
import type { Desk, OwnerDoor } from "./engine.js";
import type { Clock, Store } from "./ports.js";

export function embedsOwner(parts: {
	store: Store;
	clock: Clock;
	/** Throws `not_found` naming the desks there are. */
	deskAt: (handle: string) => Promise<Desk>;
}): Pick<OwnerDoor, "embeds" | "saveEmbed" | "deleteEmbed"> {
	const { store, clock, deskAt } = parts;
	return {
		async embeds(handle) {
			return await store.read.embeds((await deskAt(handle)).row.id);
		},
		async saveEmbed(handle, change, number) {
			const deskId = (await deskAt(handle)).row.id;
			return await store.write("saveEmbed", { deskId, ...(number === undefined ? {} : { number }), change, now: clock.now() });
		},
		async deleteEmbed(handle, number) {
			const deskId = (await deskAt(handle)).row.id;
			await store.write("deleteEmbed", { deskId, number, now: clock.now() });
		},
	};
}
