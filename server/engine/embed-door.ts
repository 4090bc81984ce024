/** Where a desk's chat may show, and the tickets of the documents that show it (SITE-1 to 3; design.md, "The embed handshake"). */
import { LIMITS, type Limits } from "../../shared/limits.js";
import type { Desk, EmbedDoor, EngineParts, SiteAnswer } from "./engine.js";
import type { Clock, Random, Store } from "./ports.js";
import { judge } from "./sites.js";
import { readTicket, TICKET_NONCE_BYTES, ticketHash, writeTicket } from "./tickets.js";

export function embedDoor(parts: {
	store: Store;
	clock: Clock;
	random: Random;
	secret: string;
	limits: Pick<Limits, "pendingSites" | "pendingSitesPerHour">;
	log: EngineParts["log"];
}): EmbedDoor {
	const { store, clock, random, secret, limits } = parts;
	const answerOf = (verdict: "allowed" | "blocked" | "unlisted"): SiteAnswer =>
		verdict === "allowed" ? { show: true } : { show: false, reason: verdict };
	const closed = (desk: Desk): SiteAnswer | undefined => (desk.settings.guests ? undefined : { show: false, reason: "guests_off" });
	const judged = async (desk: Desk, site: string) => judge(await store.read.sites(desk.row.id), site, desk.settings.allowAnySite);
	/** When a site was last looked at for a visit: the store is asked at most once a minute a desk and site, not once a page view. */
	const looked = new Map<string, number>();

	return {
		async ask(desk, site) {
			const shut = closed(desk);
			if (shut) return shut;
			const now = clock.now();
			const at = `${desk.row.id} ${site}`;
			if ((looked.get(at) ?? Number.NEGATIVE_INFINITY) + LIMITS.siteVisitMs > now) return answerOf(await judged(desk, site));
			if (looked.size > 10_000) looked.clear();
			looked.set(at, now);
			const visit = {
				deskId: desk.row.id,
				site,
				allowAnySite: desk.settings.allowAnySite,
				pendingSites: limits.pendingSites,
				pendingSitesPerHour: limits.pendingSitesPerHour,
				now,
			};
			try {
				return answerOf((await store.write("recordVisit", visit)).verdict);
			} catch (error) {
				// Where nothing can be written (a full disk) the rules can still be read: the chat shows, only the visit is not noted.
				parts.log("warn", { err: error, site }, "a visit could not be noted");
				return answerOf(await judged(desk, site));
			}
		},
		async check(desk, site) {
			return closed(desk) ?? answerOf(await judged(desk, site));
		},
		issueTicket: (desk, site) =>
			writeTicket(secret, { handle: desk.row.handle, site, embed: null }, clock.now(), random.bytes(TICKET_NONCE_BYTES)),
		readTicket: (desk, ticket) => readTicket(secret, ticket, desk.row.handle, clock.now())?.provenance,
		async redeemTicket(desk, ticket, principal) {
			const read = readTicket(secret, ticket, desk.row.handle, clock.now());
			if (!read) return false;
			const { redeemed } = await store.write("redeemTicket", {
				hash: ticketHash(ticket),
				principalId: principal.id,
				expiresAt: read.expiresAt,
				now: clock.now(),
			});
			return redeemed;
		},
	};
}
