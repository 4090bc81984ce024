import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { command, folder, start, stop, useCommands } from "../test/commands.js";
import { png } from "../test/pictures.js";
import { EXIT } from "./commands.js";
import type { Desk } from "./engine/engine.js";

useCommands();

describe.each(["a store that it opens itself", "a server that runs"])("a command about pictures, asking %s", (where) => {
	/** Two of one guest and one of another. */
	let uids: string[];
	let guests: string[];
	const fileOf = (uid: string | undefined): string => join(folder, "data", "files", (uid ?? "").slice(0, 2), uid ?? "");

	beforeEach(async () => {
		const server = await start();
		await command("owner", "create", "anna", "--name", "Anna");
		const { engine } = server.desk;
		const anna = (await engine.desk("anna")) as Desk;
		[uids, guests] = [[], []];
		for (const nonce of ["one", "one", "other"]) {
			const { principal } = await engine.welcomeGuest(anna, `the nonce of guest ${nonce}`);
			uids.push((await engine.pictures.take(principal, anna, await png(30, 20), { said: "image/png", network: "" })).uid);
			guests.push(principal.uid);
		}
		if (where === "a store that it opens itself") await stop();
	});

	it("says how much room they take, and lists them with who sent them", async () => {
		const { code, out, err } = await command("pictures", "list", "anna");
		expect(code).toBe(EXIT.ok);
		const [room, ...lines] = out.split("\n");
		expect(room).toMatch(/^3 pictures of 10000, 1 KB of 2048 MB$/);
		expect(lines).toHaveLength(3);
		for (const [i, uid] of uids.entries())
			expect(lines.find((line) => line.startsWith(uid))).toMatch(
				new RegExp(`\\t\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\t1 KB\\t30 × 20\\tnot sent\\t${guests[i]}$`),
			);
		expect(err).toContain("pictures remove anna");
	});

	it("takes away those that are named, from the disk too, and no others", async () => {
		expect(await command("pictures", "remove", "anna", uids[0] as string, "x".repeat(32))).toMatchObject({
			code: EXIT.ok,
			out: "1 picture is gone.",
		});
		expect(uids.map((uid) => existsSync(fileOf(uid)))).toEqual([false, true, true]);
		expect((await command("pictures", "list", "anna")).out).toContain("2 pictures of");
	});

	it("takes away all of a guest, or of a time", async () => {
		expect((await command("pictures", "remove", "anna", "--from", guests[0] as string)).out).toBe("2 pictures are gone.");
		expect((await command("pictures", "remove", "anna", "--until", "2020-01-01")).out).toBe("0 pictures are gone.");
		expect((await command("pictures", "remove", "anna", "--since", "2020-01-01 09:30")).out).toBe("1 picture is gone.");
		expect(uids.map((uid) => existsSync(fileOf(uid)))).toEqual([false, false, false]);
	});

	it("says what is missing: which, a time that is one, a desk that is there", async () => {
		for (const args of [[], [uids[0] as string, "--since", "2020-01-01"]]) {
			const { code, err } = await command("pictures", "remove", "anna", ...args);
			expect(code).toBe(EXIT.failed);
			expect(err).toContain("Say which");
		}
		const { code, err } = await command("pictures", "remove", "anna", "--since", "yesterday");
		expect(code).toBe(EXIT.usage);
		expect(err).toContain("Write a time as 2026-03-24");
		expect((await command("pictures", "list", "nobody")).err).toContain("There is no desk nobody.");
		expect((await command("pictures", "list", "anna")).out).toContain("3 pictures of");
	});
});
