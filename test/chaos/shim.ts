/** The shim of `shim.c`, compiled, and what a power cut leaves of a folder that was written through it. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Seeded } from "../seeded.js";

const SOURCE = fileURLToPath(new URL("shim.c", import.meta.url));
const FILES = ["desk.db", "desk.db-wal"];
const BLOCK = 4_096;

/** Compiles it into a folder. Throws one line where there is no compiler. */
export function compileShim(folder: string): string {
	const shim = join(folder, "shim.so");
	if (existsSync(shim)) return shim;
	for (const compiler of ["cc", "gcc"]) {
		try {
			execFileSync(compiler, ["-shared", "-fPIC", "-O2", "-o", shim, SOURCE, "-ldl"], { stdio: ["ignore", "ignore", "pipe"] });
			return shim;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		}
	}
	throw new Error("The disk of this suite is written in C: install gcc.");
}

const shadowOf = (dir: string, name: string): string => join(dir, `.shadow-${name}`);

/** What is in the files now is what the disk holds: before a server is started through the shim. */
export function settleShadows(dir: string): void {
	for (const name of readdirSync(dir).filter((file) => file.startsWith(".shadow-"))) rmSync(join(dir, name));
	for (const name of FILES) if (existsSync(join(dir, name))) copyFileSync(join(dir, name), shadowOf(dir, name));
}

/**
 * Writes into another folder what a power cut leaves of `dir`, whose server was killed: each file as it was last synced, one never
 * synced not at all. `torn`: of what was written after that, some blocks had reached the disk, and others not.
 */
export function cut(dir: string, into: string, random: Seeded, torn: boolean): void {
	for (const name of FILES) {
		const shadow = shadowOf(dir, name);
		if (!existsSync(shadow)) continue;
		const synced = readFileSync(shadow);
		const written = existsSync(join(dir, name)) ? readFileSync(join(dir, name)) : synced;
		writeFileSync(join(into, name), torn ? withTail(synced, written, random) : synced, { mode: 0o600 });
	}
}

function withTail(synced: Buffer, written: Buffer, random: Seeded): Buffer {
	const blocks: Buffer[] = [];
	for (let at = 0; at < Math.max(synced.length, written.length); at += BLOCK) {
		const before = synced.subarray(at, at + BLOCK);
		const after = written.subarray(at, at + BLOCK);
		const reached = after.length > 0 && random.chance(0.5);
		// A block that never reached a file that grew further on reads as zeros.
		blocks.push(reached ? after : before.length > 0 ? before : Buffer.alloc(after.length));
	}
	return Buffer.concat(blocks);
}

/** The server's files become those of another folder, as they are after a restart of the machine. */
export function putBack(from: string, dir: string): void {
	for (const name of [...FILES, "desk.db-shm"]) rmSync(join(dir, name), { force: true });
	for (const name of FILES) if (existsSync(join(from, name))) copyFileSync(join(from, name), join(dir, name));
}
