/**
 * Serves the demo site: static pages of a fictional studio on an origin of its own, one for each situation that the desk's
 * script meets on real sites. Puts the desk's origin where a page says `{{desk}}` and changes nothing else. Knows nothing
 * of the product but that origin: it loads `/embed.js` as a stranger would.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export interface DemoSite {
	/** `http://localhost:PORT`: the site that the desk should allow. Its number, `http://127.0.0.1:PORT`, is another site. */
	url: string;
	close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml; charset=utf-8",
};

/** Headers that a page's own site would send. */
const HEADERS: Readonly<Record<string, (desk: string) => Record<string, string>>> = {
	"/strict.html": (desk) => ({
		"content-security-policy": [
			"default-src 'none'",
			"style-src 'self'",
			"base-uri 'none'",
			"form-action 'none'",
			`script-src 'self' ${desk}`,
			`connect-src ${desk}`,
			`frame-src ${desk}`,
			`img-src 'self' ${desk}`,
			"require-trusted-types-for 'script'",
			"trusted-types 'none'",
		].join("; "),
		"cross-origin-opener-policy": "same-origin",
		"cross-origin-embedder-policy": "require-corp",
	}),
};

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

/** Serves until closed. Port 0 lets the system choose. Rejects where the port is taken. */
export async function serveDemoSite(options: { port: number; deskUrl: string }): Promise<DemoSite> {
	const desk = new URL(options.deskUrl).origin;
	const folder = pagesFolder();
	const files = new Map<string, { type: string; body: Buffer | string }>();
	for (const name of readdirSync(folder)) {
		const type = TYPES[extname(name)];
		if (!type) continue;
		const body = readFileSync(join(folder, name));
		files.set(`/${name}`, { type, body: name.endsWith(".html") ? body.toString().replaceAll("{{desk}}", desk) : body });
	}

	const server = createServer((request, response) => {
		const path = (request.url ?? "/").split("?")[0] as string;
		const at = path === "/" ? "/index.html" : path;
		const file = files.get(at);
		if (!file || (request.method !== "GET" && request.method !== "HEAD")) {
			response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
			return response.end("There is no such page here. The tour begins at /\n");
		}
		response.writeHead(200, {
			"content-type": file.type,
			"cache-control": "no-cache",
			"cross-origin-resource-policy": "same-origin",
			...HEADERS[at]?.(desk),
		});
		response.end(request.method === "HEAD" ? undefined : file.body);
	});
	await new Promise<void>((done, fail) => {
		server.once("error", fail);
		server.listen(options.port, "127.0.0.1", done);
	});
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : options.port;
	return {
		url: `http://localhost:${port}`,
		close: () =>
			new Promise((done) => {
				server.close(() => done());
				server.closeAllConnections();
			}),
	};
}
