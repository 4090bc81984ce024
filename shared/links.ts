/**
 * Which addresses in somebody's words become links, and what is shown beside one so that nobody is led elsewhere than the
 * words say. Everything is judged after the browser's own URL parser: case, tabs and escapes cannot hide a scheme.
 */

export interface Link {
	href: string;
	/** Host (as an A-label), mail address or number: where it leads. */
	where: string;
}

/** Characters of an address; longer ones stay text. */
const LONGEST = 2_048;

/** The link an address makes: `http`, `https`, `mailto` and `tel` only, whole addresses only, and no name before an `@` that reads like a host. */
export function safeLink(address: string): Link | undefined {
	if (address.length > LONGEST) return undefined;
	let url: URL;
	try {
		url = new URL(address);
	} catch {
		return undefined;
	}
	if (url.protocol === "mailto:" || url.protocol === "tel:") return url.pathname ? { href: url.href, where: url.pathname } : undefined;
	if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
	return url.username || url.password || !url.host ? undefined : { href: url.href, where: url.host };
}

/** Whether the words of a link already say where it leads, so that nothing need be added. */
export function says(words: string, link: Link): boolean {
	const bare = (text: string): string =>
		text
			.toLowerCase()
			.replace(/^(?:https?:\/\/|mailto:|tel:)/, "")
			.replace(/^www\./, "");
	const said = bare(words.trim());
	const where = bare(link.where);
	return said === where || (link.href.startsWith("http") && said.startsWith(where) && /[/?#]/.test(said.charAt(where.length)));
}

const BEFORE_MAIL = /[A-Za-z0-9.+-]/;
const MAIL_HOST = /^[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}/;
/** What a bare address may hold: ASCII only, since words without spaces between them often follow directly; no square brackets, in which it may stand. */
const ADDRESS = /^(?:https?:\/\/|www\.)[!#-;=?-Z_a-z~]{2,2048}/i;

/**
 * The bare address that starts at `at`, without the sentence's own punctuation after it; undefined where there is none.
 * Without a link it only looks like one: then nothing within its length is looked at again.
 */
export function addressAt(text: string, at: number): { length: number; link?: Link } | undefined {
	if (at > 0 && /[A-Za-z0-9]/.test(text.charAt(at - 1))) return undefined;
	let found = ADDRESS.exec(text.slice(at, at + LONGEST))?.[0];
	if (!found) return undefined;
	let spare = 0;
	for (const char of found) spare += char === "(" ? -1 : char === ")" ? 1 : 0;
	for (;;) {
		const last = found.charAt(found.length - 1);
		if (last === ")" && spare > 0) spare--;
		else if (!".,:;!?'*_~".includes(last) || last === "") break;
		found = found.slice(0, -1);
	}
	const link = safeLink(found.startsWith("w") || found.startsWith("W") ? `https://${found}` : found);
	const whole = link && (link.where.includes(".") || link.where.startsWith("localhost"));
	return { length: Math.max(found.length, 1), link: whole ? link : undefined };
}

/** The mail address around the `@` at `at`, looking no further back than `from`; undefined where there is none. */
export function mailAt(text: string, at: number, from: number): { start: number; end: number; link: Link } | undefined {
	let start = at;
	while (start > from && at - start < 64 && BEFORE_MAIL.test(text.charAt(start - 1))) start--;
	// A longer name, or one with other characters in it, must not be cut to somebody else's address.
	if (start === at || /[\w.+%@/:-]/.test(text.charAt(start - 1))) return undefined;
	const host = MAIL_HOST.exec(text.slice(at + 1, at + 256))?.[0].replace(/[-.]$/, "");
	if (!host?.includes(".")) return undefined;
	const end = at + 1 + host.length;
	const link = safeLink(`mailto:${text.slice(start, end)}`);
	return link && { start, end, link };
}
