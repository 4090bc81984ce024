/**
 * Which websites may show the chat: what a site is, what a rule is, and whether one is the other. Pure. A site is the
 * origin that a browser names, a rule is what an owner types; both count only as themselves, since a parser folds a dozen
 * spellings into one host (reliability.md F14, 4.1). Admitting a site authenticates nobody (R1): it is about display.
 */
import { DeskError } from "../../shared/errors.js";

/** Why a text names no site. The door turns it into a sentence. */
export type NoSite =
	/** No web origin at all: `null`, a file, a sandboxed frame, an extension. */
	| "opaque"
	/** A web address, but more than an origin or not written the one way. */
	| "not_canonical"
	/** Plain http somewhere else than on this machine. */
	| "not_https"
	/** A number instead of a name, or a name with an underscore: browsers match neither in `frame-ancestors` (CSP3 2.3.1, 6.7.2.8). */
	| "address"
	/** This machine, and the server does not allow its own machine's sites. */
	| "local";

export type SiteReading = { site: string } | { refused: NoSite };

export interface SiteOptions {
	/** `ALLOW_LOCALHOST_SITES`. */
	localhost: boolean;
}

/** Characters of an origin in its canonical form: nothing that a parser would drop, decode or fold. */
const PLAIN = /^[a-z]+:\/\/[a-z0-9._-]+(?::[0-9]{1,5})?$/;
/** Labels of 1 to 63 characters. `xn---…` is a second spelling of another name's `xn--…`, which parsers let pass. */
const HOST = /^(?=.{1,253}$)(?!(?:.*\.)?xn---)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
/** What the parser made a number of; a name may begin `0x`. */
const NUMERIC = /^[0-9.]+$/;

/** Whether a host name is this machine by its very name. `[::1]` is not: no browser takes it in `frame-ancestors`. */
const isLocal = (host: string): boolean => host === "localhost" || host.endsWith(".localhost") || host === "127.0.0.1";

/**
 * Reads a site as somebody wrote it: ASCII capitals and the scheme's own port are put right, everything else that is
 * not an origin's canonical form is refused. What comes back is safe inside a header.
 */
export function readSite(text: string, options: SiteOptions): SiteReading {
	const lower = text.toLowerCase();
	if (!/^https?:\/\//.test(lower)) return { refused: "opaque" };
	// Lower-casing folds two letters of other scripts into ASCII (K, İ): the capitals that count are ASCII's alone.
	if (!/^[\x21-\x7e]+$/.test(text)) return { refused: "not_canonical" };
	if (/^https?:\/\/\[[0-9a-f:.]+\](?::[0-9]+)?$/.test(lower)) return { refused: "address" };
	if (!PLAIN.test(lower) || !URL.canParse(lower)) return { refused: "not_canonical" };
	const url = new URL(lower);
	const { hostname, port, protocol } = url;
	const named = lower.slice(protocol.length + 2).replace(/:[0-9]+$/, "");
	const local = isLocal(hostname);
	if (!local && (NUMERIC.test(named) || NUMERIC.test(hostname))) return { refused: "address" };
	if (named !== hostname || !HOST.test(hostname)) return { refused: "not_canonical" };
	if (named.includes("_")) return { refused: "address" };
	// A port must be written as the parser would: no leading zero, not the scheme's own but where that is all that differs.
	const written = /:([0-9]+)$/.exec(lower)?.[1] ?? "";
	const own = protocol === "https:" ? "443" : "80";
	if (written !== port && written !== own) return { refused: "not_canonical" };
	if (local) return options.localhost ? { site: url.origin } : { refused: "local" };
	return protocol === "https:" ? { site: url.origin } : { refused: "not_https" };
}

/** The same for what a browser or our own script wrote: nothing is put right (design.md, the handshake, step 3). */
export function readExactSite(text: string, options: SiteOptions): SiteReading {
	const reading = readSite(text, options);
	return "site" in reading && reading.site !== text ? { refused: "not_canonical" } : reading;
}

export interface RuleOptions extends SiteOptions {
	/** Whether anybody may register names right under a domain: `com`, `co.uk`, `github.io`. */
	isPublicSuffix(domain: string): boolean;
}

/** Why a text is no rule. `why` says it to its owner, with what to write instead. */
export interface NoRule {
	/** `star`: more than one, or one that is not in front. `suffix`: anybody may have a name under it. */
	refused: "star" | "suffix" | NoSite;
	why: string;
}

const example = "Write the whole origin, as https://their-site.com, or *.their-site.com for everything under it.";
const manyStars: NoRule = { refused: "star", why: `A star stands only once and only in front. ${example}` };

/** Says what is wrong with a rule that reads as no site. */
function noSite(text: string, refused: NoSite): NoRule {
	const no = (why: string): NoRule => ({ refused, why });
	switch (refused) {
		case "not_https":
			return no("A site must be served over https; plain http counts only on localhost. Write the rule with https://.");
		case "address":
			return no("Browsers match no numbers and no underscores here. Write the site's name instead of its address.");
		case "local":
			return no("Sites on this machine are off. Start the server with ALLOW_LOCALHOST_SITES=on to try the chat on one.");
		case "opaque":
			return no(example);
		case "not_canonical": {
			const origin = URL.canParse(text) ? new URL(text).origin : "null";
			const reading = readSite(origin, { localhost: true });
			// Only the same host in other letters is worth offering; a folded or decoded one would mislead (4.1).
			const international = "site" in reading && !/^[!-~]*$/.test(text) && origin.includes("xn--");
			return no(international ? `Write the name as browsers name it: ${origin}` : example);
		}
	}
}

/**
 * Reads a rule as its owner typed it: `https://site.com`, that origin and nothing else, or `*.site.com`, one or more labels
 * before it and never `site.com` itself. Gives the form that is stored, or why it is none.
 */
export function readRule(text: string, options: RuleOptions): { rule: string } | NoRule {
	const star = /^(?:https:\/\/)?\*\.(.*)$/i.exec(text);
	if (!star) {
		if (text.includes("*")) return manyStars;
		const reading = readSite(text, options);
		return "site" in reading ? { rule: reading.site } : noSite(text, reading.refused);
	}
	const rest = star[1] as string;
	if (rest.includes("*")) return manyStars;
	const base = rest.replace(/:[0-9]+$/, "").toLowerCase();
	if (options.isPublicSuffix(base) || !base.includes(".")) {
		const domain = HOST.test(base) ? base : "that domain";
		return { refused: "suffix", why: `Anybody can have a name under ${domain}. Write the domain that is yours, as *.their-site.com.` };
	}
	// Nothing has a name under a number, this machine's own included.
	if (NUMERIC.test(base)) return noSite(`https://${rest}`, "address");
	const reading = readSite(`https://${rest}`, options);
	return "site" in reading ? { rule: `*.${reading.site.slice("https://".length)}` } : noSite(`https://${rest}`, reading.refused);
}

/** The same for a rule that is to be kept. Throws `invalid_params` with what to write instead. */
export function parseRule(text: string, options: RuleOptions): string {
	const reading = readRule(text, options);
	if ("rule" in reading) return reading.rule;
	const { why } = reading;
	throw new DeskError("invalid_params", why, { violations: [{ field: "rule", description: why }] });
}

/** Whether a rule as stored covers a site in canonical form. `*.shop.com` is one or more labels, never the apex (F10). */
export function covers(rule: string, site: string): boolean {
	if (!rule.startsWith("*.")) return rule === site;
	if (!site.startsWith("https://")) return false;
	const host = site.slice("https://".length);
	const suffix = rule.slice(1);
	// Both are canonical: what stands before the suffix is whole labels, and an equal port is part of both.
	return host.length > suffix.length && host.endsWith(suffix);
}

/** How a desk's rules judge a site. A blocked rule wins over an allowed one; `pending` and no rule at all are `unlisted`. */
export function judge(
	rules: readonly { rule: string; state: string }[],
	site: string,
	allowAnySite: boolean,
): "allowed" | "blocked" | "unlisted" {
	let allowed = allowAnySite;
	for (const { rule, state } of rules) {
		if (state === "pending" || !covers(rule, site)) continue;
		if (state === "blocked") return "blocked";
		allowed = true;
	}
	return allowed ? "allowed" : "unlisted";
}
