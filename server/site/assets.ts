/**
 * The built client, served: `/embed.js` and what it fetches to every site, `/assets/…` to our own documents. The folder is read once, at the
 * start, and only its own files are ever answered; packed forms are made when first asked for and kept.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { Hono } from "hono";
import { COMMON, isFresh, OPEN } from "./headers.js";

/** Types of what a build makes; a file of another kind is not served. */
const TYPES: Readonly<Record<string, string>> = {
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml; charset=utf-8",
	".png": "image/png",
	".webp": "image/webp",
	".woff2": "font/woff2",
};

/** What stands in other people's pages: the script, and the files that it fetches where a page has use for them. */
const EMBED_FILES = ["embed.js", "embed-chat.js", "embed-button.js", "embed-greeting.js", "embed-pet.js"];

/** The same for every site and short-lived, so that a mended script reaches all of them within minutes. */
const LOADER_CACHE = "public, max-age=300, stale-while-revalidate=86400";
/** Names of the build are fixed. Asked with its version a file is for ever; without, a browser asks each time. */
const VERSIONED_CACHE = "public, max-age=31536000, immutable";
const ASSET_CACHE = "no-cache";

interface File {
	bytes: Buffer;
	type: string;
	etag: string;
	packed: Partial<Record<Encoding, Promise<Buffer>>>;
}

type Encoding = "br" | "gzip";
const PACK: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export interface ClientFiles {
	/** URL path of a built file, with its version, or undefined where the client has not been built. */
	address(path: string): string | undefined;
	find(path: string): File | undefined;
}

/** Reads a folder with the files of the embed and `assets/`. One that is not there is an empty one: the pages say so. */
export function readClientFiles(dir: string): ClientFiles {
	const files = new Map<string, File>();
	const read = (name: string) => {
		const type = TYPES[extname(name)];
		if (!type) return;
		const bytes = readFileSync(join(dir, name));
		files.set(`/${name}`, { bytes, type, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`, packed: {} });
	};
	for (const name of EMBED_FILES) if (existsSync(join(dir, name))) read(name);
	if (existsSync(join(dir, "assets"))) {
		for (const entry of readdirSync(join(dir, "assets"), { withFileTypes: true })) if (entry.isFile()) read(`assets/${entry.name}`);
	}
	return {
		address(path) {
			const file = files.get(path);
			return file && `${path}?v=${versionOf(file)}`;
		},
		find: (path) => files.get(path),
	};
}

const versionOf = (file: File): string => file.etag.slice(1, 9);

/** The best packing that a browser takes, where it takes one. */
function encodingOf(accepted: string): Encoding | undefined {
	const taken = new Set<string>();
	for (const offer of accepted.toLowerCase().split(",")) {
		const [name = "", q = ""] = offer.split(";").map((part) => part.trim());
		if (!/^q=0(\.0*)?$/.test(q)) taken.add(name);
	}
	return taken.has("br") ? "br" : taken.has("gzip") ? "gzip" : undefined;
}

/** Serves the built files. */
export function assets(files: ClientFiles): Hono {
	const app = new Hono();
	for (const name of EMBED_FILES)
		app.get(`/${name}`, (c) => answer(c.req.raw.headers, files.find(`/${name}`), { ...OPEN, "cache-control": LOADER_CACHE }));
	app.get("/assets/:name", (c) => {
		const file = files.find(c.req.path);
		const cache = file && c.req.query("v") === versionOf(file) ? VERSIONED_CACHE : ASSET_CACHE;
		return answer(c.req.raw.headers, file, { ...COMMON, "cross-origin-resource-policy": "same-origin", "cache-control": cache });
	});
	return app;
}

async function answer(asked: Headers, file: File | undefined, headers: Record<string, string>): Promise<Response> {
	if (!file) {
		const text = "There is no such file. If this server was just installed, run npm run build and start it again.\n";
		return new Response(text, {
			status: 404,
			headers: { ...headers, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
		});
	}
	const all: Record<string, string> = { ...headers, etag: file.etag, vary: "Accept-Encoding" };
	if (isFresh(asked.get("if-none-match") ?? undefined, file.etag)) return new Response(null, { status: 304, headers: all });
	all["content-type"] = file.type;
	const encoding = encodingOf(asked.get("accept-encoding") ?? "");
	if (!encoding || !/^(text|image\/svg)/.test(file.type)) return new Response(new Uint8Array(file.bytes), { headers: all });
	file.packed[encoding] ??= PACK[encoding](file.bytes);
	return new Response(new Uint8Array(await file.packed[encoding]), { headers: { ...all, "content-encoding": encoding } });
}
