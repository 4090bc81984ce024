/**
 * Builds the server with its dependencies inside, because reading a thousand small files is most of a start. Native
 * code stays outside, and so does pg, which is loaded only where `DATABASE_URL` asks for it.
 */
import { defineConfig } from "vite";

export default defineConfig({
	publicDir: false,
	ssr: { noExternal: true, external: ["better-sqlite3", "pg"], target: "node" },
	build: {
		ssr: true,
		outDir: "dist/server",
		emptyOutDir: true,
		target: "node20",
		minify: false,
		sourcemap: true,
		reportCompressedSize: false,
		rolldownOptions: {
			input: { main: "server/main.ts", cli: "server/cli.ts", writer: "server/writer.ts" },
			// All in one folder: the writer's thread is found beside the module that starts it.
			output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "shared-[name].js" },
		},
	},
});
