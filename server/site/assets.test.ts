/** What stands in other people's pages is served alike, whichever of its files it is. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assets, readClientFiles } from "./assets.js";

const FILES = ["embed.js", "embed-chat.js", "embed-button.js", "embed-greeting.js", "embed-pet.js"];
let dir: string;
let app: ReturnType<typeof assets>;

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "assets-"));
	for (const name of [...FILES, "embed-other.js"]) await writeFile(join(dir, name), `// ${name}`);
	app = assets(readClientFiles(dir));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("the files of the embed", () => {
	it.each(FILES)("gives %s to every site, for minutes, and again only when it has changed", async (name) => {
		const answer = await app.request(`/${name}`);
		expect(await answer.text()).toBe(`// ${name}`);
		const headers = Object.fromEntries(answer.headers);
		expect(headers).toMatchObject({
			"content-type": "text/javascript; charset=utf-8",
			"cache-control": "public, max-age=300, stale-while-revalidate=86400",
			"access-control-allow-origin": "*",
			"cross-origin-resource-policy": "cross-origin",
			"x-content-type-options": "nosniff",
			vary: "Accept-Encoding",
		});
		expect((await app.request(`/${name}`, { headers: { "if-none-match": headers.etag as string } })).status).toBe(304);
		expect((await app.request(`/${name}`, { headers: { "accept-encoding": "br" } })).headers.get("content-encoding")).toBe("br");
	});

	it("gives nothing else of the folder", async () => {
		expect((await app.request("/embed-other.js")).status).toBe(404);
	});
});
