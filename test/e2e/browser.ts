/**
 * A real Chromium for the browser tests: found on this machine, launched once a test file with a fresh profile, and closed
 * with everything in it. Every page that is opened through here keeps what its console said and what it asked for. Also what is
 * looked for in pages of any test: the frame of the chat, and what axe finds.
 */
import { existsSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Frame, type Page } from "playwright-core";

/** Where Debian puts it; CHROMIUM names another. */
const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Nothing that asks the network for anything by itself. */
const FLAGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
];

/** A browser of its own, with more arguments than every test's, and `without` some of Playwright's. Rejects with a sentence where there is none on this machine. */
export async function launch(args: readonly string[] = [], without: readonly string[] = []): Promise<Browser> {
	const executablePath = PLACES.find((path) => path !== undefined && existsSync(path));
	if (!executablePath) throw new Error("No Chromium on this machine: install the package chromium, or name one in CHROMIUM.");
	return await chromium.launch({ executablePath, args: [...FLAGS, ...args], ignoreDefaultArgs: [...without] });
}

let launched: Promise<Browser> | undefined;

/** The browser of this test file. Rejects as `launch` does. */
export function browser(): Promise<Browser> {
	launched ??= launch();
	return launched;
}

/** For `afterAll`. */
export async function closeBrowser(): Promise<void> {
	await (await launched)?.close();
	launched = undefined;
}

export interface Visit {
	page: Page;
	context: BrowserContext;
	/** Lines of the console, the browser's own included: `warning: …`. */
	console: string[];
	/** Addresses asked for, in order. */
	requests: string[];
	/** Exceptions that nobody caught. */
	errors: string[];
	close(): Promise<void>;
}

/** A visitor with nothing stored: a context of their own in a browser, and one page. What its windows say and ask for is kept too. */
export async function visitIn(of: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
	const context = await of.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
	const page = await context.newPage();
	const seen: Visit = { page, context, console: [], requests: [], errors: [], close: () => context.close() };
	context.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
	context.on("weberror", (error) => seen.errors.push(error.error().message));
	context.on("request", (request) => seen.requests.push(request.url()));
	return seen;
}

/** A visitor in the browser of this test file. */
export const visit = async (options: BrowserContextOptions = {}): Promise<Visit> => visitIn(await browser(), options);

/** Visitors of a test, by the way in which they come. */
export function visitors(come: (options?: BrowserContextOptions) => Promise<Visit> = visit) {
	const here: Visit[] = [];
	return {
		async arrive(options: BrowserContextOptions = {}): Promise<Visit> {
			const one = await come(options);
			here.push(one);
			return one;
		},
		/** For `afterEach`: all of them go. Gives them, for what is to be true of each. */
		async leave(): Promise<Visit[]> {
			const gone = here.splice(0);
			for (const one of gone) await one.close();
			return gone;
		},
	};
}

/** The frame of a page whose address begins so; throws where there is none. */
export function frameAt(page: Page, address: string): Frame {
	const frame = page.frames().find((f) => f.url().startsWith(address));
	if (!frame) throw new Error(`There is no frame at ${address}.`);
	return frame;
}

/** What axe finds in a page, its frames included, that is serious or critical: the rule, and where. */
export async function findings(page: Page): Promise<string[]> {
	const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] });
	// Without frames there is nothing to join in a window of its own, which is what most of its time goes to.
	const { violations } = await axe.setLegacyMode(page.frames().length === 1).analyze();
	return violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}
