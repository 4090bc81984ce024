/** The pages of the door and the demo site, and the script on them, looked at by axe: both themes, both languages, nothing serious. */
import { AxeBuilder } from "@axe-core/playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { STOPS } from "../../demo-site/stops.js";
import type { Visit } from "./browser.js";
import { arrive, demo, desk, origin, unlisted, useSite } from "./site.js";

useSite();
beforeAll(async () => {
	await desk.engine.owner.saveEmbed("mira", { mode: "floating", accent: "#a8532b" });
});
let one: Visit;

/** What axe finds that is serious or critical: the rule, and where. */
async function findings(): Promise<string[]> {
	const { violations } = await new AxeBuilder({ page: one.page }).analyze();
	return violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}

/** Pages on which the corner opens the chat, one a kind. */
const OPENED = ["/studio.html", "/kiln.html", "/zh.html", "/rtl.html", "/strict.html", "/app.html", "/numbered.html"];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
	it.each(["en-US", "zh-CN"])("the server's own pages have nothing serious in %s", async (locale) => {
		one = await arrive({ colorScheme, locale, bypassCSP: true });
		const paths = ["/", "/@mira", "/@nobody", "/@mira/embed?site=https://new.example"];
		for (const site of ["", "https://www.new.example", "http://new.example", demo.url]) paths.push(`/check?handle=mira&site=${site}`);
		paths.push("/check", "/snippet?handle=mira&mode=inline&view=phone&page=dark", "/snippet?handle=mira&embed=99&accent=red");
		for (const path of paths) {
			await one.page.goto(origin + path);
			if (path.startsWith("/snippet"))
				await one.page.frameLocator("#preview").locator("earth-online").first().waitFor({ state: "attached" });
			expect(await findings(), path).toEqual([]);
		}
	});

	it.each(["/", "/index.zh.html", ...STOPS.map(({ path }) => path)])("the demo's page %s has nothing serious", async (path) => {
		one = await arrive({ colorScheme, bypassCSP: true });
		const elsewhere = STOPS.find((stop) => stop.path === path)?.elsewhere;
		await one.page.goto((elsewhere ? unlisted : demo.url) + path, { waitUntil: "domcontentloaded" });
		if (!elsewhere && !["/readme.html", "/mail.html", "/selector.html"].includes(path))
			await one.page.locator("earth-online").first().waitFor({ state: "attached" });
		expect(await findings()).toEqual([]);
	});

	it.each(OPENED)("the chat opened on the demo's page %s has nothing serious", async (path) => {
		one = await arrive({ colorScheme, bypassCSP: true });
		await one.page.goto(demo.url + path);
		await one.page.locator("earth-online button").click();
		await one.page.locator("earth-online .r").waitFor({ state: "attached" });
		await expect.poll(() => one.page.locator("earth-online .p").evaluate((p) => getComputedStyle(p).opacity)).toBe("1");
		expect(await findings()).toEqual([]);
	});
});
