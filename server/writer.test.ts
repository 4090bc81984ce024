import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqlite } from "./store/sqlite.js";
import { storeOf } from "./store/store.js";

it("the writer's thread runs the operations of the product", async () => {
	const dir = mkdtempSync(join(tmpdir(), "writer-"));
	const logged: unknown[] = [];
	const driver = await openSqlite({
		dir,
		workerUrl: new URL("./writer.js", import.meta.url),
		clock: { now: () => 1 },
		log: (...line) => logged.push(line),
	});
	const store = storeOf(driver, false);
	expect(await store.write("ensureSecret", { name: "seal", value: "first" })).toEqual({ value: "first" });
	expect(await store.write("ensureSecret", { name: "seal", value: "second" })).toEqual({ value: "first" });
	expect(await store.read.secret("seal")).toBe("first");
	await store.close();
	expect(logged).toEqual([]);
	rmSync(dir, { recursive: true, force: true });
});
