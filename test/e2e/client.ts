/** The client as a build makes it, in a folder that goes with the test: what the browser tests load is what is written now, not what was built last. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export async function buildClient(): Promise<{ dir: string; remove(): Promise<void> }> {
	const dir = await mkdtemp(join(tmpdir(), "client-"));
	for (const configFile of ["vite.config.ts", "vite.embed.config.ts"]) {
		await build({ root: ROOT, configFile: join(ROOT, configFile), logLevel: "warn", build: { outDir: dir, emptyOutDir: false } });
	}
	return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}
