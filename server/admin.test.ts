import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeskError } from "../shared/errors.js";
import { adminSocket, localAdmin, reachAdmin, serveAdmin } from "./admin.js";
import type { Administered } from "./admin-parts.js";
import { loadConfig } from "./config.js";
import { openDesk } from "./open.js";

let dataDir: string;
let logged: { fields: Record<string, unknown>; text: string }[];
const closing: { close(): Promise<void> }[] = [];

beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), "admin-"));
	logged = [];
});
afterEach(async () => {
	while (closing.length > 0) await closing.pop()?.close();
	rmSync(dataDir, { recursive: true, force: true });
});

const log = (_level: string, fields: Record<string, unknown>, text: string) => void logged.push({ fields, text });

async function serving(desk?: Administered): Promise<Administered> {
	const opened = desk ?? (await openDesk(loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent", PORT: "0" })));
	if (!desk) closing.push(opened as Awaited<ReturnType<typeof openDesk>>);
	closing.push(await serveAdmin({ dataDir, desk: opened, log }));
	return opened;
}

async function reached() {
	const admin = await reachAdmin(dataDir);
	if (!admin) throw new Error("No server was reached.");
	return admin;
}

describe("admin.sock", () => {
	it("asks a running server the same as one asks a desk opened here", async () => {
		const desk = await serving();
		const remote = await reached();
		expect(await remote.createOwner({ handle: "anna", name: "Anna" })).toBe("anna");
		await remote.putMemory("anna", "prices.md", "A cup costs €20.");
		const local = localAdmin(desk);
		for (const admin of [remote, local]) {
			expect(await admin.desks()).toEqual([{ handle: "anna", name: "Anna" }]);
			expect(await admin.memory("anna")).toEqual([{ path: "prices.md", text: "A cup costs €20." }]);
			expect((await admin.settings("anna")).guests).toBe(true);
		}
	});

	it("gives a refusal of the engine back as it was, with its fields", async () => {
		await serving();
		const refusal = await (await reached()).createOwner({ handle: "No Handle", name: "Anna" }).catch((error: unknown) => error);
		expect(refusal).toBeInstanceOf(DeskError);
		expect(refusal).toMatchObject({ code: "invalid_params", detail: { violations: [{ field: "handle" }] } });
	});

	it("refuses what is no command or has the wrong shape, by the error's code", async () => {
		await serving();
		const admin = await reached();
		const wrong = admin as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
		await expect(wrong.createKey?.("anna")).rejects.toMatchObject({ code: "invalid_params" });
		await expect(wrong.changeSettings?.("anna", { guests: { deep: true } })).rejects.toMatchObject({ code: "invalid_params" });
	});

	it("tells nobody but the log how it failed", async () => {
		const engine = { desks: () => Promise.reject(new Error("canary in the cellar")) } as unknown as Administered["engine"];
		await serving({ engine, publicUrl: "http://localhost:8787" });
		const refusal = (await reachAdmin(dataDir).catch((error: unknown) => error)) as DeskError;
		expect(refusal.code).toBe("internal");
		expect(refusal.message).not.toContain("canary");
		expect(String(logged[0]?.fields.error)).toContain("canary");
	});

	it("can be opened by the server's own user only", async () => {
		await serving();
		expect(statSync(adminSocket(dataDir)).mode & 0o777).toBe(0o600);
	});

	it("reaches nobody where no server runs, and takes the place of a socket that a dead one left", async () => {
		expect(await reachAdmin(dataDir)).toBeUndefined();
		const dead = createServer();
		await new Promise<void>((resolve) => dead.listen(adminSocket(dataDir), resolve));
		await new Promise((resolve) => dead.close(resolve));
		// Node takes the file away with the server; a process that was killed leaves it.
		writeFileSync(adminSocket(dataDir), "");
		expect(await reachAdmin(dataDir)).toBeUndefined();
		await serving();
		expect(await (await reached()).desks()).toEqual([]);
	});
});
