/**
 * The door of the open web over the real engine and store, with a client folder of the test's choosing: what the tests of
 * `server/site` and of `/embed.js` ask. Its clock stands until it is turned.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { createEngine } from "../server/engine/create.js";
import type { Desk, Engine } from "../server/engine/engine.js";
import type { Store } from "../server/engine/ports.js";
import { siteDoor } from "../server/site/door.js";
import { openSqlite } from "../server/store/sqlite.js";
import { storeOf } from "../server/store/store.js";
import { isPublicSuffix } from "../server/suffix.js";
import { LIMITS } from "../shared/limits.js";

export const NOW = Date.UTC(2026, 4, 1, 12);

export interface SiteDesk {
	app: Hono;
	engine: Engine;
	store: Store;
	desk: Desk;
	config: { publicUrl: string; brandName: string; allowLocalhostSites: boolean };
	logged: { fields: Record<string, unknown>; text: string }[];
	/** Milliseconds that have gone by. */
	turn(ms: number): void;
	/** Opens it on a port of the system's choosing, as `http://localhost:…`; gives that origin. */
	listen(): Promise<string>;
	close(): Promise<void>;
}

/** `clientDir`: a folder that is not there is a client that was not built. */
export async function openSite(options: { clientDir?: string; publicUrl?: string; allowLocalhostSites?: boolean } = {}): Promise<SiteDesk> {
	const dir = await mkdtemp(join(tmpdir(), "site-"));
	let now = NOW;
	const clock = { now: () => now, after: () => () => {} };
	const logged: SiteDesk["logged"] = [];
	const log = (level: string, fields: Record<string, unknown>, text: string) => {
		if (level === "error") logged.push({ fields, text });
	};
	const store = storeOf(await openSqlite({ dir, workerUrl: new URL("../server/writer.js", import.meta.url), clock, log }), false);
	const config = {
		publicUrl: options.publicUrl ?? "https://desk.example",
		brandName: "EarthOnline",
		allowLocalhostSites: options.allowLocalhostSites ?? false,
	};
	const engine = await createEngine({
		store,
		answerers: [],
		clock,
		random: { bytes: (length) => randomBytes(length) },
		log,
		brand: config.brandName,
		limits: LIMITS,
		sites: { localhost: config.allowLocalhostSites, isPublicSuffix },
	});
	const desk = await engine.owner.createOwner({
		handle: "mira",
		name: "Mira",
		ownerName: "Mira Lin",
		about: "Stoneware & <drawings> from Lisbon",
	});
	const app = siteDoor({ engine, config, log, clientDir: options.clientDir ?? join(dir, "not-built") });
	const closing: (() => Promise<void>)[] = [];
	return {
		app,
		engine,
		store,
		desk,
		config,
		logged,
		turn: (ms) => {
			now += ms;
		},
		async listen() {
			const server = createAdaptorServer({ fetch: app.fetch });
			await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
			closing.push(() => new Promise((resolve) => server.close(() => resolve())));
			config.publicUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
			return config.publicUrl;
		},
		async close() {
			for (const close of closing) await close();
			await store.close();
			await rm(dir, { recursive: true, force: true });
		},
	};
}
