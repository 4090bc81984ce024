/**
 * Bundles the server of this suite and its writer's thread, once a run: every crash is a start, and a start from source costs a
 * second. The bundle lies inside the package, since what it leaves outside (native code, pg) is found from there.
 */
import { rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { HELPERS, OUTSIDE } from "../../vite.server.config.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Builds; returns the path of the server's entry, and what removes the bundle. */
export async function buildServer(): Promise<{ entry: string; remove(): void }> {
	const outDir = join(ROOT, "dist", `chaos-${process.pid}`);
	await mkdir(outDir, { recursive: true });
	await build({
		configFile: false,
		root: ROOT,
		logLevel: "error",
		publicDir: false,
		ssr: { noExternal: true, external: OUTSIDE, target: "node" },
		build: {
			ssr: true,
			outDir,
			emptyOutDir: true,
			target: "node20",
			minify: false,
			reportCompressedSize: false,
			rolldownOptions: {
				input: {
					...Object.fromEntries(["server", "writer", "holder"].map((name) => [name, join(ROOT, `test/chaos/${name}.ts`)])),
					...Object.fromEntries(Object.entries(HELPERS).map(([name, source]) => [name, join(ROOT, source)])),
				},
				output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "shared-[name].js" },
			},
		},
	});
	return { entry: join(outDir, "server.js"), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}
