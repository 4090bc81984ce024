import { expect, test } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { createAttachments } from "./attachments.js";
import { settle } from "./fakes.js";
import type { Upload } from "./upload.js";

/** Attachments whose uploads a test ends as it likes. */
function some() {
	const calls: { name: string; signal: AbortSignal; progress(n: number): void; end(url: string): void; fail(unfit?: string): void }[] = [];
	const released: string[] = [];
	let drawn = 0;
	const upload: Upload = ({ file, signal, onProgress }) =>
		new Promise((resolve, reject) => {
			calls.push({
				name: file.name,
				signal,
				progress: onProgress,
				end: (url) => resolve({ url, mediaType: "image/png" }),
				fail: (unfit) => reject(Object.defineProperty(new Error("no"), "unfit", { value: unfit })),
			});
		});
	const attachments = createAttachments({
		token: () => "eolg_x",
		address: "/@mira/files",
		upload,
		changed: () => {
			drawn++;
		},
		preview: (file) => `blob:${file.name}`,
		release: (preview) => released.push(preview),
	});
	return { attachments, calls, released, drawn: () => drawn };
}
const file = (name: string): File => ({ name }) as File;

test("a picture is sent up at once, says how far it is, and is a part of the next message", async () => {
	const { attachments, calls, released } = some();
	attachments.add([file("cup.png")]);
	await settle();
	calls[0]?.progress(0.5);
	expect(attachments.list).toMatchObject([{ name: "cup.png", preview: "blob:cup.png", state: "sending", progress: 0.5 }]);
	calls[0]?.end("https://desk/f/1");
	await settle();
	expect(attachments.list).toMatchObject([{ state: "ready" }]);
	expect(attachments.take()).toEqual([{ url: "https://desk/f/1", mediaType: "image/png", filename: "cup.png" }]);
	expect(attachments.list).toEqual([]);
	expect(released).toEqual(["blob:cup.png"]);
});

test("one that fails says why, stays for another try, and is no part of a message", async () => {
	const { attachments, calls } = some();
	attachments.add([file("a.png"), file("b.png")]);
	await settle();
	calls[0]?.fail("type");
	calls[1]?.fail();
	await settle();
	expect(attachments.list).toMatchObject([
		{ state: "failed", problem: "type" },
		{ state: "failed", problem: "trouble" },
	]);
	attachments.retry(attachments.list[1]?.id ?? 0);
	await settle();
	calls[2]?.end("https://desk/f/2");
	await settle();
	expect(attachments.take()).toMatchObject([{ filename: "b.png" }]);
});

test("one that failed stays when a message goes without it, and says so until something is done about it", async () => {
	const { attachments, calls, released } = some();
	attachments.add([file("a.png"), file("b.png"), file("c.png")]);
	await settle();
	calls[0]?.end("https://desk/f/1");
	calls[1]?.fail();
	calls[2]?.fail("type");
	await settle();
	expect([attachments.left, attachments.take()]).toMatchObject([false, [{ filename: "a.png" }]]);
	expect(attachments.list.map(({ name, state }) => [name, state])).toEqual([
		["b.png", "failed"],
		["c.png", "failed"],
	]);
	expect([attachments.left, released]).toEqual([true, ["blob:a.png"]]);
	attachments.retry(attachments.list[0]?.id ?? 0);
	expect(attachments.left).toBe(false);
	attachments.take();
	expect(attachments.left).toBe(true);
	attachments.remove(attachments.list[1]?.id ?? 0);
	expect(attachments.left).toBe(false);
});

test("one that is taken away stops, and what comes of it is nothing", async () => {
	const { attachments, calls, released } = some();
	attachments.add([file("a.png")]);
	await settle();
	attachments.remove(attachments.list[0]?.id ?? 0);
	expect(calls[0]?.signal.aborted).toBe(true);
	calls[0]?.end("https://desk/f/1");
	await settle();
	expect(attachments.list).toEqual([]);
	expect(released).toEqual(["blob:a.png"]);
});

test("no more than a message may have; names lose what no name has", async () => {
	const { attachments } = some();
	attachments.add(Array.from({ length: LIMITS.picturesPerMessage + 2 }, (_, i) => file(`${i}\u202e\n.png`)));
	expect(attachments.list).toHaveLength(LIMITS.picturesPerMessage);
	expect(attachments.tooMany).toBe(true);
	expect(attachments.list[0]?.name).toBe("0.png");
	attachments.remove(attachments.list[0]?.id ?? 0);
	expect(attachments.tooMany).toBe(false);
});
