import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calendarServer, searxngServer } from "../test/apps/services.js";
import { command, env, folder, start, useCommands } from "../test/commands.js";
import { KIND_NAMES, KINDS } from "./apps/kinds.js";
import { EXIT } from "./commands.js";

const FEED = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-TIMEZONE:Europe/Lisbon\r\nEND:VCALENDAR\r\n";

let near: Server;
let at: string;

useCommands();
beforeEach(async () => {
	const [calendar, search] = [calendarServer("/private-77/basic.ics", () => FEED), searxngServer(() => [])];
	near = createServer((request, response) => (request.url?.startsWith("/search") ? search : calendar)(request, response));
	await new Promise<void>((resolve) => near.listen(0, "127.0.0.1", resolve));
	at = `http://127.0.0.1:${(near.address() as AddressInfo).port}`;
	env.ALLOW_PRIVATE_APPS = at;
});
afterEach(() => {
	near.closeAllConnections();
	near.close();
});

const uidIn = (text: string): string => /apr_\w+/.exec(text)?.[0] ?? "";

describe.each(["a store that it opens itself", "a server that runs"])("a command about presets, asking %s", (where) => {
	beforeEach(async () => {
		if (where === "a server that runs") await start();
		await command("owner", "create", "anna", "--name", "Anna");
	});

	it("connects an app, asks for more, has it decided once, and takes it away", { timeout: 60_000 }, async () => {
		expect((await command("presets", "anna")).out).toBe("webSearch=on\tnothing to search with is connected");
		const unconnected = await command("presets", "anna", "calendar=busy");
		expect(unconnected).toMatchObject({ code: EXIT.failed, err: expect.stringContaining("not connected") });
		const connected = await command("app", "connect", "anna", "ical", `${at}/private-77/basic.ics`);
		expect(connected).toMatchObject({ code: EXIT.ok, out: expect.stringContaining("calendar is connected: 127.0.0.1") });
		expect((await command("app", "connect", "anna", "searxng", at)).out).toContain("search is connected");
		const { out: list } = await command("app", "list", "anna");
		expect(list).toMatch(/^calendar\tical\t127\.0\.0\.1:\d+\tsince .*\tat most read$/m);
		expect(list).not.toContain("private-77");

		const asked = await command("presets", "anna", "calendar=busy", "webSearch=off");
		expect(asked.out).toMatch(
			/^webSearch=off\ncalendar=none\nwaits until .*: calendar from none to busy\tApprove it: \S.*approvals approve anna apr_/,
		);
		const uid = uidIn(asked.out);
		expect((await command("approvals", "list", "anna")).out).toMatch(/^waits\tapr_\w+\tcalendar from none to busy/);
		expect((await command("approvals", "approve", "anna", uid)).out).toBe(
			"calendar from none to busy: approved. It holds for every question that begins from now on.",
		);
		expect((await command("approvals", "approve", "anna", uid)).out).toMatch(/^Already decided\./);
		expect(await command("approvals", "deny", "anna", uid)).toMatchObject({
			code: EXIT.failed,
			err: expect.stringContaining("was approved"),
		});
		expect((await command("presets", "anna")).out).toBe("webSearch=off\ncalendar=busy");
		expect(await command("approvals", "approve", "anna", "apr_nobody")).toMatchObject({ code: EXIT.failed });

		expect((await command("app", "remove", "anna", "calendar")).out).toBe("calendar is no longer connected.");
		expect((await command("presets", "anna")).out).toBe("webSearch=off");
		expect((await command("app", "calls", "anna")).out).toMatch(/^The agent has done nothing outside/);
	});

	it("says in plain words what it does not take", { timeout: 60_000 }, async () => {
		const refused = async (words: string, ...args: string[]) =>
			expect(await command(...args)).toMatchObject({ code: EXIT.failed, err: expect.stringContaining(words) });
		await refused("webSearch=off or calendar=busy", "presets", "anna", "calendar");
		await refused("webSearch=on or webSearch=off", "presets", "anna", "webSearch=maybe");
		await refused("none, busy, read, not write. Nothing can be written", "presets", "anna", "calendar=write");
		await refused("There is no app gmail. Connect one of ical, ", "app", "connect", "anna", "gmail");
		await refused("There is no app constructor", "app", "connect", "anna", "constructor", "https://a.example");
		await refused("in a file, with --file", "app", "connect", "anna", "brave", "key-in-the-history");
		await refused("app connect --help", "app", "connect", "anna", "ical", `${at}/private-77/basic.ics`, "--time-zone", "Mars/Olympus");
		const { err } = await command("app", "connect", "anna", "ical", `${at}/private-77/basic.ics`, "--time-zone", "Mars/Olympus");
		expect(err.split("\n")[0]).toContain("Mars/Olympus");
		expect(err).toMatch(/app connect --help\n.*stands in the shell's history now/);
		await refused("Only https addresses", "app", "connect", "anna", "searxng", "http://10.0.0.1:8080");
		await refused("There is no desk bob", "presets", "bob");
		const file = join(folder, "calendar.url");
		writeFileSync(file, `${at}/private-77/other.ics\n`);
		await refused("(404)", "app", "connect", "anna", "ical", "--file", file);
	});

	it("hints at a file for whatever is secret, and takes it from there", { timeout: 60_000 }, async () => {
		const { out: hint } = await command("app", "list", "anna");
		expect(hint).toContain("app connect anna ical --file");
		const typed = await command("app", "connect", "anna", "ical", `${at}/private-77/basic.ics`);
		expect(typed).toMatchObject({ code: EXIT.ok, err: expect.stringContaining("stands in the shell's history now") });
		expect((await command("app", "connect", "anna", "searxng", at)).err).not.toContain("history");
		const file = join(folder, "calendar.url");
		writeFileSync(file, `${at}/private-77/basic.ics\n`);
		const quiet = await command("app", "connect", "anna", "ical", "--file", file);
		expect(quiet).toMatchObject({ code: EXIT.ok, out: expect.stringContaining("calendar is connected"), err: "" });
		for (const kind of KIND_NAMES) {
			const { needs, secret } = KINDS[kind];
			const { err } = await command("app", "connect", "anna", kind);
			expect(err).toContain(`Give the ${needs} of ${kind}`);
			expect(err.includes("in a file, with --file")).toBe(secret);
		}
		for (const kind of KIND_NAMES.filter((name) => KINDS[name].needs === "key"))
			expect(await command("app", "connect", "anna", kind, "key-in-the-history")).toMatchObject({
				code: EXIT.failed,
				err: expect.stringContaining("--file"),
			});
	});
});
