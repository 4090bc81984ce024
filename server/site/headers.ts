/**
 * The headers of everything that a browser shows from here, in one place: what a page may load, who may frame it, what it
 * tells others. Every document of ours is strict to itself, since visitors and owners share its origin.
 */

/** Sent with every answer of this door. */
export const COMMON = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;

/** For documents that hold a ticket, or answers that change with the asker. */
export const NO_STORE = { "cache-control": "no-store" } as const;

const POLICY =
	"accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), xr-spatial-tracking=()";

/** `wss://…` of the origin, spelled out: older browsers do not count sockets as `'self'`. */
const socketOrigin = (publicUrl: string): string => publicUrl.replace(/^http/, "ws");

/**
 * Headers of a document. `ancestors`: `'none'`, or the one origin that may frame it, in canonical form. `chat`: the
 * document runs the chat; any other runs no script at all. `form`: it has a form of our own. `also`: directives that it
 * needs besides.
 */
export function documentHeaders(
	publicUrl: string,
	options: { ancestors: string; chat: boolean; form?: boolean; also?: readonly string[] },
): Record<string, string> {
	const csp = [
		"default-src 'none'",
		"base-uri 'none'",
		`form-action ${options.form ? "'self'" : "'none'"}`,
		"style-src 'self'",
		// Pictures are our own, or those that the visitor is about to send (reliability.md 38).
		"img-src 'self' blob:",
		...(options.chat
			? ["script-src 'self'", `connect-src 'self' ${socketOrigin(publicUrl)}`, "require-trusted-types-for 'script'", "trusted-types 'none'"]
			: []),
		...(options.also ?? []),
		`frame-ancestors ${options.ancestors}`,
	].join("; ");
	return {
		...COMMON,
		"content-security-policy": csp,
		"permissions-policy": POLICY,
		...(publicUrl.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {}),
		// A page under COEP frames only documents that say both.
		"cross-origin-embedder-policy": "require-corp",
		"cross-origin-resource-policy": options.ancestors === "'none'" ? "same-origin" : "cross-origin",
		...(options.ancestors === "'none'" ? { "cross-origin-opener-policy": "same-origin", "x-frame-options": "DENY" } : {}),
	};
}

/** Headers of what any site may load without credentials: the script, the config, a face. Never reflects an origin (reliability.md 34). */
export const OPEN = { ...COMMON, "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" } as const;

/** An SVG opened by itself is a document: it may do nothing (reliability.md 41). */
export const SVG = {
	...OPEN,
	"content-type": "image/svg+xml; charset=utf-8",
	"content-security-policy": "default-src 'none'; sandbox",
} as const;

/** Whether an Accept header would rather have plain text or Markdown than a page: agents say so, browsers never do. */
export function prefersText(accept: string | undefined): boolean {
	let text = 0;
	let page = 0;
	for (const range of (accept ?? "").slice(0, 500).toLowerCase().split(",")) {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
		const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
		const weight = q === undefined ? 1 : Number(q.slice(q.indexOf("=") + 1)) || 0;
		if (type === "text/markdown" || type === "text/plain") text = Math.max(text, weight);
		if (type === "text/html" || type === "application/xhtml+xml") page = Math.max(page, weight);
	}
	return text > 0 && text >= page;
}

/** Whether a browser's copy is still the one that we have. */
export const isFresh = (ifNoneMatch: string | undefined, etag: string): boolean =>
	ifNoneMatch?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag) === true;
