/**
 * Tickets of framed documents and chat pages: what lets a socket speak for a person, and from which site. A ticket is a
 * note that the server wrote to itself, so it is not stored until it is redeemed; it holds no secret of anybody and gives
 * no more than a guest's rights. Its text is a retry key of its redemption: one ticket, one text, whatever base64 forgives.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "../../shared/limits.js";
import type { Provenance } from "./ports.js";

const PREFIX = "eolt_";
/** Random bytes of a ticket: two documents made at one moment are two tickets. */
export const TICKET_NONCE_BYTES = 12;
/** A ticket is about 150 characters, more with a long site; nothing longer is worth a hash. */
const MAX_CHARS = 1_024;

export interface TicketFacts {
	handle: string;
	/** The one origin that may frame the document; null for the chat page and our own pages. */
	site: string | null;
	/** Number of the embed, where there is one. */
	embed: string | null;
}

export interface ReadTicket {
	provenance: Provenance;
	expiresAt: number;
}

const seal = (secret: string | Uint8Array, text: string): string =>
	createHmac("sha256", secret).update(PREFIX).update(text).digest("base64url");

/** Writes a ticket. `secret` is the installation's, `nonce` TICKET_NONCE_BYTES random bytes, `now` milliseconds. */
export function writeTicket(secret: string | Uint8Array, facts: TicketFacts, now: number, nonce: Uint8Array): string {
	const note = JSON.stringify([facts.handle, facts.embed, facts.site, now + LIMITS.ticketMs, Buffer.from(nonce).toString("base64url")]);
	const text = Buffer.from(note).toString("base64url");
	return `${PREFIX}${text}.${seal(secret, text)}`;
}

/**
 * Reads a ticket for one desk: undefined where it is not ours, not whole, for another desk, or expired. The seal is
 * compared as text and not as bytes: base64 has several spellings of the same bytes, and each would be redeemed anew.
 */
export function readTicket(secret: string | Uint8Array, ticket: string, handle: string, now: number): ReadTicket | undefined {
	if (ticket.length > MAX_CHARS || !ticket.startsWith(PREFIX)) return undefined;
	const dot = ticket.indexOf(".");
	const text = ticket.slice(PREFIX.length, dot);
	const given = Buffer.from(ticket.slice(dot + 1));
	const expected = Buffer.from(seal(secret, text));
	if (dot < 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
	const [named, embed, site, expiresAt] = JSON.parse(Buffer.from(text, "base64url").toString()) as [
		string,
		string | null,
		string | null,
		number,
	];
	if (named !== handle || expiresAt <= now) return undefined;
	if (site === null) return { provenance: { channel: "page" }, expiresAt };
	return { provenance: embed === null ? { channel: "embed", site } : { channel: "embed", site, embed }, expiresAt };
}

/** Under what a redeemed ticket is kept: hex SHA-256 of its text. */
export const ticketHash = (ticket: string): string => createHash("sha256").update(ticket).digest("hex");
