/** Claims and rules by a seeded generator: most are near to something that is right, since far ones are easily told. */
import { type Seeded, seeded } from "../seeded.js";

export interface SiteCase {
	rules: { typed: string; state: "allowed" | "blocked" }[];
	claimed: string;
	localhost: boolean;
	anySite: boolean;
	/** As at the doors, where nothing is put right. */
	exact: boolean;
}

/** Stands for the public suffix list, which has a test of its own. */
export const SUFFIXES = new Set(["com", "org", "co.uk", "uk", "github.io", "io", "vercel.app", "app", "test"]);

const DOMAINS = [
	...["site.com", "shop.com", "a.shop.com", "b.a.shop.com", "evil.com", "mira.github.io", "xn--80ak6aa92e.com", "xn--bcher-kva.shop.com"],
	...["com", "co.uk", "github.io", "vercel.app", "wiki", "localhost", "my.localhost", "127.0.0.1", "10.0.0.1", "0x.org", "0x7f.shop.com"],
	...["1.shop.com", "shop.com.1", "shop.0x1f", "2130706433", "0x7f000001", "a_b.shop.com", "a-b.shop.com", "xn--com", "xn--a.shop.com"],
];
const SCHEMES = [
	"https://",
	"https://",
	"https://",
	"https://",
	"HTTPS://",
	"Https://",
	"http://",
	"ws://",
	"https:/",
	"",
	"//",
	"blob:https://",
];
const STARS = ["", "", "*.", "*.", "*.*.", "*", ".*."];
const BEFORE = [
	"",
	"",
	"",
	"a.",
	"a.",
	"www.",
	"a.b.",
	"A.",
	"evil",
	"x-",
	"-",
	".",
	"..",
	"*.",
	"a_b.",
	"1.",
	"xn--",
	"xn--80ak6aa92e.",
	"u@",
];
const AFTER = [
	"",
	"",
	"",
	"",
	"",
	".",
	"..",
	".evil.com",
	"evil.com",
	"%2eevil.com",
	"@evil.com",
	"/",
	"/path",
	"?",
	"#",
	"\\",
	";",
	" ",
	", *",
];
const PORTS = ["", "", "", "", "", ":443", ":80", ":8443", ":8443", ":0443", ":", ":0", ":65535", ":65536", ":443443", ":x", ":1:2"];
/** What parsers drop, decode or fold, and what else does not belong. */
const HOSTILE = [
	...["\u200b", "\u200d", "\u00ad", "\ufeff", "\u2060", "\u202e", "\t", "\n", "\r", "\0", " ", "\u00a0", "\u3000"],
	...["ｓ", "。", "．", "ſ", "\u212a", "İ", "ı", "а", "ⓢ", "ß", "%2e", "%73", "%00", "@", "#", "?", "/", "\\", ":", ";", ",", "*", "'"],
	...[".", "-", "_", "a", "K", "S", "0", "xn--", "😀", "\ud800"],
];

function mangled(random: Seeded, text: string): string {
	const at = random.int(text.length + 1);
	switch (random.int(5)) {
		case 0:
			return text.slice(0, at) + text.slice(at + 1);
		case 1:
			return text.slice(0, at) + random.pick(HOSTILE) + text.slice(at + 1);
		case 2:
			return text.slice(0, at) + text.charAt(at).toUpperCase() + text.slice(at + 1);
		case 3:
			return text.slice(0, at) + text.slice(Math.max(0, at - random.int(6)), at) + text.slice(at);
		default:
			return text.slice(0, at) + random.pick(HOSTILE) + text.slice(at);
	}
}

const typedRule = (random: Seeded, domain: string): string => {
	if (random.chance(0.6)) return `${random.pick(["https://", "*."])}${domain}${random.pick(["", "", "", ":8443"])}`;
	const star = random.pick(STARS);
	const text = `${star !== "" && random.chance(0.5) ? "" : random.pick(SCHEMES)}${star}${domain}${random.pick(PORTS)}`;
	return random.chance(0.1) ? mangled(random, text) : text;
};

/** The case of a number: the same at every run. */
export function siteCase(seed: number, number: number): SiteCase {
	const random = seeded(Math.imul(seed, 1_000_003) + number);
	const domains = Array.from({ length: 1 + random.int(3) }, () => random.pick(DOMAINS));
	// What is allowed by one rule and blocked by another.
	if (random.chance(0.3)) domains.push(random.pick(domains));
	const rules = domains.map((domain) => ({
		typed: typedRule(random, domain),
		state: random.chance(0.4) ? ("blocked" as const) : ("allowed" as const),
	}));
	const domain = random.chance(0.85) ? random.pick(domains) : random.pick(DOMAINS);
	const simple = random.chance(0.4);
	const scheme = simple ? "https://" : random.pick(SCHEMES);
	let claimed = simple
		? scheme + random.pick(["", "", "a.", "a.b.", "evil", "www."]) + domain + random.pick(["", "", "", ":8443"])
		: scheme + random.pick(BEFORE) + domain + random.pick(AFTER) + random.pick(PORTS);
	for (let times = random.chance(0.35) ? 1 + random.int(2) : 0; times > 0; times--) claimed = mangled(random, claimed);
	if (random.chance(0.01))
		claimed = random.pick(["null", "", "data:,x", "file://", "about:srcdoc", "blob:https://site.com/x", "javascript://site.com"]);
	return { rules, claimed, localhost: random.chance(0.3), anySite: random.chance(0.1), exact: random.chance(0.5) };
}
