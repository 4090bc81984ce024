import { domainToASCII, domainToUnicode } from "node:url";
import { expect, it } from "vitest";
import { seeded } from "../../test/seeded.js";
import { decodeLabel, scriptWarning } from "./sites-scripts.js";

const named = (host: string): string => `https://${domainToASCII(host)}`;

it.each(["аррӏе.com", "googIе.com".toLowerCase(), "раураl.com", "ελλάδα.com", "a.аррӏе.com"])("warns of %s", (host) => {
	const site = named(host);
	expect(site).toContain("xn--");
	expect(scriptWarning(site)).toContain(`is written ${host}`);
});

it.each(["bücher.de", "例子.com", "東京タワー.jp", "abc例子.com", "한국.kr", "почта.рф", "مثال.com", "site.com", "xn--.com"])(
	"says nothing of %s",
	(host) => {
		expect(scriptWarning(host.includes("xn--") ? `https://${host}` : named(host))).toBeUndefined();
	},
);

it("looks at rules with a star and with a port as well", () => {
	expect(scriptWarning(`*.${domainToASCII("аррӏе.com")}:8443`)).toContain("аррӏе.com");
	expect(scriptWarning("*.site.com")).toBeUndefined();
});

it("reads labels as Node does, and what is none as none", () => {
	const random = seeded(7);
	const letters = "abcxyz0189-éüñßжюя中文例子日本語한국عربי";
	const chars = [...letters];
	let seen = 0;
	for (let i = 0; i < 3_000; i++) {
		const label = Array.from({ length: 1 + random.int(12) }, () => random.pick(chars)).join("");
		const ascii = domainToASCII(`${label}.com`);
		if (!ascii.startsWith("xn--")) continue;
		seen++;
		expect(`${decodeLabel(ascii.slice(4, -4))}.com`).toBe(domainToUnicode(ascii));
	}
	expect(seen).toBeGreaterThan(500);
	for (const text of ["99999999999999", "a-", "-", "!!", "zzzzzzzzzzzzzzzzzzzz"]) expect(() => decodeLabel(text)).not.toThrow();
	expect(decodeLabel("99999999999999")).toBeUndefined();
});
