import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../shared/limits.js";
import { ConfigError, commandPrefix, demoDataDir, loadConfig } from "./config.js";
import { PACKAGE_ROOT } from "./root.js";

const folders: string[] = [];
afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function secretFile(text: string): string {
	const folder = mkdtempSync(join(tmpdir(), "config-"));
	folders.push(folder);
	writeFileSync(join(folder, "secret"), text);
	return join(folder, "secret");
}

function problemsOf(env: Record<string, string>): readonly string[] {
	try {
		loadConfig(env);
	} catch (error) {
		if (error instanceof ConfigError) return error.problems;
		throw error;
	}
	throw new Error("These settings were taken.");
}

describe("settings", () => {
	it("start with nothing set: this machine only, SQLite, the defaults of the table", () => {
		expect(loadConfig({})).toEqual({
			port: 8787,
			demoPort: 8788,
			host: "127.0.0.1",
			publicUrl: "http://localhost:8787",
			dataDir: resolve(".data"),
			databaseUrl: undefined,
			trustProxy: 0,
			allowLocalhostSites: true,
			allowPrivateApps: [],
			brandName: "EarthOnline",
			logLevel: "info",
			metrics: false,
			limits: LIMITS,
		});
	});

	it("keep the data in the package's folder wherever one stands, and below the current folder where a folder is named", () => {
		const elsewhere = mkdtempSync(join(tmpdir(), "config-"));
		folders.push(elsewhere);
		const before = process.cwd();
		process.chdir(elsewhere);
		try {
			expect(loadConfig({}).dataDir).toBe(join(PACKAGE_ROOT, ".data"));
			expect(demoDataDir()).toBe(join(PACKAGE_ROOT, ".data/demo"));
			expect(loadConfig({ DATA_DIR: "mine" }).dataDir).toBe(resolve("mine"));
			expect(loadConfig({}, elsewhere).dataDir).toBe(join(elsewhere, ".data"));
		} finally {
			process.chdir(before);
		}
	});

	it("name a wrong HOST and DEMO_PORT with everything else that is wrong", () => {
		const problems = problemsOf({ HOST: "999.1.1.1", DEMO_PORT: "9000", PORT: "9000", TRUST_PROXY: "all" });
		for (const name of ["HOST", "DEMO_PORT", "TRUST_PROXY"]) expect(problems.some((problem) => problem.startsWith(`${name} `))).toBe(true);
		for (const HOST of ["0.0.0.0", "::", "::1", "localhost", "desk.internal"]) expect(loadConfig({ HOST }).host).toBe(HOST);
	});

	it("follow the port in the address, unless an address is given", () => {
		expect(loadConfig({ PORT: "9000" }).publicUrl).toBe("http://localhost:9000");
		expect(loadConfig({ PORT: "9000", PUBLIC_URL: "https://desk.example.com/" }).publicUrl).toBe("https://desk.example.com");
	});

	it("open to the network and close to localhost sites once the address is a public one", () => {
		const config = loadConfig({ PUBLIC_URL: "https://desk.example.com" });
		expect(config.host).toBeUndefined();
		expect(config.allowLocalhostSites).toBe(false);
		expect(loadConfig({ PUBLIC_URL: "https://desk.example.com", ALLOW_LOCALHOST_SITES: "on" }).allowLocalhostSites).toBe(true);
	});

	it.each(["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787", "http://desk.localhost"])(
		"know %s as this machine",
		(PUBLIC_URL) => {
			expect(loadConfig({ PUBLIC_URL }).allowLocalhostSites).toBe(true);
		},
	);

	it("do not take a name that only begins like localhost for this machine", () => {
		expect(loadConfig({ PUBLIC_URL: "https://localhost.example.com" }).allowLocalhostSites).toBe(false);
	});

	it("count an empty variable as not given", () => {
		expect(loadConfig({ PORT: "", DATABASE_URL: "  ", LOG_LEVEL: "" })).toEqual(loadConfig({}));
	});

	it("say everything that is wrong at once, naming the variables and never their values", () => {
		const problems = problemsOf({
			PORT: "eighty",
			PUBLIC_URL: "desk.example.com/path",
			TRUST_PROXY: "-1",
			DATABASE_URL: "mysql://me:hunter2@db/desk",
			LOG_LEVEL: "loud",
			METRICS: "maybe",
			LIMIT_TURNS_PER_GUEST: "0",
			LIMIT_OF_NOTHING: "5",
		});
		expect(problems.map((p) => p.split(" ")[0]).sort()).toEqual([
			"DATABASE_URL",
			"LIMIT_OF_NOTHING",
			"LIMIT_TURNS_PER_GUEST",
			"LOG_LEVEL",
			"METRICS",
			"PORT",
			"PUBLIC_URL",
			"TRUST_PROXY",
		]);
		expect(problems.join("\n")).not.toContain("hunter2");
	});

	it.each([
		"ftp://desk.example.com",
		"https://me@desk.example.com",
		"https://desk.example.com/desk",
		"https://desk.example.com/?a=1",
		"desk",
	])("refuse %s as the address", (PUBLIC_URL) => {
		expect(problemsOf({ PUBLIC_URL })).toHaveLength(1);
	});

	it("name the origins of apps that may be private, each in its one form", () => {
		expect(loadConfig({}).allowPrivateApps).toEqual([]);
		const { allowPrivateApps } = loadConfig({ ALLOW_PRIVATE_APPS: " http://searxng:8080/, HTTPS://Calendar.home.example:443 " });
		expect(allowPrivateApps).toEqual(["http://searxng:8080", "https://calendar.home.example"]);
		for (const ALLOW_PRIVATE_APPS of ["on", "searxng:8080", "http://searxng/path", "http://me:pw@searxng", "file:///x"])
			expect(problemsOf({ ALLOW_PRIVATE_APPS })).toHaveLength(1);
	});

	it("refuse a folder in which no socket can be made", () => {
		expect(problemsOf({ DATA_DIR: `/${"d".repeat(120)}` })[0]).toMatch(/^DATA_DIR is too long/);
	});

	it("read a secret from a file", () => {
		expect(loadConfig({ DATABASE_URL_FILE: secretFile("postgres://me:secret@db/desk\n") }).databaseUrl).toBe(
			"postgres://me:secret@db/desk",
		);
	});

	it("refuse a secret that is given twice or in a file that is not there", () => {
		expect(problemsOf({ DATABASE_URL: "postgres://a/b", DATABASE_URL_FILE: secretFile("postgres://c/d") })[0]).toMatch(/both given/);
		expect(problemsOf({ DATABASE_URL_FILE: "/nowhere/secret" })[0]).toMatch(/cannot be read \(ENOENT\)/);
	});

	it("change the limits they name, and no other", () => {
		expect(loadConfig({ LIMIT_REQUESTS_PER_MINUTE_PER_ADDRESS: "5000" }).limits).toEqual({ ...LIMITS, requestsPerMinutePerAddress: 5000 });
	});
});

describe("what stands before a command", () => {
	it("is nothing for the folder that commands look in by themselves, else the folder, as a shell reads it", () => {
		expect(commandPrefix(loadConfig({}).dataDir)).toBe("");
		expect(commandPrefix(loadConfig({ DATA_DIR: ".data/demo" }).dataDir)).toBe("DATA_DIR=.data/demo ");
		expect(commandPrefix("/srv/it's here")).toBe("DATA_DIR='/srv/it'\\''s here' ");
	});
});
