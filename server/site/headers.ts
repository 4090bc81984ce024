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
 * document runs the chat; any other runs no script at all.
 */
export function documentHeaders(publicUrl: string, options: { ancestors: string; chat: boolean }): Record<string, string> {
	const csp = [
		"default-src 'none'",
		"base-uri 'none'",
		"form-action 'none'",
		"style-src 'self'",
		// Pictures are our own, or those that the visitor is about to send (reliability.md 38).
		"img-src 'self' blob:",
		...(options.chat
			? ["script-src 'self'", `connect-src 'self' ${socketOrigin(publicUrl)}`, "require-trusted-types-for 'script'", "trusted-types 'none'"]
			: []),
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

/** Whether a browser's copy is still the one that we have. */
export const isFresh = (ifNoneMatch: string | undefined, etag: string): boolean =>
	ifNoneMatch?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag) === true;
