/**
 * Builds `/embed.js`: one classic script that stands alone, since it is pasted into pages of every age. Run after
 * vite.config.ts, whose folder it shares.
 */
import { defineConfig } from "vite";

export default defineConfig({
	publicDir: false,
	build: {
		outDir: "dist/client",
		emptyOutDir: false,
		target: "es2021",
		modulePreload: false,
		reportCompressedSize: false,
		rolldownOptions: {
			input: { embed: "widget/embed/main.ts" },
			output: { format: "iife", entryFileNames: "[name].js" },
		},
	},
});
