/**
 * A real Chromium for the browser tests: found on this machine, launched once a test file with a fresh profile, and closed
 * with everything in it. Every page that is opened through here keeps what its console said and what it asked for.
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page, type Request } from "playwright-core";

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

let launched: Promise<Browser> | undefined;

/** The browser of this test file. Rejects with a sentence where there is none. */
export function browser(): Promise<Browser> {
	const executablePath = PLACES.find((path) => path !== undefined && existsSync(path));
	if (!executablePath) throw new Error("No Chromium on this machine: install the package chromium, or name one in CHROMIUM.");
	launched ??= chromium.launch({ executablePath, args: FLAGS });
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

/** A visitor with nothing stored: a context of their own and one page. */
export async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
	const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
	const page = await context.newPage();
	const seen: Visit = { page, context, console: [], requests: [], errors: [], close: () => context.close() };
	page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
	page.on("pageerror", (error) => seen.errors.push(error.message));
	page.on("request", (request: Request) => seen.requests.push(request.url()));
	return seen;
}
