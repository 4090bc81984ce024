import { describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { readTicket, TICKET_NONCE_BYTES, ticketHash, writeTicket } from "./tickets.js";

const SECRET = "of this installation";
const NOW = 1_800_000_000_000;
const nonce = (n: number) => new Uint8Array(TICKET_NONCE_BYTES).fill(n);
const write = (n = 1, facts: Partial<{ handle: string; site: string | null; embed: string | null }> = {}) =>
	writeTicket(SECRET, { handle: "mira", site: "https://site.com", embed: null, ...facts }, NOW, nonce(n));

describe("a ticket", () => {
	it("says from where its holder speaks", () => {
		expect(readTicket(SECRET, write(), "mira", NOW)).toEqual({
			provenance: { channel: "embed", site: "https://site.com" },
			expiresAt: NOW + LIMITS.ticketMs,
		});
		expect(readTicket(SECRET, write(1, { embed: "3" }), "mira", NOW)?.provenance).toEqual({
			channel: "embed",
			site: "https://site.com",
			embed: "3",
		});
		expect(readTicket(SECRET, write(1, { site: null }), "mira", NOW)?.provenance).toEqual({ channel: "page" });
	});
	it("is good for one desk, for 24 hours, on one installation", () => {
		const ticket = write();
		expect(readTicket(SECRET, ticket, "ada", NOW)).toBeUndefined();
		expect(readTicket("of another", ticket, "mira", NOW)).toBeUndefined();
		expect(readTicket(SECRET, ticket, "mira", NOW + LIMITS.ticketMs - 1)).toBeDefined();
		expect(readTicket(SECRET, ticket, "mira", NOW + LIMITS.ticketMs)).toBeUndefined();
	});
	it("is its own: two made at one moment differ", () => {
		expect(write(1)).not.toBe(write(2));
		expect(ticketHash(write(1))).not.toBe(ticketHash(write(2)));
		expect(ticketHash(write(1))).toMatch(/^[0-9a-f]{64}$/);
	});
	it("is refused when any character of it is another", () => {
		const ticket = write();
		for (let at = 0; at < ticket.length; at++) {
			for (const other of ["A", "B", ".", "-"]) {
				if (ticket[at] === other) continue;
				expect(readTicket(SECRET, ticket.slice(0, at) + other + ticket.slice(at + 1), "mira", NOW)).toBeUndefined();
			}
		}
	});
	it("has one spelling: base64 of the same bytes in other letters is refused", () => {
		const ticket = write();
		const seal = ticket.slice(ticket.indexOf(".") + 1);
		const bytes = Buffer.from(seal, "base64url");
		const twins = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
			.map((c) => seal.slice(0, -1) + c)
			.filter((s) => s !== seal && Buffer.from(s, "base64url").equals(bytes));
		expect(twins.length).toBeGreaterThan(0);
		for (const twin of [...twins, `${seal}=`, `${seal} `])
			expect(readTicket(SECRET, ticket.replace(seal, twin), "mira", NOW)).toBeUndefined();
	});
	it.each(["", "eolt_", "eolt_.", ".", "eolt_abc", "eolg_abc.def", `eolt_${"a".repeat(5_000)}.b`, "eolt_e30.", "é".repeat(50)])(
		"%j is none",
		(text) => {
			expect(readTicket(SECRET, text, "mira", NOW)).toBeUndefined();
		},
	);
});
