/** Where somebody speaks from, and what follows from it: kept on the server with everything that it causes (PRE-2). */
import type { Channel, Provenance } from "./ports.js";

/** Through these doors a person speaks, through all others an agent: a socket whose Hello bears a ticket, or the chat page's. */
export const isPerson = (channel: Channel): boolean => channel === "embed" || channel === "page";

/** Where the conversation was begun. */
export const provenanceOf = (c: { channel: Channel; site: string | null; embed: string | null }): Provenance => ({
	channel: c.channel,
	...(c.site === null ? {} : { site: c.site }),
	...(c.embed === null ? {} : { embed: c.embed }),
});
