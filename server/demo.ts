/**
 * The main job on a fresh machine: a desk called mira with a memory, allowed on a demo site that stands on an origin of its
 * own, both served from here. A desk that is there already stays as its owner left it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serveDemoSite } from "../demo-site/serve.js";
import { type Config, ConfigError, commandPrefix } from "./config.js";
import type { Engine } from "./engine/engine.js";
import { PACKAGE_ROOT } from "./root.js";
import { type Serving, serve } from "./serve.js";

export const DEMO_HANDLE = "mira";
const MEMORY = join(PACKAGE_ROOT, "server/demo-memory");

/** How the demo's desk introduces itself. Each suggestion is answered from its memory, in its own language (test/questions.test.ts). */
export const DEMO_DESK = {
	name: "Mira",
	ownerName: "Mira Lin",
	about: "Handmade stoneware from a studio in Lisbon. Ask about shipping, prices, workshops and visits, in English or Chinese.",
	language: "en",
	suggestions: ["How long does shipping take?", "When is the next workshop?", "下一次工作坊是什么时候？"],
} as const;

/** The numbered embed that the demo site's page about numbers shows: a desk's first, so it is known. */
const DEMO_EMBED = {
	number: 1,
	look: {
		mode: "floating",
		name: "The demo's page about numbers",
		accent: "#a8532b",
		greeting: true,
		greetingText: "My look is kept at the desk.",
	},
} as const;

async function makeDesk(engine: Engine): Promise<void> {
	if (await engine.desk(DEMO_HANDLE)) return;
	await engine.owner.createOwner({
		handle: DEMO_HANDLE,
		...DEMO_DESK,
		suggestions: [...DEMO_DESK.suggestions],
	});
	await engine.owner.saveEmbed(DEMO_HANDLE, DEMO_EMBED.look);
	for (const file of readdirSync(MEMORY).sort()) {
		if (file.endsWith(".md")) await engine.owner.putMemory(DEMO_HANDLE, file, readFileSync(join(MEMORY, file), "utf8"));
	}
}

/** Serves desk and demo site. Rejects like `serve`, or where the demo site's port is taken, with everything closed again. */
export async function serveDemo(config: Config): Promise<Serving & { siteUrl: string }> {
	if (config.port !== 0 && config.port === config.demoPort) {
		throw new ConfigError([`DEMO_PORT must be another port than PORT, which is ${config.port}.`]);
	}
	const serving = await serve(config);
	try {
		await makeDesk(serving.desk.engine);
		const site = await serveDemoSite({
			port: config.demoPort,
			deskUrl: config.publicUrl,
			embed: DEMO_EMBED.number,
			command: `${commandPrefix(config.dataDir)}npx earthonline`,
		});
		const close = async (): Promise<void> => {
			await site.close();
			await serving.close();
		};
		try {
			await serving.desk.engine.owner.setSite(DEMO_HANDLE, site.sites.listed, "allowed");
			await serving.desk.engine.owner.setSite(DEMO_HANDLE, site.sites.blocked, "blocked");
		} catch (error) {
			await site.close();
			throw error;
		}
		return { ...serving, siteUrl: site.url, close };
	} catch (error) {
		await serving.close();
		throw error;
	}
}
