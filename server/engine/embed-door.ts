/** Where a desk's chat may show, what its numbered embeds look like, and the tickets of the documents that show it (SITE-1 to 3, EMB-2; design.md, "The embed handshake"). */
import { EMBED_NUMBER } from "../../shared/embed.js";
import { LIMITS, type Limits } from "../../shared/limits.js";
import type { Desk, EmbedDoor, EngineParts, SiteAnswer } from "./engine.js";
import type { Clock, Random, Store } from "./ports.js";
import { covers, judge, type RuleOptions, readRule } from "./sites.js";
import { readTicket, TICKET_NONCE_BYTES, ticketHash, writeTicket } from "./tickets.js";

type Verdict = ReturnType<typeof judge>;

export function embedDoor(parts: {
	store: Store;
	clock: Clock;
	random: Random;
	secret: string;
	limits: Pick<Limits, "pendingSites" | "pendingSitesPerHour">;
	sites: RuleOptions;
	log: EngineParts["log"];
}): EmbedDoor {
	const { store, clock, random, secret, limits } = parts;
	const judged = async (desk: Desk, site: string): Promise<Verdict> =>
		judge(await store.read.sites(desk.row.id), site, desk.settings.allowAnySite);
	/** When a site was last looked at for a visit: the store is asked at most once a minute a desk and site, not once a page view. */
	const looked = new Map<string, number>();

	/** The verdict of the rules on a site whose page has just asked: its visit is noted. */
	async function visited(desk: Desk, site: string): Promise<Verdict> {
		const now = clock.now();
		const at = `${desk.row.id} ${site}`;
		if ((looked.get(at) ?? Number.NEGATIVE_INFINITY) + LIMITS.siteVisitMs > now) return await judged(desk, site);
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
			return (await store.write("recordVisit", visit)).verdict;
		} catch (error) {
			// Where nothing can be written (a full disk) the rules can still be read: the chat shows, only the visit is not noted.
			parts.log("warn", { err: error, site }, "a visit could not be noted");
			return await judged(desk, site);
		}
	}

	/**
	 * What is answered of a site, with the embed as it was when this was judged: it is read once. First whether guests are welcome, then
	 * whether the site is blocked, which is told that and no more, then whether the embed is there, then whether a rule covers
	 * the site. A page of our own needs none.
	 */
	async function answer(
		desk: Desk,
		site: string | null,
		number: string | undefined,
		verdictOf: (desk: Desk, site: string) => Promise<Verdict>,
	): Promise<SiteAnswer> {
		if (!desk.settings.guests) return { show: false, reason: "guests_off" };
		// Looked up anew each time: a change shows at the next page load, and a deleted one shows nothing from now on.
		const embed = number !== undefined && EMBED_NUMBER.test(number) ? await store.read.embed(desk.row.id, Number(number)) : undefined;
		const missing = number !== undefined && !embed;
		// What cannot show anywhere is noted nowhere.
		const verdict = site === null ? "allowed" : await (missing ? judged : verdictOf)(desk, site);
		if (verdict === "blocked") return { show: false, reason: "blocked" };
		if (missing) return { show: false, reason: "no_such_embed" };
		if (verdict === "unlisted") return { show: false, reason: "unlisted" };
		return { show: true, ...(embed ? { embed } : {}) };
	}

	return {
		ask: (desk, site, embed) => answer(desk, site, embed, visited),
		check: (desk, site, embed) => answer(desk, site, embed, judged),
		tryRule(text, site) {
			const reading = readRule(text, parts.sites);
			return "rule" in reading ? { rule: reading.rule, covers: covers(reading.rule, site) } : reading;
		},
		issueTicket(desk, site, embed) {
			// Our own pages speak with the rights of the chat page, whatever embed they try: presets are for other people's sites.
			const facts = { handle: desk.row.handle, site, embed: embed === undefined || site === null ? null : String(embed) };
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
