/**
 * The rules of sites once more, written from their text (reliability.md 4.1, design.md "The embed handshake") and not from the
 * product: no pattern, no parser of addresses, one look at a time. Slow and obvious; the product must agree with it.
 */
import { domainToASCII, domainToUnicode } from "node:url";

/** An origin, taken apart. */
interface Origin {
	scheme: "http" | "https";
	/** From left to right: `["www", "site", "com"]`. */
	labels: string[];
	port: number;
}

/** A rule as its owner means it. `star`: what stands before the labels is one label or more. */
export interface SlowRule extends Origin {
	star: boolean;
}

export interface SlowOptions {
	/** Sites on this machine count. */
	localhost: boolean;
	isPublicSuffix(domain: string): boolean;
}

export type Verdict = "malformed" | "allowed" | "blocked" | "unlisted";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";
/** No underscore: browsers match none in a policy. */
const OF_A_HOST = `${LETTERS}${DIGITS}-.`;

/** A character that is a capital of ASCII as its small letter; every other as it is. */
const small = (char: string): string => LETTERS[CAPITALS.indexOf(char)] ?? char;

const consistsOf = (text: string, of: string): boolean => text !== "" && [...text].every((char) => of.includes(char));

/** A number as it is written: no zero in front, none above the highest port. */
function readPort(text: string): number | undefined {
	if (!consistsOf(text, DIGITS) || text.length > 5) return undefined;
	if (text.length > 1 && text[0] === "0") return undefined;
	const port = Number(text);
	return port <= 65_535 ? port : undefined;
}

/** Whether a label is one that a browser would write so: what begins `xn--` must come back the same from what it stands for. */
function isLabel(label: string): boolean {
	if (label.length < 1 || label.length > 63) return false;
	if (label.startsWith("-") || label.endsWith("-")) return false;
	if (!label.startsWith("xn--")) return true;
	// Parsers read `xn---` as another spelling of a name that has one.
	return !label.startsWith("xn---") && domainToASCII(domainToUnicode(label)) === label;
}

/** A last label like this makes the whole host a number to every browser. */
const isNumber = (label: string): boolean =>
	consistsOf(label, DIGITS) || label === "0x" || (label.startsWith("0x") && consistsOf(label.slice(2), `${DIGITS}abcdef`));

function readOrigin(text: string, localhost: boolean): Origin | undefined {
	const written = [...text].map(small).join("");
	const scheme = written.startsWith("https://") ? "https" : written.startsWith("http://") ? "http" : undefined;
	if (scheme === undefined) return undefined;
	const [host = "", digits, more] = written.slice(`${scheme}://`.length).split(":");
	if (more !== undefined || !consistsOf(host, OF_A_HOST) || host.length > 253) return undefined;
	const port = digits === undefined ? (scheme === "https" ? 443 : 80) : readPort(digits);
	const labels = host.split(".");
	if (port === undefined || !labels.every(isLabel)) return undefined;
	const last = labels[labels.length - 1] as string;
	if (last === "localhost" || host === "127.0.0.1") return localhost ? { scheme, labels, port } : undefined;
	if (isNumber(last) || scheme === "http") return undefined;
	return { scheme, labels, port };
}

/** As it is shown and compared: the scheme's own port is not written. */
const written = ({ scheme, labels, port }: Origin): string =>
	`${scheme}://${labels.join(".")}${port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`}`;

/** The rule that an owner typed; undefined where it is none. */
export function slowRule(typed: string, options: SlowOptions): SlowRule | undefined {
	const stars = [...typed].filter((char) => char === "*").length;
	if (stars === 0) {
		const origin = readOrigin(typed, options.localhost);
		return origin && { ...origin, star: false };
	}
	if (stars > 1) return undefined;
	const bare = [...typed.slice(0, 8)].map(small).join("") === "https://" ? typed.slice(8) : typed;
	if (!bare.startsWith("*.")) return undefined;
	const origin = readOrigin(`https://${bare.slice(2)}`, options.localhost);
	// Nothing has a name under a number.
	if (!origin || origin.labels.length < 2 || isNumber(origin.labels.at(-1) as string) || options.isPublicSuffix(origin.labels.join(".")))
		return undefined;
	return { ...origin, star: true };
}

/** A rule as the list shows it. */
export const slowForm = (rule: SlowRule): string => (rule.star ? `*.${written(rule).slice("https://".length)}` : written(rule));

function slowCovers(rule: SlowRule, site: Origin): boolean {
	if (rule.scheme !== site.scheme || rule.port !== site.port) return false;
	if (rule.star ? site.labels.length <= rule.labels.length : site.labels.length !== rule.labels.length) return false;
	for (let back = 1; back <= rule.labels.length; back++) {
		if (rule.labels[rule.labels.length - back] !== site.labels[site.labels.length - back]) return false;
	}
	return true;
}

/** What a desk says to a site. `exact`: the claim must stand in its one form already, as it does at the doors. */
export function slowVerdict(
	rules: readonly { rule: SlowRule; state: "allowed" | "blocked" }[],
	claimed: string,
	options: SlowOptions & { exact: boolean; anySite: boolean },
): Verdict {
	const site = readOrigin(claimed, options.localhost);
	if (!site || (options.exact && written(site) !== claimed)) return "malformed";
	if (rules.some(({ rule, state }) => state === "blocked" && slowCovers(rule, site))) return "blocked";
	return options.anySite || rules.some(({ rule, state }) => state === "allowed" && slowCovers(rule, site)) ? "allowed" : "unlisted";
}
