/** What commands say: whose addresses, of what is not there, and of names that nobody sees. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { command, commanded, env, folder, server, start, useCommands } from "../test/commands.js";
import { EXIT } from "./commands.js";

useCommands();

describe.each(["a store that it opens itself", "a server that runs"])("a command, asking %s", (where) => {
	beforeEach(async () => {
		if (where === "a server that runs") await start();
		await command("owner", "create", "anna", "--name", "Anna");
	});

	it("refuses a name that nobody can see, of a desk, a person, a key and an embed", async () => {
		const unseen = "\u200b\u200e";
		for (const args of [
			["owner", "create", "bob", "--name", unseen],
			["owner", "create", "bob", "--owner-name", unseen],
			["desk", "set", "anna", "--name", unseen],
			["desk", "set", "anna", "--owner-name", unseen],
			["key", "create", "anna", "--name", unseen],
			["embed", "save", "anna", "--mode", "pet", "--name", unseen],
		]) {
			const { code, err } = await command(...args);
			expect(code).toBe(EXIT.failed);
			expect(err).toMatch(/be seen/);
		}
		expect((await command("owner", "list")).out).toBe("anna\tAnna");
	});

	it("says of a list that is empty what would stand in it", async () => {
		for (const [args, sentence] of [
			[["memory", "gaps", "anna"], /^No question has been left open\. /],
			[["memory", "list", "anna"], /^The memory is empty\. /],
			[["desk", "ratings", "anna"], /^No answer has been rated yet\. /],
			[["key", "list", "anna"], /^There is no key\. .* key create anna --name/],
			[["app", "calls", "anna"], /^The agent has done nothing outside\. /],
			[["app", "list", "anna"], /^No app is connected\. /],
			[["approvals", "list", "anna"], /^Nothing has been asked for\. /],
		] as const)
			expect(await command(...args)).toMatchObject({ code: EXIT.ok, out: expect.stringMatching(sentence), err: "" });
	});

	it("writes addresses as the server that runs has them, or as its own settings do where none runs", async () => {
		const other = { ...env, PUBLIC_URL: "https://elsewhere.example" };
		const at = (...args: string[]) => commanded(other, args);
		const origin = server ? "http://localhost:8787" : "https://elsewhere.example";
		expect((await at("embed", "save", "anna", "--mode", "pet")).out).toContain(`src="${origin}/embed.js"`);
		expect((await at("owner", "link", "anna")).out.startsWith(`${origin}/sign-in#`)).toBe(true);
		expect((await at("owner", "create", "bob")).out).toContain(`${origin}/@bob/chat`);
		expect((await at("desk", "set", "anna", "--about", "Portraits")).out).toContain(`${origin}/@anna/chat`);
		const { out } = await commanded({ ...other, PORT: "8799" }, ["doctor"]);
		if (server)
			expect(out).toMatch(/^note +The server that runs on .* is at http:\/\/localhost:8787, and this shell's .* say https:\/\/elsewhere/m);
		else expect(out).not.toMatch(/The server that runs/);
	});

	it("tells a site that only asked from one where the chat has shown", async () => {
		if (!server) return;
		const { app } = server.desk;
		await app.request("/embed/anna", { headers: { origin: "https://asked.example" } });
		await command("sites", "add", "anna", "https://asked.example");
		expect((await command("sites", "list", "anna")).out).toMatch(
			/^allowed\thttps:\/\/asked\.example\tsince .*, asked 1 time, last \d.*; no showing noted yet$/m,
		);
	});

	it("lists a question that was left open several times once, and how often", async () => {
		if (!server) return;
		await command("memory", "put", "anna", writtenNote());
		const { app } = server.desk;
		for (const messageId of ["m1", "m2", "m3"]) {
			const response = await app.request("/a2a/anna/message:send", {
				method: "POST",
				headers: { "content-type": "application/json", "a2a-version": "1.0" },
				body: JSON.stringify({ message: { messageId, role: "ROLE_USER", parts: [{ text: "Do you sell candles?" }] } }),
			});
			expect(response.status).toBe(200);
		}
		expect((await command("memory", "gaps", "anna")).out).toMatch(/^\d{4}-\S+ \d\d:\d\d\tDo you sell candles\?\tasked 3 times$/);
	});
});

function writtenNote(): string {
	const note = join(folder, "prices.md");
	writeFileSync(note, "A cup costs €20.");
	return note;
}

describe("a command that is shown to be copied", () => {
	it("begins with npx, unless a shell finds the program by its name", async () => {
		await command("owner", "create", "anna");
		const shown = async (more: Record<string, string>) => (await commanded({ ...env, ...more }, ["memory", "list", "anna"])).out;
		expect(await shown({})).toContain(": npx earthonline memory put");
		writeFileSync(join(folder, "earthonline"), "");
		expect(await shown({ PATH: folder })).toContain(": earthonline memory put");
		expect(await shown({ PATH: folder, npm_command: "exec" })).toContain(": npx earthonline memory put");
		expect((await command("memory", "list", "bob")).err).toContain("npx earthonline owner create bob");
	});
});
