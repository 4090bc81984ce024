/** Where a desk's chat may show, what its numbered embeds look like, and the tickets of the documents that show it (SITE-1 to 3, EMB-2; design.md, "The embed handshake"). */
import { LIMITS, type Limits } from "../../shared/limits.js";
import type { Desk, EmbedDoor, EngineParts, SiteAnswer } from "./engine.js";
import type { Clock, Random, Store } from "./ports.js";
import { judge } from "./sites.js";
import { readTicket, TICKET_NONCE_BYTES, ticketHash, writeTicket } from "./tickets.js";

/** A number as the tag bears it: in its one spelling, and no larger than a column holds. */
const EMBED_NUMBER = /^[1-9][0-9]{0,8}$/;

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
	const noSuchEmbed: SiteAnswer = { show: false, reason: "no_such_embed" };
	/** Looked up anew each time: a change shows at the next page load, and a deleted one shows nothing from now on. */
	const find = async (desk: Desk, embed: string) =>
		EMBED_NUMBER.test(embed) ? await store.read.embed(desk.row.id, Number(embed)) : undefined;
	const closed = (desk: Desk): SiteAnswer | undefined => (desk.settings.guests ? undefined : { show: false, reason: "guests_off" });
	const judged = async (desk: Desk, site: string) => judge(await store.read.sites(desk.row.id), site, desk.settings.allowAnySite);
	/** When a site was last looked at for a visit: the store is asked at most once a minute a desk and site, not once a page view. */
	const looked = new Map<string, number>();

	return {
		find,
		async ask(desk, site, embed) {
			const shut = closed(desk);
			if (shut) return shut;
			// What cannot show anywhere is noted nowhere. A blocked site is told that and no more.
			if (embed !== undefined && !(await find(desk, embed)))
				return (await judged(desk, site)) === "blocked" ? answerOf("blocked") : noSuchEmbed;
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
		async check(desk, site, embed) {
			const shut = closed(desk);
			if (shut) return shut;
			const verdict = await judged(desk, site);
			return verdict !== "blocked" && embed !== undefined && !(await find(desk, embed)) ? noSuchEmbed : answerOf(verdict);
		},
		issueTicket(desk, site, embed) {
			const facts = { handle: desk.row.handle, site, embed: embed === undefined ? null : String(embed) };
			return writeTicket(secret, facts, clock.now(), random.bytes(TICKET_NONCE_BYTES));
		},
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
