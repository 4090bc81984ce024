import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers, judge, parseRule, readExactSite, readSite } from "./sites.js";

/** Stands for the list of `site/suffix.ts`, which has its own test: the engine knows no list. */
const SUFFIXES = new Set(["com", "co.uk", "github.io", "vercel.app", "test", "io", "uk", "app"]);
const options = { localhost: false, isPublicSuffix: (domain: string) => SUFFIXES.has(domain) };
const dev = { ...options, localhost: true };

const RULES = ["https://site.com", "https://*.shop.com"].map((rule) => ({ rule: parseRule(rule, options), state: "allowed" }));

/** E or X of reliability.md 4.1, by the two rules above. */
function verdict(claimed: string, rules = RULES, localhost = false): "E" | "X" {
	const reading = readSite(claimed, { localhost });
	return "site" in reading && judge(rules, reading.site, false) === "allowed" ? "E" : "X";
}

describe("a claimed site (reliability.md 4.1)", () => {
	const vectors: [claimed: string, verdict: "E" | "X", why: string][] = [
		["https://site.com", "E", "the rule itself"],
		["HTTPS://SITE.COM", "E", "the same in capitals"],
		["https://Site.Com", "E", "the same in some capitals"],
		["https://site.com:443", "E", "the scheme's own port"],
		["http://site.com", "X", "another scheme"],
		["http://site.com:443", "X", "another scheme on the port of https"],
		["https://site.com:80", "X", "another port"],
		["https://site.com:8443", "X", "another port"],
		["https://site.com:0443", "X", "a port not as it is written"],
		["https://site.com:", "X", "a port that is not there"],
		["https://site.com:99999", "X", "no port"],
		["https://site.com:443443", "X", "no port"],
		["https://www.site.com", "X", "another host"],
		["https://site.com.", "X", "a trailing dot is another host"],
		["https://site.com..", "X", "empty labels"],
		["https://evilsite.com", "X", "ends alike"],
		["https://site.com.evil.com", "X", "begins alike"],
		["https://site.comevil.com", "X", "begins alike"],
		["https://sitecom", "X", "no dot"],
		["https://site-com", "X", "no dot"],
		["https://site.co", "X", "shorter"],
		["https://site.com%2eevil.com", "X", "an escaped dot"],
		["https://site%2ecom", "X", "an escaped dot"],
		["https://%73ite.com", "X", "an escaped letter"],
		["https://site.com@evil.com", "X", "userinfo"],
		["https://site.com:x@evil.com", "X", "userinfo"],
		["https://evil.com@site.com", "X", "userinfo before the right host"],
		["https://@site.com", "X", "empty userinfo"],
		["https://evil.com#.site.com", "X", "fragment"],
		["https://site.com#", "X", "empty fragment"],
		["https://evil.com/?https://site.com", "X", "path and query"],
		["https://site.com/", "X", "a path, if empty"],
		["https://site.com/a", "X", "a path"],
		["https://site.com?", "X", "an empty query"],
		["https://site.com?a", "X", "a query"],
		["https://site.com\\evil.com", "X", "a backslash"],
		["https:\\\\site.com", "X", "backslashes"],
		["https:/site.com", "X", "one slash"],
		["https:site.com", "X", "no slash"],
		["https:///site.com", "X", "three slashes"],
		["https://site.com;evil.com", "X", "a semicolon would end a directive"],
		["https://site.com,https://evil.com", "X", "a list"],
		["https://site.com https://evil.com", "X", "a list as in a header"],
		["https://site.com\r\nX-Evil: 1", "X", "a second header"],
		["https://site.com\n", "X", "a line end"],
		[" https://site.com", "X", "a space before"],
		["https://site.com ", "X", "a space after"],
		["\thttps://site.com", "X", "a tab before"],
		["https://si\tte.com", "X", "a tab that the parser drops"],
		["https://si\nte.com", "X", "a line end that the parser drops"],
		["https://site.com\u200b", "X", "a zero-width space"],
		["https://si\u200bte.com", "X", "a zero-width space that the parser drops"],
		["https://site\u00ad.com", "X", "a soft hyphen that the parser drops"],
		["https://site.com\u0000", "X", "a NUL"],
		["https://ｓｉｔｅ.com", "X", "full-width letters that the parser folds"],
		["https://site。com", "X", "an ideographic dot that the parser folds"],
		["https://site．com", "X", "a full-width dot"],
		["https://ſite.com", "X", "a long s that the parser folds"],
		["https://\u212aite.com", "X", "a Kelvin sign"],
		["https://sıte.com", "X", "a dotless i"],
		["https://аррӏе.com", "X", "Cyrillic"],
		["https://xn--80ak6aa92e.com", "X", "the same as browsers name it"],
		["https://site.xn--com", "X", "no such label"],
		["https://a.shop.com", "E", "one label before the star's domain"],
		["https://a.b.shop.com", "E", "two labels"],
		["https://a.b.c.d.shop.com", "E", "four labels"],
		["https://A.Shop.com", "E", "capitals"],
		["https://a.shop.com:443", "E", "the scheme's own port"],
		["https://a-b.shop.com", "E", "a hyphen"],
		["https://a_b.shop.com", "X", "an underscore, which browsers match in no policy"],
		["https://1.shop.com", "E", "a digit"],
		["https://xn--bcher-kva.shop.com", "E", "an international label"],
		["https://xn---bcher-kva.shop.com", "X", "a second spelling of it, which the parser lets pass"],
		["https://0x7f.shop.com", "E", "a name that begins like a number"],
		["https://shop.0x1f", "X", "a name that ends like one"],
		["https://shop.com", "X", "the apex is its own rule"],
		["https://ashop.com", "X", "ends alike"],
		["https://a-shop.com", "X", "ends alike"],
		["https://.shop.com", "X", "an empty label"],
		["https://a..shop.com", "X", "an empty label"],
		["https://..shop.com", "X", "empty labels"],
		["https://*.shop.com", "X", "a literal star"],
		["https://a*.shop.com", "X", "a literal star"],
		["https://-.shop.com", "X", "no label"],
		["https://-a.shop.com", "X", "a label never begins so"],
		["https://a-.shop.com", "X", "a label never ends so"],
		[`https://${"a".repeat(63)}.shop.com`, "E", "the longest label"],
		[`https://${"a".repeat(64)}.shop.com`, "X", "a label too long"],
		[`https://${"a.".repeat(122)}shop.com`, "E", "the longest name"],
		[`https://${"a.".repeat(123)}shop.com`, "X", "a name too long"],
		["https://a.shop.com:8443", "X", "another port"],
		["http://a.shop.com", "X", "another scheme"],
		["https://a.shop.com.evil.com", "X", "begins alike"],
		["https://a.shop.com.", "X", "a trailing dot"],
		["https://a.shop.com/", "X", "a path"],
		["https://a@b.shop.com", "X", "userinfo"],
		["null", "X", "a sandboxed frame"],
		["", "X", "nothing"],
		["*", "X", "no origin"],
		["https://", "X", "no host"],
		["https://*", "X", "no host"],
		["site.com", "X", "no scheme"],
		["//site.com", "X", "no scheme"],
		["data:text/html,x", "X", "opaque"],
		["data:", "X", "opaque"],
		["file://", "X", "opaque"],
		["file:///site.com", "X", "opaque"],
		["about:srcdoc", "X", "opaque"],
		["about:blank", "X", "opaque"],
		["blob:https://site.com/x", "X", "the blob trap"],
		["blob:https://site.com", "X", "the blob trap"],
		["filesystem:https://site.com/x", "X", "the same trap"],
		["chrome-extension://abcdefghijklmnop", "X", "an extension"],
		["moz-extension://site.com", "X", "an extension"],
		["javascript:alert(1)", "X", "no origin"],
		["javascript://site.com", "X", "no origin"],
		["ftp://site.com", "X", "not the web"],
		["ws://site.com", "X", "not the web"],
		["wss://site.com", "X", "not the web"],
		["view-source:https://site.com", "X", "no origin"],
		["https://127.0.0.1", "X", "this machine"],
		["https://2130706433", "X", "this machine as a number"],
		["https://0x7f000001", "X", "this machine in hex"],
		["https://0177.0.0.1", "X", "this machine in octal"],
		["https://127.1", "X", "this machine, short"],
		["https://[::1]", "X", "this machine"],
		["https://[::ffff:127.0.0.1]", "X", "this machine, mapped"],
		["https://localhost", "X", "this machine"],
		["http://localhost:8788", "X", "this machine"],
		["https://site.localhost", "X", "this machine"],
		["https://93.184.216.34", "X", "a number is no name"],
	];

	it("has 120 vectors or more", () => expect(vectors.length).toBeGreaterThanOrEqual(120));
	it.each(vectors)("%j is %s: %s", (claimed, expected) => expect(verdict(claimed)).toBe(expected));

	it("says why a text names no site", () => {
		const refused = (text: string, localhost = false) => {
			const reading = readSite(text, { localhost });
			return "refused" in reading ? reading.refused : reading.site;
		};
		expect(refused("null")).toBe("opaque");
		expect(refused("http://site.com")).toBe("not_https");
		expect(refused("https://site.com/")).toBe("not_canonical");
		expect(refused("https://10.0.0.1")).toBe("address");
		expect(refused("https://[::1]")).toBe("address");
		expect(refused("http://localhost:3000")).toBe("local");
		expect(refused("http://localhost:3000", true)).toBe("http://localhost:3000");
		expect(refused("https://2130706433", true)).toBe("not_canonical");
	});

	it("puts nothing right at the doors", () => {
		for (const text of ["HTTPS://SITE.COM", "https://site.com:443", "http://localhost:80", "https://Site.com"]) {
			expect(readExactSite(text, { localhost: true })).toEqual({ refused: "not_canonical" });
		}
		expect(readExactSite("https://site.com", options)).toEqual({ site: "https://site.com" });
		expect(readExactSite("http://localhost:8788", dev)).toEqual({ site: "http://localhost:8788" });
		expect(readExactSite("http://unlisted.localhost:8788", dev)).toEqual({ site: "http://unlisted.localhost:8788" });
	});

	it("only ever gives an origin that the parser leaves as it is, and that is safe in a header", () => {
		const part = fc.constantFrom(
			"https://",
			"http://",
			"site",
			".com",
			"a.",
			"..",
			":443",
			":8443",
			"@",
			"/",
			"%2e",
			"*",
			"localhost",
			"127.0.0.1",
			"[::1]",
			"\u200b",
			"ｓ",
			"\t",
			";",
			" ",
			"A",
			"-",
			"_",
			"xn--",
		);
		fc.assert(
			fc.property(
				fc.oneof(
					fc.array(part, { maxLength: 7 }).map((p) => p.join("")),
					fc.webUrl(),
					fc.string(),
				),
				(text) => {
					const reading = readSite(text, { localhost: true });
					if ("site" in reading) {
						expect(new URL(reading.site).origin).toBe(reading.site);
						expect(reading.site).toMatch(/^https?:\/\/[a-z0-9._-]+(:\d+)?$/);
						expect(readExactSite(reading.site, { localhost: true })).toEqual(reading);
					}
				},
			),
			{ numRuns: 5_000 },
		);
	});
});

describe("a rule", () => {
	const refusal = (rule: string, o = options): string => {
		try {
			return `taken as ${parseRule(rule, o)}`;
		} catch (error) {
			expect(error).toMatchObject({ code: "invalid_params", detail: { violations: [{ field: "rule" }] } });
			return (error as Error).message;
		}
	};

	it.each([
		["https://site.com", "https://site.com"],
		["HTTPS://Site.com:443", "https://site.com"],
		["https://site.com:8443", "https://site.com:8443"],
		["https://*.shop.com", "*.shop.com"],
		["*.shop.com", "*.shop.com"],
		["*.SHOP.com:443", "*.shop.com"],
		["*.shop.com:8443", "*.shop.com:8443"],
		["*.a.shop.com", "*.a.shop.com"],
		["*.mira.github.io", "*.mira.github.io"],
		["https://mira.github.io", "https://mira.github.io"],
		["https://xn--bcher-kva.example.com", "https://xn--bcher-kva.example.com"],
		["https://wiki", "https://wiki"],
	])("%s is kept as %s", (typed, kept) => expect(parseRule(typed, options)).toBe(kept));

	it.each([
		"*",
		"https://*",
		"*.",
		"https://*.",
		"*.com",
		"*.co.uk",
		"*.github.io",
		"*.vercel.app",
		"*.COM",
		"https://*.com",
		"*.com:8443",
	])("%s is refused: anybody could be under it", (rule) => {
		expect(refusal(rule)).toMatch(/^(Anybody can have a name under|A star stands)/);
	});
	it.each([
		"https://*.*.site.com",
		"*.*.site.com",
		"https://si*te.com",
		"https://www.*.com",
		"**.site.com",
		"https://site.*",
		"http://*.site.com",
	])("%s is refused: one star, in front", (rule) => {
		expect(refusal(rule)).toMatch(/^A star stands only once/);
	});
	it.each([
		"https://site.com/path",
		"site.com",
		"",
		"https://",
		"*.site.com/path",
		"https://site.com.",
		"*.site.com.",
		"https://a@site.com",
		"https://ｓｉｔｅ.com",
		"*.si te.com",
		"null",
		"javascript:alert(1)",
		"blob:https://site.com/x",
	])("%j is refused with what to write", (rule) => expect(refusal(rule)).toMatch(/^Write the whole origin/));
	it("says what is wrong with the rest", () => {
		expect(refusal("http://site.com")).toMatch(/https/);
		expect(refusal("https://192.168.1.1")).toMatch(/name instead of its address/);
		expect(refusal("https://a_b.shop.com")).toMatch(/no underscores/);
		expect(refusal("*.a_b.shop.com")).toMatch(/no underscores/);
		expect(refusal("*.1.2.3.4")).toMatch(/name instead of its address/);
		expect(refusal("*.127.0.0.1", dev)).toMatch(/name instead of its address/);
		expect(refusal("http://localhost:03000", dev)).toMatch(/^Write the whole origin/);
		expect(refusal("http://localhost:3000")).toMatch(/ALLOW_LOCALHOST_SITES/);
		expect(refusal("https://bücher.example.com")).toBe("Write the name as browsers name it: https://xn--bcher-kva.example.com");
		expect(refusal("*.bücher.com")).toBe("Write the name as browsers name it: https://xn--bcher-kva.com");
		expect(refusal("http://localhost:3000", dev)).toBe("taken as http://localhost:3000");
		expect(refusal("http://unlisted.localhost:3000", dev)).toBe("taken as http://unlisted.localhost:3000");
		expect(refusal("http://127.0.0.1:3000", dev)).toBe("taken as http://127.0.0.1:3000");
	});
});

describe("judging a site", () => {
	const site = "https://a.shop.com";
	it("lets a blocked rule win, whatever allows the site", () => {
		expect(
			judge(
				[
					{ rule: site, state: "allowed" },
					{ rule: "*.shop.com", state: "blocked" },
				],
				site,
				true,
			),
		).toBe("blocked");
		expect(
			judge(
				[
					{ rule: site, state: "blocked" },
					{ rule: "*.shop.com", state: "allowed" },
				],
				site,
				false,
			),
		).toBe("blocked");
	});
	it("takes a site that waits for one that is not listed", () => {
		expect(judge([{ rule: site, state: "pending" }], site, false)).toBe("unlisted");
		expect(judge([{ rule: site, state: "pending" }], site, true)).toBe("allowed");
	});
	it("agrees with a slow and obvious matcher", () => {
		const label = fc.constantFrom("a", "b", "shop", "site", "xshop");
		const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((l) => `${l.join(".")}.com`);
		const port = fc.constantFrom("", ":8443");
		const slow = (rule: string, claimed: string): boolean => {
			if (!rule.startsWith("*.")) return rule === claimed;
			const [ruleHost, rulePort = ""] = rule.slice(2).split(":") as [string, string?];
			const url = new URL(claimed);
			const labels = url.hostname.split(".");
			const suffix = ruleHost.split(".");
			return (
				url.port === rulePort && labels.length > suffix.length && suffix.every((l, i) => l === labels[labels.length - suffix.length + i])
			);
		};
		fc.assert(
			fc.property(fc.boolean(), host, port, host, port, (star, ruleHost, rulePort, siteHost, sitePort) => {
				const rule = star ? `*.${ruleHost}${rulePort}` : `https://${ruleHost}${rulePort}`;
				const claimed = `https://${siteHost}${sitePort}`;
				expect(covers(rule, claimed)).toBe(slow(rule, claimed));
			}),
			{ numRuns: 5_000 },
		);
	});
});
