/**
 * A small web of its own, for tests of what strangers may do: every name under `.test` is a site over real TLS, `https://desk.test` is
 * the desk behind a terminator, and a browser that finds every other name in a trap. What gets into the trap was asked of somebody who
 * is none of ours, whatever made the browser ask.
 */
import { createServer as createHttp, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { makeCertificate } from "../certificate.js";
import { openTestDesk, type TestDesk, type TestDeskOptions } from "../desk.js";
import { launch, type Visit, visitIn, visitors } from "./browser.js";
import { buildClient } from "./client.js";

export const DESK = "https://desk.test";

export interface World {
	desk: TestDesk;
	browser: Browser;
	/** What was asked of hosts that are nobody's: `evil.example` by its TLS greeting, else the first line of what was sent. */
	strays: string[];
	/** A visitor with nothing stored. */
	arrive(options?: BrowserContextOptions): Promise<Visit>;
	close(): Promise<void>;
}

/** Anybody's limits but so many that a test of many cases is one visitor's work. */
const PLENTY = {
	...LIMITS,
	requestsPerMinutePerAddress: 100_000,
	requestsPerMinutePerSite: 100_000,
	newGuestsPerMinutePerAddress: 10_000,
	guestMessagesPerMinute: 10_000,
	guestMessagesPerHour: 10_000,
	pendingSitesPerHour: 1_000,
};

/** Looks again until it is so: longer than usual, since several people's browsers may share a machine. */
export const soon = <T>(look: () => T | Promise<T>, options = { timeout: 10_000 }) => expect.poll(look, options);

/** A page of a site that holds some HTML. */
export const page = (site: string, html: string): string => `${site}/?${encodeURIComponent(html)}`;
/** An address of a site that sends the browser on to another. */
export const redirect = (site: string, to: string): string => `${site}/go?${encodeURIComponent(to)}`;
export const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
export const frame = (src: string, more = ""): string => `<iframe src="${attribute(src)}" ${more}></iframe>`;
export const srcdoc = (html: string, more = ""): string => `<iframe srcdoc="${attribute(html)}" ${more}></iframe>`;
export const dataPage = (html: string): string => `data:text/html,${encodeURIComponent(html)}`;
/** The line that a site pastes. */
export const tag = (more = 'data-mode="inline"'): string => `<script src="${DESK}/embed.js" data-handle="mira" ${more} async></script>`;
/** The document of the chat, for a site that is claimed. */
export const doc = (claimed: string): string => `${DESK}/@mira/embed?site=${encodeURIComponent(claimed)}`;

const sites: RequestListener = (request, response) => {
	const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/);
	if (path === "/go") {
		response.writeHead(302, { location: decodeURIComponent(query) });
		return response.end();
	}
	response.writeHead(path === "/" ? 200 : 204, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
	response.end(path === "/" ? `<!doctype html><title>A page</title><body>${decodeURIComponent(query)}` : "");
};

/** The browser's own errands: none of them is ours, and none carries anything of a page. */
const ERRANDS = /(?:^|\.)(?:google|googleapis|gstatic|gvt1|gvt2)\.com$/;

/** The name that a TLS greeting asks for (RFC 6066: extension 0, a list of one name), else what the first lines say. */
function askedOf(first: Buffer): string {
	for (let at = 0; at + 9 < first.length; at++) {
		if (first.readUInt16BE(at) !== 0 || first.readUInt8(at + 6) !== 0) continue;
		const length = first.readUInt16BE(at + 7);
		if (length > 0 && first.readUInt16BE(at + 2) === length + 5 && first.readUInt16BE(at + 4) === length + 3)
			return first.toString("latin1", at + 9, at + 9 + length);
	}
	const text = first.toString("latin1");
	return /^host: *(.*)$/im.exec(text)?.[1]?.trim() ?? `nobody: ${JSON.stringify(text.slice(0, 80))}`;
}

async function openWorld(options: TestDeskOptions = {}): Promise<World> {
	const { key, cert, spki } = makeCertificate(["desk.test", "site.test", "*.site.test", "shop.test", "*.shop.test", "evil.test"]);
	const open: Server[] = [];
	const sockets = new Set<Socket>();
	const listen = async (server: Server): Promise<number> => {
		open.push(server);
		server.on("connection", (socket: Socket) => {
			sockets.add(socket);
			socket.on("close", () => sockets.delete(socket));
			socket.on("error", () => undefined);
		});
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		return (server.address() as AddressInfo).port;
	};

	const desk = await openTestDesk({ ...options, config: { limits: PLENTY, allowLocalhostSites: false, ...options.config } });
	const { port } = await desk.serve();
	desk.config.publicUrl = DESK;
	const strays: string[] = [];
	const terminator = createTls({ key, cert, ALPNProtocols: ["http/1.1"] }, (inside) => {
		const onwards = connect(port, "127.0.0.1");
		const end = (): void => {
			inside.destroy();
			onwards.destroy();
		};
		for (const side of [inside, onwards]) side.on("error", end).on("close", end);
		inside.pipe(onwards).pipe(inside);
	});
	const trap = createTcp((socket) => {
		socket.once("data", (first) => {
			const host = askedOf(first);
			if (!ERRANDS.test(host)) strays.push(host);
			socket.destroy();
		});
	});
	const [deskPort, httpsPort, httpPort, trapPort] = [
		await listen(terminator),
		await listen(createHttps({ key, cert }, sites)),
		await listen(createHttp(sites)),
		await listen(trap),
	];
	const names = (ending: string, at: number): string[] => [`MAP *.test${ending} 127.0.0.1:${at}`, `MAP *.test.${ending} 127.0.0.1:${at}`];
	const rules = [
		`MAP desk.test:443 127.0.0.1:${deskPort}`,
		...names(":443", httpsPort as number),
		...names(":8443", httpsPort as number),
		...names(":80", httpPort as number),
		`MAP * 127.0.0.1:${trapPort}`,
	];
	const browser = await launch([`--ignore-certificate-errors-spki-list=${spki}`, `--host-resolver-rules=${rules.join(", ")}`]);
	return {
		desk,
		browser,
		strays,
		arrive: (more) => visitIn(browser, more),
		async close() {
			await browser.close();
			for (const server of open) server.close();
			for (const socket of sockets) socket.destroy();
			await desk.close();
		},
	};
}

/** The client as it is written now. */
export let client: Awaited<ReturnType<typeof buildClient>>;
export let world: World;
const visits = visitors((options) => world.arrive(options));

/**
 * For the top of a test file: opens it before the tests and closes it after them; visitors leave after each. `options`: of the desk.
 * `unbroken`: no page of any test throws.
 */
export function useWorld(options: TestDeskOptions = {}, { unbroken = false } = {}): void {
	beforeAll(async () => {
		client = await buildClient();
		world = await openWorld({ ...options, clientDir: client.dir });
	});
	afterEach(async () => {
		const gone = await visits.leave();
		if (unbroken) expect(gone.flatMap(({ errors }) => errors)).toEqual([]);
	});
	afterAll(async () => {
		await world.close();
		await client.remove();
	});
}

/** A visitor of this test. */
export const { arrive } = visits;

/** `chat`: the chat is there; `notice`: our page that says why not; `refused`: the browser shows nothing of ours; undefined: not yet. */
async function shown(at: Page): Promise<"chat" | "notice" | "refused" | undefined> {
	const ours = chatFrame(at);
	// A frame whose address is already ours may yet be refused: what counts is what it holds.
	if (ours)
		return (await ours.locator("#app").count()) > 0 ? "chat" : (await ours.locator("main.quiet").count()) > 0 ? "notice" : undefined;
	return at.frames().some((f) => f.url().startsWith("chrome-error:")) ? "refused" : undefined;
}

export const chatFrame = (at: Page): Frame | undefined => at.frames().find((f) => f.url().startsWith(`${DESK}/`));

/** What a browser makes of the documents in a page, once it has decided. Fails where it never does. */
export async function outcome(at: Page): Promise<"chat" | "notice" | "refused"> {
	let verdict: Awaited<ReturnType<typeof shown>>;
	// A frame that is just being replaced cannot be looked into: it is looked at again.
	await soon(async () => {
		verdict = await shown(at).catch(() => undefined);
		return verdict;
	}).toBeDefined();
	return verdict as "chat" | "notice" | "refused";
}
