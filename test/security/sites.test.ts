/**
 * T-SITE: two matchers that know nothing of each other agree on whatever is claimed and whatever rules there are (reliability.md 4.1,
 * 21). `--long` asks them a million times. What a browser shows of it is in test/e2e/sites*.test.ts.
 */
import { describe, expect, it } from "vitest";
import { covers, judge, parseRule, readExactSite, readSite, type SiteReading } from "../../server/engine/sites.js";
import { type SiteCase, SUFFIXES, siteCase } from "./claims.js";
import { slowForm, slowRule, slowVerdict, type Verdict } from "./slow-sites.js";

const SEED = Number(process.env.SEED ?? 20_261_130);
const CASES = process.env.LONG ? 1_000_000 : 20_000;
const minutes = (n: number): number => n * 60_000;

/** What of the product a mutant may do differently. */
interface Parts {
	read(text: string, localhost: boolean, exact: boolean): SiteReading;
	judge: typeof judge;
	rule(typed: string, localhost: boolean): string;
}
const isPublicSuffix = (domain: string): boolean => SUFFIXES.has(domain);
const product: Parts = {
	read: (text, localhost, exact) => (exact ? readExactSite : readSite)(text, { localhost }),
	judge,
	rule: (typed, localhost) => parseRule(typed, { localhost, isPublicSuffix }),
};

interface Answer {
	/** The rules as they are kept; `-` for one that is refused. */
	kept: string[];
	verdict: Verdict;
}

function fast(parts: Parts, one: SiteCase): Answer {
	const kept: string[] = [];
	const rules: { rule: string; state: string }[] = [];
	for (const { typed, state } of one.rules) {
		try {
			const rule = parts.rule(typed, one.localhost);
			kept.push(rule);
			rules.push({ rule, state });
		} catch {
			kept.push("-");
		}
	}
	const reading = parts.read(one.claimed, one.localhost, one.exact);
	return { kept, verdict: "site" in reading ? parts.judge(rules, reading.site, one.anySite) : "malformed" };
}

function slow(one: SiteCase): Answer {
	const options = { localhost: one.localhost, isPublicSuffix };
	const read = one.rules.map(({ typed, state }) => ({ rule: slowRule(typed, options), state }));
	const rules = read.flatMap(({ rule, state }) => (rule ? [{ rule, state }] : []));
	return {
		kept: read.map(({ rule }) => (rule ? slowForm(rule) : "-")),
		verdict: slowVerdict(rules, one.claimed, { ...options, exact: one.exact, anySite: one.anySite }),
	};
}

/** Asks both. Gives where they differ, each with what plays it again, and how often each verdict was given. */
function ask(parts: Parts, cases: number, most = 10): { differ: string[]; given: Map<Verdict, number> } {
	const differ: string[] = [];
	const given = new Map<Verdict, number>();
	for (let number = 0; number < cases && differ.length < most; number++) {
		const one = siteCase(SEED, number);
		const [a, b] = [fast(parts, one), slow(one)];
		given.set(b.verdict, (given.get(b.verdict) ?? 0) + 1);
		if (a.verdict === b.verdict && a.kept.join(" ") === b.kept.join(" ")) continue;
		differ.push(`case ${number}: ${JSON.stringify(one)}\n  the product: ${JSON.stringify(a)}\n  by the text: ${JSON.stringify(b)}`);
	}
	return { differ, given };
}

describe("the product and a matcher written from the text", () => {
	it(`agree on ${CASES} generated claims and rules`, { timeout: minutes(15) }, () => {
		const { differ, given } = ask(product, CASES);
		expect(differ, `seed ${SEED}`).toEqual([]);
		// It means something only if each verdict is often the right one.
		for (const verdict of ["malformed", "allowed", "blocked", "unlisted"] as const)
			expect(given.get(verdict) ?? 0, verdict).toBeGreaterThan(CASES / 100);
	});
});

describe("a careless matcher is found out", () => {
	const folding = (text: string, localhost: boolean): SiteReading => {
		const folded = text.replace(/[\p{Cf}\p{Cc}]/gu, "");
		return readSite(folded, { localhost });
	};
	const judging =
		(careless: (rule: string, site: string) => boolean): typeof judge =>
		(rules, site, any) => {
			const hit = (state: string): boolean => rules.some((r) => r.state === state && (covers(r.rule, site) || careless(r.rule, site)));
			return hit("blocked") ? "blocked" : any || hit("allowed") ? "allowed" : "unlisted";
		};
	const hostOf = (site: string): string => site.replace(/^\w+:\/\//, "");
	const mutants: Record<string, Partial<Parts>> = {
		"one that matches an ending without the dot": {
			judge: judging((rule, site) => rule.startsWith("*.") && hostOf(site).endsWith(rule.slice(2))),
		},
		"one whose star covers the apex": { judge: judging((rule, site) => hostOf(site) === rule.slice(2)) },
		"one that looks for the site anywhere": { judge: judging((rule, site) => !rule.startsWith("*.") && site.includes(rule)) },
		"one whose dot is any character": {
			judge: judging((rule, site) => rule.startsWith("*.") && new RegExp(`^https://.+${rule.slice(1)}$`).test(site)),
		},
		"one that forgets the port": {
			judge: judging((rule, site) => !rule.startsWith("*.") && rule.replace(/:\d+$/, "") === site.replace(/:\d+$/, "")),
		},
		"one that lets an allowed rule win": {
			judge: (rules, site, any) => (rules.some((r) => r.state === "allowed" && covers(r.rule, site)) ? "allowed" : judge(rules, site, any)),
		},
		"one that drops what cannot be seen": { read: folding },
		"one that folds the letters of other scripts": {
			read: (text, localhost) => readSite(text.normalize("NFKC").toLowerCase(), { localhost }),
		},
		"one that takes the parser's word": {
			read: (text) => (URL.canParse(text) && new URL(text).origin !== "null" ? { site: new URL(text).origin } : { refused: "opaque" }),
		},
		"one that puts right what the doors must refuse": { read: (text, localhost) => readSite(text, { localhost }) },
		"one that takes a number for a name": {
			read: (text, localhost, exact) => {
				const reading = product.read(text, localhost, exact);
				return "refused" in reading && reading.refused === "address" ? { site: text } : reading;
			},
		},
		"one that takes rules for a public suffix": {
			rule: (typed, localhost) => parseRule(typed, { localhost, isPublicSuffix: () => false }),
		},
	};
	it.each(Object.keys(mutants))("%s", (name) => {
		expect(ask({ ...product, ...mutants[name] }, 20_000, 1).differ).toHaveLength(1);
	});
});
