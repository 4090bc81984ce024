/**
 * Builds the server with its dependencies inside, because reading a thousand small files is most of a start. Native
 * code stays outside, and so does pg, which is loaded only where `DATABASE_URL` asks for it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The guide goes with the server that shows it. */
const guide: Plugin = {
	name: "guide",
	generateBundle() {
		for (const file of readdirSync("docs", { recursive: true }) as string[]) {
			if (file.endsWith(".md") && !file.startsWith("decisions"))
				this.emitFile({ type: "asset", fileName: `docs/${file}`, source: readFileSync(`docs/${file}`) });
		}
	},
};

/** What a bundle of the server leaves outside. */
export const OUTSIDE = ["better-sqlite3", "pg", "@resvg/resvg-js", "sharp"];

/** What the server starts beside itself, besides its writer; a bundle of the server has them too. */
export const HELPERS = { encoder: "server/encoder.ts", "feed-reader": "server/feed-reader.ts" };

export default defineConfig({
	publicDir: false,
	plugins: [guide],
	ssr: { noExternal: true, external: OUTSIDE, target: "node" },
	build: {
		ssr: true,
		outDir: "dist/server",
		emptyOutDir: true,
		target: "node20",
		minify: false,
		sourcemap: true,
		reportCompressedSize: false,
		rolldownOptions: {
			input: { main: "server/main.ts", cli: "server/cli.ts", writer: "server/writer.ts", ...HELPERS },
			// All in one folder: threads and processes are found beside the module that starts them.
			output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "shared-[name].js" },
		},
	},
});
