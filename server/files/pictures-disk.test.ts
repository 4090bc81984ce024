/** What is said to be kept is found again after a power cut: the bytes, the name that they stand under, and every folder on the way to it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type OpenedPictures, openPictures } from "./pictures.js";

/** What has been asked of the disk, in order; paths below the test's folder. */
const disk = vi.hoisted(() => ({
	asked: [] as string[],
	name: (path: string) => path,
	before: async (_: string): Promise<void> => undefined,
}));

vi.mock("node:fs/promises", async (importOriginal) => {
	const real = await importOriginal<typeof import("node:fs/promises")>();
	return {
		...real,
		async open(path: string, ...rest: [string, number?]): Promise<FileHandle> {
			const handle = await real.open(path, ...rest);
			const sync = handle.sync.bind(handle);
			handle.sync = async () => {
				await disk.before(disk.name(path));
				await sync();
				disk.asked.push(`sync ${disk.name(path)}`);
			};
			return handle;
		},
		async rename(from: string, to: string): Promise<void> {
			await real.rename(from, to);
			disk.asked.push(`rename ${disk.name(to)}`);
		},
	};
});

let root: string;
let pictures: OpenedPictures;
const uidOf = (letter: string): string => letter.repeat(32);
const BYTES = new Uint8Array([1, 2, 3]);

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "pictures-disk-"));
	disk.asked = [];
	disk.name = (path) => relative(dirname(root), path).replace(relative(dirname(root), root), "root");
	disk.before = async () => undefined;
	pictures = openPictures({ dir: join(root, "files"), encoder: new URL("../encoder.js", import.meta.url) });
});
afterEach(() => {
	pictures.close();
	rmSync(root, { recursive: true, force: true });
});

describe("a picture that is kept", () => {
	it("is on disk with its name and every folder above it when this is said", async () => {
		const uid = uidOf("a");
		await pictures.put(uid, BYTES);
		expect(disk.asked).toEqual([
			"sync root/files",
			"sync root",
			`sync root/files/aa/${uid}.partial`,
			`rename root/files/aa/${uid}`,
			"sync root/files/aa",
		]);
		disk.asked = [];
		await pictures.put(`aa${"b".repeat(30)}`, BYTES);
		expect(disk.asked.filter((line) => line.startsWith("sync"))).toEqual([
			`sync root/files/aa/aa${"b".repeat(30)}.partial`,
			"sync root/files/aa",
		]);
	});

	it("is so in a folder that was there already: whoever made it may have been cut off before it was on disk", async () => {
		mkdirSync(join(root, "files/aa"), { recursive: true });
		await pictures.put(uidOf("a"), BYTES);
		expect(disk.asked).toEqual(expect.arrayContaining(["sync root/files", "sync root"]));
	});

	it("is so in a folder that was taken away and is made anew", async () => {
		await pictures.put(uidOf("a"), BYTES);
		rmSync(join(root, "files"), { recursive: true });
		disk.asked = [];
		await pictures.put(uidOf("a"), BYTES);
		expect(disk.asked).toEqual(expect.arrayContaining(["sync root/files", "sync root"]));
	});

	it("waits for the folder that another one has just made", async () => {
		let open = (): void => undefined;
		const gate = new Promise<void>((resolve) => {
			open = resolve;
		});
		disk.before = async (path) => {
			if (path === "root/files") await gate;
		};
		const both = [pictures.put(uidOf("a"), BYTES), pictures.put(`aa${"b".repeat(30)}`, BYTES)];
		let kept = 0;
		for (const one of both) void one.then(() => kept++);
		// Either asks the disk for less than that, if it does not wait.
		for (let i = 0; i < 100; i++) await readdir(root);
		expect(kept).toBe(0);
		open();
		await Promise.all(both);
		expect(kept).toBe(2);
	});

	it("is tried again where a folder could not be made sure of", async () => {
		disk.before = async () => {
			throw new Error("no space left");
		};
		await expect(pictures.put(uidOf("a"), BYTES)).rejects.toThrow("no space left");
		disk.before = async () => undefined;
		await pictures.put(uidOf("a"), BYTES);
		expect(disk.asked).toEqual(expect.arrayContaining(["sync root/files", "sync root"]));
	});
});
