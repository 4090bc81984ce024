/** The pages of the door and the demo site, and the script on them, looked at by axe: both themes, both languages, nothing serious. */
import { AxeBuilder } from "@axe-core/playwright";
import { describe, expect, it } from "vitest";
import type { Visit } from "./browser.js";
import { arrive, demo, origin, useSite } from "./site.js";

useSite();
let one: Visit;

/** What axe finds that is serious or critical: the rule, and where. */
async function findings(): Promise<string[]> {
	const { violations } = await new AxeBuilder({ page: one.page }).analyze();
	return violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
	it.each(["en-US", "zh-CN"])("the server's own pages have nothing serious in %s", async (locale) => {
		one = await arrive({ colorScheme, locale });
		for (const path of ["/", "/@mira", "/@nobody", "/@mira/embed?site=https://new.example"]) {
			await one.page.goto(origin + path);
			expect(await findings(), path).toEqual([]);
		}
	});

	it.each(["/", "/studio.html", "/commissions.html", "/kiln.html", "/zh.html", "/rtl.html", "/strict.html", "/app.html"])(
		"the demo's page %s and the chat on it have nothing serious",
		async (path) => {
			one = await arrive({ colorScheme, bypassCSP: true });
			await one.page.goto(demo.url + path);
			if (path === "/commissions.html") await one.page.locator("earth-online").scrollIntoViewIfNeeded();
			else {
				await one.page.locator("earth-online button").waitFor();
				expect(await findings()).toEqual([]);
				await one.page.locator("earth-online button").click();
			}
			await one.page.locator("earth-online .r").waitFor({ state: "attached" });
			await expect.poll(() => one.page.locator("earth-online .p").evaluate((p) => getComputedStyle(p).opacity)).toBe("1");
			expect(await findings()).toEqual([]);
		},
	);
});
