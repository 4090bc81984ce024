/**
 * Sees to it that what the tests drive from outside is there: a Chromium, PostgreSQL's programs, a C compiler for the
 * power-cut shim. On Debian and Ubuntu, as root, what is missing is installed; anywhere else it is named in one line.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders in which Debian and Homebrew put PostgreSQL's server programs, which are not on the path. */
const postgresFolders = () => [
	...(existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`) : []),
	"/opt/homebrew/opt/postgresql@15/bin",
	"/usr/local/opt/postgresql@15/bin",
];

/** The full path of a program, or undefined. */
function find(name, folders = []) {
	for (const folder of [...(process.env.PATH ?? "").split(delimiter), ...folders]) {
		try {
			accessSync(join(folder, name), constants.X_OK);
			return join(folder, name);
		} catch {
			// Not here; look on.
		}
	}
	return undefined;
}

export const TOOLS = [
	{
		what: "Chromium",
		why: "browser tests",
		packages: [["chromium"]],
		found: () =>
			process.env.CHROMIUM && existsSync(process.env.CHROMIUM)
				? process.env.CHROMIUM
				: ["chromium", "chromium-browser", "google-chrome"].map((name) => find(name)).find(Boolean),
	},
	{
		what: "PostgreSQL 15 or later",
		why: "the store's tests on PostgreSQL",
		packages: [["postgresql-15"], ["postgresql"]],
		found: () => find("initdb", postgresFolders()) && find("postgres", postgresFolders()),
	},
	{ what: "strace", why: "the proof that an answer leaves after its sync", packages: [["strace"]], found: () => find("strace") },
	{ what: "a C compiler", why: "the power-cut tests", packages: [["gcc", "libc6-dev"]], found: () => find("gcc") ?? find("cc") },
];

/** Installs what is missing where that can be done. Returns what is missing still. */
export function prepare() {
	const missing = () => TOOLS.filter((tool) => !tool.found());
	if (missing().length === 0 || process.getuid?.() !== 0 || !find("apt-get")) return missing();
	const apt = (...args) =>
		spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=120", "-y", "-qq", ...args], {
			stdio: ["ignore", "inherit", "inherit"],
			env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
		}).status === 0;
	console.log(
		`Installing ${missing()
			.map((tool) => tool.what)
			.join(", ")}.`,
	);
	apt("update");
	for (const tool of missing()) tool.packages.some((packages) => apt("install", "--no-install-recommends", ...packages) && tool.found());
	return missing();
}

/** One line that says what is missing and what to do. */
export const complaint = (missing) =>
	`Tests need ${missing.map((tool) => `${tool.what} (${tool.why}; on Debian: apt-get install ${tool.packages[0].join(" ")})`).join(", ")}.`;

if (import.meta.filename === process.argv[1]) {
	const missing = prepare();
	if (missing.length > 0) {
		console.error(complaint(missing));
		process.exit(1);
	}
	console.log(`All there, with Node ${execFileSync(process.execPath, ["--version"], { encoding: "utf8" }).trim()}.`);
}
