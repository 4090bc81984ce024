/**
 * Builds the chat that lives in the frame: `dist/client/assets/chat.js` and `chat.css`. Names are fixed, because the
 * framed document is the server's own and serves them with an ETag. JSX is Preact's, as tsconfig.json says.
 */
import { defineConfig } from "vite";

export default defineConfig({
	publicDir: false,
	build: {
		outDir: "dist/client",
		emptyOutDir: true,
		target: "es2020",
		modulePreload: false,
		cssCodeSplit: false,
		reportCompressedSize: false,
		rolldownOptions: {
			input: { chat: "widget/chat/main.tsx" },
			output: {
				format: "es",
				entryFileNames: "assets/[name].js",
				chunkFileNames: "assets/[name].js",
				assetFileNames: "assets/chat[extname]",
			},
		},
	},
});
