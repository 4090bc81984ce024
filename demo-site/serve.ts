/**
 * Serves the demo site: pages of a fictional studio on an origin of its own, one for each situation that the desk's script
 * meets on real sites (stops.ts). Fills in where a page says `{{desk}}` and the like (tour.ts), sends the headers that a page's
 * situation needs, and is slow where a page is about that. Knows nothing of the product but the desk's origin and the number of one
 * embed: it loads `/embed.js` as a stranger would.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Language, type Sites, STOPS } from "./stops.js";
import { barOf, FOOT, HEAD, listOf, topOf } from "./tour.js";

export interface DemoSite {
	/** `http://localhost:PORT`: the site that the desk should allow. */
	url: string;
	/** The same server by all of its names, each of which is another site to a browser. */
	sites: Sites;
	close(): Promise<void>;
}

export interface DemoSiteOptions {
	/** 0 lets the system choose. */
	port: number;
	deskUrl: string;
	/** Number of the embed that the page about numbers shows. */
	embed?: number;
	/** What stands before a command's words in the shell of whoever runs the demo. */
	command?: string;
	/** Passes the time, milliseconds, by which a thing of the slow page is late. */
	wait?: (ms: number) => Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml; charset=utf-8",
};

/** How late the first of the slow page's things is; the others come at twice and three times that. */
const SLOW_MS = 2_000;
const SLOW = /^\/slow\/([123])(\/[a-z]+\.(?:svg|js))$/;

const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

/** Headers that a page's own site would send. */
const HEADERS: Readonly<Record<string, (desk: string, nonce: string) => Record<string, string>>> = {
	"/strict.html": (desk) => ({
		"content-security-policy": [
			"default-src 'none'",
			"style-src 'self'",
			"base-uri 'none'",
			"form-action 'none'",
			`script-src 'self' ${desk}`,
			`connect-src ${desk}`,
			`frame-src ${desk}`,
			"img-src 'self'",
			"require-trusted-types-for 'script'",
			"trusted-types 'none'",
		].join("; "),
		...ISOLATED,
	}),
	"/nonce.html": (desk, nonce) => ({
		"content-security-policy": [
			"default-src 'none'",
			"style-src 'self'",
			"base-uri 'none'",
			"form-action 'none'",
			`script-src 'nonce-${nonce}'`,
			`connect-src ${desk}`,
			`frame-src ${desk}`,
			"img-src 'self'",
		].join("; "),
	}),
	"/isolated.html": () => ISOLATED,
	// No script at all, as in a README: the page keeps itself to that.
	"/readme.html": (desk) => ({ "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self' ${desk}` }),
	"/mail.html": (desk) => ({ "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self' ${desk}` }),
};

/** Names of this machine, and so of this server: every browser knows the first two, and most the third. */
const sitesAt = (port: number): Sites => ({
	listed: `http://localhost:${port}`,
	unlisted: `http://127.0.0.1:${port}`,
	blocked: `http://blocked.localhost:${port}`,
});

/** Where the pages lie: beside this module, or beside the package where it was bundled. */
function pagesFolder(): string {
	const here = fileURLToPath(new URL(".", import.meta.url));
	for (const folder of [join(here, "pages"), resolve(here, "../../demo-site/pages"), resolve(here, "../../../demo-site/pages")]) {
		try {
			readdirSync(folder);
			return folder;
		} catch {
			// The next place.
		}
	}
	throw new Error("The pages of the demo site are not there: run it from a whole copy of the package.");
}

/** What of a page's HTML is the product's: its lines and badges, as the page holds them. */
const linesOf = (html: string): string[] =>
	html.match(/<script [^>]*src="\{\{desk\}\}\/embed\.js"[^>]*><\/script>|<a [^>]*><img [^>]*\{\{desk\}\}\/@[^>]*badge[^>]*><\/a>/g) ?? [];

/** Serves until closed. Rejects where the port is taken. */
export async function serveDemoSite(options: DemoSiteOptions): Promise<DemoSite> {
	const desk = new URL(options.deskUrl).origin;
	const wait = options.wait ?? ((ms) => new Promise<void>((done) => setTimeout(done, ms)));
	const folder = pagesFolder();
	const files = new Map<string, { type: string; body: string }>();
	for (const name of readdirSync(folder)) {
		const type = TYPES[extname(name)];
		if (type) files.set(`/${name}`, { type, body: readFileSync(join(folder, name), "utf8") });
	}
	let port = options.port;

	const fill = (html: string, values: Record<string, string>): string => html.replace(/\{\{(\w+)\}\}/g, (all, name) => values[name] ?? all);

	/** A page as one reader gets it. */
	const pageOf = (at: string, html: string, asked: Language | undefined, nonce: string): string => {
		const sites = sitesAt(port);
		const stop = STOPS.find(({ path }) => path === at);
		const values = {
			...sites,
			desk,
			nonce,
			embed: String(options.embed ?? 1),
			command: options.command ?? "npx earthonline",
			site: encodeURIComponent(sites.listed),
			here: encodeURIComponent(sites[stop?.site ?? "listed"]),
			head: HEAD,
			top: topOf(at),
			foot: FOOT,
		};
		const language = asked ?? stop?.language ?? "en";
		const lines = linesOf(html).map((line) => fill(line, { ...values, nonce: "…" }));
		const tour = stop ? barOf(stop, language, sites, lines) : listOf(at === "/index.zh.html" ? "zh" : "en", sites);
		return fill(html, { ...values, tour });
	};

	const server = createServer(async (request, response) => {
		const [path = "/", query = ""] = (request.url ?? "/").split("?");
		const slow = SLOW.exec(path);
		const at = path === "/" ? "/index.html" : (slow?.[2] ?? path);
		const file = files.get(at);
		if (!file || (request.method !== "GET" && request.method !== "HEAD")) {
			response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
			return response.end("There is no such page here. The tour begins at /\n");
		}
		// What is late here is late for this page alone.
		if (slow) await wait(Number(slow[1]) * SLOW_MS);
		const nonce = randomBytes(16).toString("base64url");
		response.writeHead(200, {
			"content-type": file.type,
			"cache-control": slow ? "no-store" : "no-cache",
			"cross-origin-resource-policy": "same-origin",
			...HEADERS[at]?.(desk, nonce),
		});
		if (request.method === "HEAD") return response.end();
		const asked = new URLSearchParams(query).get("lang");
		response.end(
			file.type === TYPES[".html"] ? pageOf(at, file.body, asked === "zh" || asked === "en" ? asked : undefined, nonce) : file.body,
		);
	});
	await new Promise<void>((done, fail) => {
		server.once("error", fail);
		server.listen(options.port, "127.0.0.1", done);
	});
	const address = server.address();
	port = typeof address === "object" && address ? address.port : options.port;
	return {
		url: sitesAt(port).listed,
		sites: sitesAt(port),
		close: () =>
			new Promise((done) => {
				server.close(() => done());
				server.closeAllConnections();
			}),
	};
}
