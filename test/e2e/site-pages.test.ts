/**
 * Every page of the doors and of the demo site, and what our script puts on a page, looked at by axe in both themes and both languages:
 * nothing serious, nothing critical. A visitor a language walks from page to page and changes the theme on each, both side by side.
 */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { STOPS } from "../../demo-site/stops.js";
import type { Answerer, Ending } from "../../server/engine/ports.js";
import { TEXTS } from "../../server/site/texts.js";
import { WIDE_LIMITS } from "../limits.js";
import { findings } from "./browser.js";
import { arrive, button, chatReady, demo, desk, inBoth, LOOKED_AT, look, origin, THEMES, useSite } from "./site.js";

/** How a question ends, by its first word. */
const ENDINGS = {
	answered: { type: "reply", asks: false },
	asks: { type: "reply", asks: true },
	authorise: { type: "needs_authorisation", explanation: "Sign in at the shop first." },
	failed: { type: "failed", explanation: "The kiln is cold." },
	ended: { type: "end_conversation" },
} satisfies Record<string, Ending>;
type State = keyof typeof ENDINGS;

const REPLY = "**Cups** cost €28:\n\n* with a handle, `mug-300`\n* without\n\n> [prices](https://shop.example), this year's";

const answerer: Answerer = {
	name: "states",
	inProcess: true,
	maySilence: false,
	*answer({ incoming }) {
		const [word = ""] = incoming.at(-1)?.message.parts[0]?.text?.split(" ") ?? [];
		yield { type: "text", text: REPLY };
		yield { type: "gap", question: "Is the kiln warm?" };
		yield ENDINGS[word as State] ?? ENDINGS.answered;
	},
};

useSite({ answerer, memory: { "prices.md": "# Prices\n\nA cup costs €28." }, config: { limits: WIDE_LIMITS } });
beforeAll(async () => {
	const { owner } = desk.engine;
	await owner.saveEmbed("mira", { mode: "floating", accent: "#a8532b" });
	await owner.setSite("mira", demo.sites.blocked, "blocked");
	await owner.createOwner({ handle: "lin", name: "林美的陶艺工作室", about: "里斯本的手工陶器。", language: "zh" });
	await owner.createOwner({ handle: "away", name: "Away" });
	await owner.changeSettings("away", { builtInAnswerer: false });
});

const lookAt = async (page: Page, address: string): Promise<void> => {
	await page.goto(address);
	await look(page);
};

describe("axe finds nothing serious", () => {
	it(
		"on the desk's pages, and on those that refuse",
		() =>
			inBoth(async ({ page }) => {
				for (const path of ["/", "/@mira", "/@lin", "/@away", "/@example", "/@nobody", "/@mira/chat", "/@mira/ask", "/@mira/ask/eolf_none"])
					await lookAt(page, origin + path);
				await lookAt(page, `${origin}/@mira/embed?site=https://new.example`);
				await lookAt(page, `${origin}/@mira/embed?site=${demo.sites.blocked}`);
			}),
		120_000,
	);

	it(
		"on the page that checks an install, whatever it finds",
		() =>
			inBoth(async ({ page }) => {
				await lookAt(page, `${origin}/check`);
				for (const site of [
					"",
					"https://www.new.example",
					"http://new.example",
					demo.url,
					demo.sites.blocked,
					"https://new.example&embed=99",
					"https://new.example&embed=x",
				])
					await lookAt(page, `${origin}/check?handle=mira&site=${site}`);
				for (const rule of ["*.new.example", "https://new.example", "*.com"])
					await lookAt(page, `${origin}/check?handle=mira&site=https://www.new.example&rule=${rule}`);
			}),
		120_000,
	);

	it(
		"on the page that makes a line, with its preview",
		() =>
			inBoth(async ({ page }) => {
				await lookAt(page, `${origin}/snippet?handle=nobody`);
				for (const choice of ["mode=inline&view=phone&page=dark", "embed=99&accent=red"]) {
					await page.goto(`${origin}/snippet?handle=mira&${choice}`);
					await page.frameLocator("#preview").locator("earth-online").first().waitFor({ state: "attached" });
					await look(page);
				}
			}),
		120_000,
	);

	it(
		"on the pages of a question, wherever it stands",
		() =>
			inBoth(async ({ page }, language) => {
				const { askStates } = TEXTS[language];
				const stands = page.locator(".stands");
				for (const state of Object.keys(ENDINGS) as State[]) {
					await page.goto(`${origin}/@mira/ask?q=${state} ${language}`);
					await page.waitForURL(/\/ask\/eolf_/);
					// Opened again, it waits for the answer.
					await expect.poll(async () => (await page.reload()) && (await stands.textContent())).toBe(askStates[state]("Mira"));
					await look(page, state);
				}
				await page.locator("section form button").click();
				await look(page, "a link that has ended");
				await page.goto(`${origin}/@away/ask?q=kept ${language}`);
				await page.waitForURL(/\/ask\/eolf_/);
				expect(await stands.textContent()).toBe(askStates.kept("Away"));
				await look(page, "kept");
			}),
		120_000,
	);

	it(
		"on the owner's pages",
		() =>
			inBoth(async ({ page }, language) => {
				const handle = { en: "mira", zh: "lin" }[language];
				await lookAt(page, `${origin}/agent`);
				await page.goto(`${origin}/sign-in#${await desk.engine.owner.createSignIn(handle)}`);
				await page.waitForURL(`${origin}/agent`);
				expect(await page.locator("html").getAttribute("lang")).toBe(language);
				await look(page);
				await page.locator("#sign-out").click();
				await page.waitForURL(`${origin}/sign-in`);
				await look(page);
				await page.goto("about:blank");
				await page.goto(`${origin}/sign-in#used`);
				await page.getByRole("heading", { name: /^This link has been used/ }).waitFor();
				await look(page, "a sign-in link that was used");
			}),
		120_000,
	);

	it("on every page of the guide", async () => {
		const index = await (await fetch(`${origin}/llms.txt`)).text();
		const names = new Set([...index.matchAll(/\/docs\/([\w/-]+)\.md/g)].map(([, name]) => `/docs/${name}`));
		expect(names.size).toBeGreaterThan(12);
		const left = ["/docs", ...names];
		await inBoth(async ({ page }) => {
			for (let path = left.shift(); path !== undefined; path = left.shift()) await lookAt(page, origin + path);
		});
	}, 120_000);

	it(
		"on the demo's pages, with what our script puts on them",
		() =>
			inBoth(async ({ page }, language) => {
				await lookAt(page, `${demo.url}${language === "zh" ? "/index.zh.html" : "/"}`);
				for (const { path, site } of STOPS) {
					await page.goto(`${demo.sites[site ?? "listed"]}${path}?lang=${language}`, { waitUntil: "domcontentloaded" });
					if (!site && !["/readme.html", "/mail.html", "/selector.html"].includes(path))
						await page.locator("earth-online").first().waitFor({ state: "attached" });
					await look(page);
				}
			}),
		180_000,
	);

	it("on a greeting", () =>
		inBoth(async ({ page }) => {
			await page.clock.install();
			await page.goto(`${demo.url}/greeting.html`);
			const hello = page.locator("earth-online").getByText("Hello! Ask me which glaze is on the shelf.");
			await expect.poll(async () => await page.clock.runFor(1_000).then(() => hello.count())).toBe(1);
			await look(page);
		}));

	it("on the chat over a page, and in one", async () => {
		await Promise.all(
			THEMES.map(async (colorScheme) => {
				const { page } = await arrive({ ...LOOKED_AT, colorScheme });
				const seen = async (path: string) => expect.soft(await findings(page), `${path}, ${colorScheme}`).toEqual([]);
				for (const path of [
					"/studio.html",
					"/pet.html",
					"/kiln.html",
					"/zh.html",
					"/rtl.html",
					"/strict.html",
					"/app.html",
					"/numbered.html",
				]) {
					await page.goto(demo.url + path);
					await button(page).click();
					await chatReady(page);
					await expect.poll(() => page.locator("earth-online .p").evaluate((p) => getComputedStyle(p).opacity)).toBe("1");
					await seen(path);
				}
				for (const path of ["/commissions.html", "/two.html"]) {
					await page.goto(demo.url + path);
					await page.locator("earth-online").first().scrollIntoViewIfNeeded();
					await chatReady(page);
					await seen(path);
				}
			}),
		);
	}, 120_000);
});
