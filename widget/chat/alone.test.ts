/** What is loaded only when it is needed shares nothing with the chat: the build would put the chat into it a second time, under another address. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it.each(["upload.ts", "keep.ts"])("%s imports nothing that runs", (name) => {
	const text = readFileSync(new URL(name, import.meta.url), "utf8");
	expect(text.match(/^import (?!type\b).*/gm) ?? []).toEqual([]);
});
