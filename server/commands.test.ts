import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { command, commanded, env, folder, server, start, stop, useCommands } from "../test/commands.js";
import { EXIT } from "./commands.js";

useCommands();

function file(name: string, text: string): string {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}

describe.each(["a store that it opens itself", "a server that runs"])("a command, asking %s", (where) => {
	beforeEach(async () => {
		if (where === "a server that runs") await start();
		expect(await command("owner", "create", "anna", "--name", "Anna")).toMatchObject({ code: EXIT.ok, err: "" });
	});

	it("makes a desk once and lists it", async () => {
		expect((await command("owner", "list")).out).toBe("anna\tAnna");
		const again = await command("owner", "create", "anna", "--name", "Anna");
		expect(again.code).toBe(EXIT.failed);
		expect(again.err).toMatch(/taken/);
	});

	it("prints a sign-in link that is another one each time", async () => {
		const links = [await command("owner", "link", "anna"), await command("owner", "link", "anna")].map((r) => r.out);
		expect(links[0]).toMatch(/^http:\/\/localhost:8787\/sign-in\S+$/);
		expect(links[0]).not.toBe(links[1]);
	});

	it("makes a key alone on its line, lists it without it, revokes it", async () => {
		const { out: key } = await command("key", "create", "anna", "--name", "ci");
		expect(key).toMatch(/^eolc_\S+$/);
		const { out: list } = await command("key", "list", "anna");
		expect(list).toContain("ci");
		expect(list).not.toContain(key);
		const id = list.split("\t")[0] ?? "";
		expect((await command("key", "revoke", "anna", id)).code).toBe(EXIT.ok);
		expect((await command("key", "revoke", "anna", "key_nobody")).code).toBe(EXIT.failed);
	});

	it("keeps the list of sites", async () => {
		expect((await command("sites", "list", "anna")).out).toMatch(/No site may show the chat yet/);
		expect((await command("sites", "add", "anna", "https://site.example")).out).toBe("https://site.example may show the chat of anna.");
		await command("sites", "block", "anna", "https://other.example");
		const { out } = await command("sites", "list", "anna");
		expect(out).toMatch(/^allowed\thttps:\/\/site\.example/m);
		expect(out).toMatch(/^blocked\thttps:\/\/other\.example/m);
		await command("sites", "remove", "anna", "https://site.example");
		expect((await command("sites", "list", "anna")).out).not.toContain("site.example");
		const refused = await command("sites", "add", "anna", "https://site.example/path");
		expect(refused.code).toBe(EXIT.failed);
		expect(refused.err).not.toBe("");
	});

	it("makes, changes, lists and deletes embeds", async () => {
		expect((await command("embed", "list", "anna")).out).toMatch(/no embed yet.*embed save anna --mode floating/);
		const made = await command("embed", "save", "anna", "--mode", "pet", "--name", "Shop", "--greeting-text", "Hello!");
		expect(made).toMatchObject({ code: EXIT.ok, err: "" });
		expect(made.out.split("\n")).toEqual([
			"Embed 1 of anna is made. Paste this line just before </body>:",
			'<script src="http://localhost:8787/embed.js" data-handle="anna" data-embed="1" async></script>',
		]);
		const changed = await command("embed", "save", "anna", "--id", "1", "--theme", "dark", "--accent", "#2563eb");
		expect(changed.out).toMatch(/Embed 1 of anna is changed: pet, “Shop”, theme dark, accent #2563eb, greets: Hello!/);
		await command("embed", "save", "anna", "--id", "1", "--greeting", "off", "--accent", "", "--name", "");
		expect((await command("embed", "list", "anna")).out).toBe("1\tpet, theme dark, no greeting");
		const fixed = await command("embed", "save", "anna", "--id", "1", "--mode", "inline");
		expect(fixed.code).toBe(EXIT.failed);
		expect(fixed.err).toMatch(/mode: Embed 1 is pet, which is fixed/);
		expect((await command("embed", "save", "anna")).err).toMatch(/mode: Say which/);
		expect((await command("embed", "delete", "anna", "1")).out).toMatch(/^Embed 1 of anna is deleted/);
		expect((await command("embed", "delete", "anna", "1")).err).toMatch(/no embed 1/);
		const { out: button } = await command("embed", "save", "anna", "--mode", "button");
		expect(button).toContain("Paste this line where the button shall stand:\n");
		expect(button).toContain('data-embed="2"');
		const { out: inline } = await command("embed", "save", "anna", "--mode", "inline");
		expect(inline).toContain("Paste this line where the chat shall stand:\n");
		for (const [number, options] of [
			["--mode", ["button", "--greeting", "on"]],
			["--mode", ["inline", "--greeting-text", "Hello!"]],
			["--id", ["2", "--greeting-text", "Hello!"]],
		] as const) {
			const refused = await command("embed", "save", "anna", number, ...options);
			expect(refused.code).toBe(EXIT.failed);
			expect(refused.err).toMatch(
				/greeting(_text)?: A greeting shows beside a floating or pet embed only, and this one is (button|inline)/,
			);
		}
		expect((await command("embed", "save", "anna", "--id", "2", "--greeting", "off", "--greeting-text", "")).code).toBe(EXIT.ok);
		for (const args of [
			["save", "anna", "--mode", "parrot"],
			["save", "anna", "--id", "x"],
			["delete", "anna", "x"],
			["delete", "anna"],
		]) {
			const wrong = await command("embed", ...args);
			expect(wrong.code).toBe(EXIT.usage);
			expect(wrong.err).toMatch(/Allowed choices|named by its number|missing required argument/);
		}
	});

	it("lists sites that wait, that have shown, and says what to do", async () => {
		expect((await command("sites", "pending", "anna")).out).toMatch(/^No site waits\. One that carries/);
		expect((await command("sites", "recent", "anna")).out).toMatch(/^The chat has shown nowhere yet\. A site/);
		await command("settings", "anna", "allowAnySite=on");
		expect((await command("sites", "list", "anna")).out).toMatch(/^Any site may show the chat/);
		const warned = await command("sites", "add", "anna", "https://xn--80ak6aa92e.com");
		expect(warned).toMatchObject({ code: EXIT.ok, out: "https://xn--80ak6aa92e.com may show the chat of anna." });
		expect(warned.err).toMatch(/Look twice/);
		expect((await command("sites", "list", "anna")).out).toMatch(/^allowed\thttps:\/\/xn--80ak6aa92e\.com\tsince .*never shown there$/m);
	});

	it("lists those that asked, and when, where a server runs for them to ask", async () => {
		if (!server) return;
		const { app } = server.desk;
		const visit = (origin: string) => app.request("/embed/anna", { headers: { origin } });
		await command("sites", "add", "anna", "*.site.example");
		await visit("https://a.site.example");
		for (let i = 0; i < 22; i++) await visit(`https://${i}.example`);
		const pending = await command("sites", "pending", "anna");
		expect(pending.out.split("\n")).toHaveLength(20);
		expect(pending.out).toMatch(/^pending\thttps:\/\/0\.example\tasked 1 time, last \d/);
		expect(pending.err).toMatch(/Others asked 2 times/);
		expect(pending.err).toMatch(/sites add anna <site>.*sites block anna <site>/);
		expect((await command("sites", "recent", "anna")).out).toMatch(/^https:\/\/a\.site\.example\t\d{4}-/);
		expect((await command("sites", "list", "anna")).out).toMatch(/^allowed\t\*\.site\.example\tsince .*, last shown \d/m);
		expect((await command("sites", "block", "anna", "https://0.example")).code).toBe(EXIT.ok);
		expect((await command("sites", "pending", "anna")).out).not.toContain("https://0.example");
	});

	it("puts files into the memory under their names", async () => {
		await command("memory", "put", "anna", file("prices.md", "A cup costs €20."), file("营业时间.md", "周一休息。"));
		await command("memory", "put", "anna", file("draft.txt", "Closed in May."), "--as", "hours.md");
		expect((await command("memory", "list", "anna")).out.split("\n").sort()).toEqual([
			"hours.md\t14 characters",
			"prices.md\t16 characters",
			"营业时间.md\t5 characters",
		]);
		expect((await command("memory", "put", "anna", join(folder, "missing.md"))).err).toMatch(/missing\.md/);
	});

	it("shows and changes settings by their own types", async () => {
		expect((await command("settings", "anna", "guests=off", "waitMs=3000", "parts=text")).code).toBe(EXIT.ok);
		const { out } = await command("settings", "anna");
		expect(out).toMatch(/^guests=off$/m);
		expect(out).toMatch(/^waitMs=3000$/m);
		expect(out).toMatch(/^parts=text$/m);
		const wrong = await command("settings", "anna", "guests=perhaps", "colour=red");
		expect(wrong.code).toBe(EXIT.failed);
		expect(wrong.err).toMatch(/guests/);
		expect(wrong.err).toMatch(/colour/);
	});

	it("copies everything to a file that restore brings back", async () => {
		await command("memory", "put", "anna", file("prices.md", "A cup costs €20."));
		const copy = join(folder, "copy.db");
		expect(await command("backup", copy)).toMatchObject({ code: EXIT.ok, err: "" });
		expect(existsSync(copy)).toBe(true);
		expect((await command("backup", copy)).code).toBe(EXIT.failed);
		await command("memory", "put", "anna", file("later.md", "Written after the copy."));
		if (server) {
			expect((await command("restore", copy)).err).toMatch(/server is already running.*Stop it/);
			await stop();
		}
		expect(await command("restore", copy)).toMatchObject({ code: EXIT.ok, err: "" });
		expect((await command("memory", "list", "anna")).out).toBe("prices.md\t16 characters");
	});

	it("gives a file of the memory back, takes it out, and refuses one that is empty", async () => {
		await command("memory", "put", "anna", file("prices.md", "# Prices\n\nA cup costs €20.\n"));
		expect(await command("memory", "get", "anna", "prices.md")).toEqual({ code: EXIT.ok, out: "# Prices\n\nA cup costs €20.", err: "" });
		const empty = await command("memory", "put", "anna", file("empty.md", "\n"), "--as", "prices.md");
		expect(empty).toMatchObject({ code: EXIT.failed, out: "" });
		expect(empty.err).toMatch(/prices\.md is empty/);
		expect((await command("memory", "list", "anna")).out).toMatch(/^prices\.md/);
		expect((await command("memory", "remove", "anna", "prices.md")).out).toBe("prices.md is no longer in the memory of anna.");
		expect((await command("memory", "list", "anna")).out).toMatch(/^The memory is empty\. .* memory put anna notes\.md$/);
		for (const verb of ["get", "remove"]) {
			const gone = await command("memory", verb, "anna", "prices.md");
			expect(gone.code).toBe(EXIT.failed);
			expect(gone.err).toMatch(/no file prices\.md/);
		}
		expect((await command("memory", "put", "anna", folder)).err).toMatch(/is a folder/);
	});

	it("changes what a desk says of itself, and leaves the rest", async () => {
		expect((await command("desk", "set", "anna", "--name", "Anna's studio", "--suggest", "When?", "How much?")).code).toBe(EXIT.ok);
		expect((await command("desk", "set", "anna", "--about", "Portraits", "--language", "zh")).code).toBe(EXIT.ok);
		expect((await command("owner", "list")).out).toBe("anna\tAnna's studio");
		const wrong = await command("desk", "set", "anna", "--name", "x".repeat(41));
		expect(wrong.code).toBe(EXIT.failed);
		expect(wrong.err).toMatch(/name: .*40/);
		expect((await command("desk", "set", "anna")).err).toMatch(/Say what to change/);
	});

	it("sets the hours of a desk, says what is wrong with some, and lists what visitors thought", async () => {
		const hours = "Mon-Fri 09:00-17:00 Europe/Lisbon";
		expect(await command("desk", "set", "anna", "--hours", hours, "--about", "Portraits")).toMatchObject({ code: EXIT.ok, err: "" });
		expect((await command("settings", "anna")).out).toContain(`hours=${hours}`);
		expect((await command("desk", "set", "anna", "--hours", "Mon 09:00-17:00")).err).toContain("The time zone is missing.");
		expect(await command("desk", "set", "anna", "--hours", "")).toMatchObject({ code: EXIT.ok });
		expect((await command("settings", "anna")).out).toContain("hours=\n");
		expect((await command("desk", "set", "anna", "--hours", "9-17")).err).toContain("Write the hours as Mon-Fri 09:00-17:00");
	});

	it("prints nothing that a terminal would obey", async () => {
		await command("key", "create", "anna", "--name", "ci\u001b]0;owned\u0007\u202e");
		const { out } = await command("key", "list", "anna");
		expect(out).toMatch(/ci\\u001b\]0;owned\\u0007\\u202e$/);
	});

	it("tells that a key is shown once, beside it", async () => {
		const { out, err } = await command("key", "create", "anna", "--name", "ci");
		expect(out.split("\n")).toHaveLength(1);
		expect(err).toMatch(/shown this once/);
	});

	it("says of a setting what it may be, and once", async () => {
		expect((await command("settings", "anna", "guests=perhaps")).err).toMatch(/guests: Give on or off\./);
		expect((await command("settings", "anna", "colour=red")).err).toMatch(/colour: .*a2a, guests, .*waitMs/);
		const { err } = await command("sites", "add", "anna", "http://site.example");
		expect(err.split("\n")).toHaveLength(1);
	});

	it("names the desks that are there after a slip", async () => {
		expect((await command("memory", "list", "ana")).err).toMatch(/no desk ana\..*anna.*owner create ana/);
	});

	it("says of a desk that is not there what to do", async () => {
		const { code, err } = await command("sites", "list", "nobody");
		expect(code).toBe(EXIT.failed);
		expect(err).toMatch(/desk/);
	});
});

describe("earthonline", () => {
	it("shows its help and the help of a command", async () => {
		expect((await command("--help")).out).toMatch(/serve[\s\S]*demo[\s\S]*owner[\s\S]*doctor/);
		expect(await command("sites", "add", "--help")).toMatchObject({ code: EXIT.ok, err: "" });
	});

	it.each([[["nonsense"]], [["owner", "create"]], [["key", "create"]], [["sites", "add", "anna"]]])(
		"refuses %j as wrong usage",
		async (args) => {
			const { code, err } = await command(...args);
			expect(code).toBe(EXIT.usage);
			expect(err).not.toBe("");
		},
	);

	it("lists everything that is wrong with the settings", async () => {
		env.PORT = "many";
		env.LOG_LEVEL = "loud";
		const { code, err } = await command("owner", "list");
		expect(code).toBe(EXIT.failed);
		expect(err).toMatch(/PORT/);
		expect(err).toMatch(/LOG_LEVEL/);
	});

	it("refuses to restore what is no copy, and leaves the database as it was", async () => {
		await command("owner", "create", "anna", "--name", "Anna");
		expect((await command("restore", file("junk.db", "not a database"))).code).toBe(EXIT.failed);
		expect((await command("owner", "list")).out).toBe("anna\tAnna");
	});

	it("makes a desk without a name by its handle", async () => {
		await command("owner", "create", "anna");
		expect((await command("owner", "list")).out).toBe("anna\tAnna");
	});

	it("makes no database where it only looks, and says where one is made", async () => {
		for (const args of [
			["owner", "list"],
			["sites", "list", "mira"],
			["memory", "put", "mira", file("a.md", "A.")],
			["settings", "mira"],
		]) {
			const { code, err } = await command(...args);
			expect(code).toBe(EXIT.failed);
			expect(err).toMatch(/no database in .*owner create/);
		}
		expect(existsSync(join(folder, "data"))).toBe(false);
	});

	it("asks the demo that runs where no folder is named and the usual one is empty", async () => {
		const before = process.cwd();
		process.chdir(folder);
		try {
			await start({ ...env, DATA_DIR: ".data/demo" });
			delete env.DATA_DIR;
			const at = (...args: string[]) => commanded(env, args, folder);
			const made = await at("owner", "create", "mira");
			expect(made.code).toBe(EXIT.ok);
			expect(made.err).toContain(`demo that is running (${join(folder, ".data/demo")})`);
			expect(await at("owner", "list")).toMatchObject({ code: EXIT.ok, out: "mira\tMira" });
			expect(existsSync(".data/desk.db")).toBe(false);
			// A folder that is named is the one that is meant.
			env.DATA_DIR = ".data";
			expect((await command("owner", "list")).code).toBe(EXIT.failed);
		} finally {
			process.chdir(before);
		}
	});

	it("says its version", async () => {
		expect((await command("--version")).out).toMatch(/^\d+\.\d+\.\d+$/);
	});

	it("says of a folder that cannot be made what to do", async () => {
		env.DATA_DIR = join(file("taken", ""), "below");
		const { code, err } = await command("owner", "create", "anna");
		expect(code).toBe(EXIT.failed);
		expect(err).toMatch(/cannot be made or written.*DATA_DIR/);
		expect((await command("doctor")).out).toMatch(/^BAD +DATA_DIR .*Give a folder/m);
	});

	it("finds a healthy machine healthy, and a wrong setting by name", async () => {
		const healthy = await command("doctor");
		expect(healthy.out).not.toMatch(/^BAD/m);
		expect(healthy.code).toBe(EXIT.ok);
		env.TRUST_PROXY = "all";
		const sick = await command("doctor");
		expect(sick.out).toMatch(/^BAD +TRUST_PROXY/m);
		expect(sick.code).toBe(EXIT.failed);
	});
});
