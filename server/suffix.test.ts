import { describe, expect, it } from "vitest";
import { isPublicSuffix } from "./suffix.js";

describe("the public suffix list", () => {
	it.each(["com", "co.uk", "github.io", "vercel.app", "netlify.app", "com.cn", "blogspot.com", "neverheardof"])("%s is one", (domain) =>
		expect(isPublicSuffix(domain)).toBe(true),
	);
	it.each(["shop.com", "mira.github.io", "bbc.co.uk", "a.b.shop.com", "site.test"])("%s is none", (domain) =>
		expect(isPublicSuffix(domain)).toBe(false),
	);
});
