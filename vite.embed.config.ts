/**
 * Builds what stands in other people's pages: `/embed.js`, one classic script that stands alone, since it is pasted into pages
 * of every age, and the files that it fetches, each alone too. Run after vite.config.ts, whose folder it shares.
 */
import { build, defineConfig, type InlineConfig, type Plugin } from "vite";

/** Fetched by `import()`: the chat when somebody means to talk; the others by tags and pages that have use for them. */
const FETCHED = {
	"embed-chat": "widget/embed/chat.ts",
	"embed-greeting": "widget/embed/greeting.ts",
	"embed-button": "widget/embed/button.ts",
	"embed-pet": "widget/embed/pet.ts",
};

/** Names that nothing can change are put in where they are used, once. */
const PACKED = { topLevelVar: false };

/** Takes out what minifying leaves of the style sheets' lines: newlines in template literals, and it leaves no others. */
const oneLine: Plugin = {
	name: "one-line",
	enforce: "post",
	generateBundle(_, bundle) {
		for (const file of Object.values(bundle)) if (file.type === "chunk") file.code = file.code.replaceAll("\n", "");
	},
};

const common = (outDir: string): InlineConfig => ({
	publicDir: false,
	plugins: [oneLine],
	build: { outDir, emptyOutDir: false, target: "es2021", modulePreload: false, reportCompressedSize: false },
});

/** Builds the other files after the first: together they would share a file that each page had to wait for. */
const fetched: Plugin = {
	name: "fetched",
	apply: "build",
	configResolved(config) {
		const { root, logLevel } = config;
		const { outDir } = config.build;
		fetched.closeBundle = async () => {
			for (const [name, entry] of Object.entries(FETCHED)) {
				const options = common(outDir);
				const rolldownOptions = {
					input: { [name]: entry },
					preserveEntrySignatures: "strict" as const,
					output: { format: "es" as const, entryFileNames: "[name].js", ...PACKED },
				};
				await build({ ...options, configFile: false, root, logLevel, build: { ...options.build, rolldownOptions } });
			}
		};
	},
};

export default defineConfig({
	...common("dist/client"),
	plugins: [oneLine, fetched],
	build: {
		...common("dist/client").build,
		// As a library: else each `import()` is wrapped in a helper that such a page has no use for.
		rolldownOptions: { output: PACKED },
		lib: { entry: { embed: "widget/embed/main.ts" }, formats: ["iife"], name: "embed", fileName: () => "embed.js" },
	},
});
