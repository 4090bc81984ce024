/**
 * Reads the settings of an installation from the environment, and from nowhere else. Everything that is wrong is said at
 * once, each problem with the name of its variable, so that an operator mends a start in one go. A variable left empty
 * counts as not given. Secrets may stand in a file: `DATABASE_URL_FILE=/run/secrets/db`.
 */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { LIMITS, type Limits } from "../shared/limits.js";
import { isVisible } from "../shared/names.js";
import { PACKAGE_ROOT } from "./root.js";

export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

/** Settings in force. Nothing else in the server reads the environment. */
export interface Config {
	/** Port of the server; 0 lets the system choose. */
	port: number;
	/** Port of the demo site (`earthonline demo`). */
	demoPort: number;
	/** Address to listen on; undefined: every address of this machine. */
	host: string | undefined;
	/** The origin under which people and agents reach this server, without a trailing slash. */
	publicUrl: string;
	/** Absolute path of the folder that holds the database, the lock and `admin.sock`. */
	dataDir: string;
	/** PostgreSQL; undefined: SQLite in `dataDir`. */
	databaseUrl: string | undefined;
	/** How many proxies of our own stand before the server: that many addresses of `X-Forwarded-For` are believed, from the right. */
	trustProxy: number;
	/** Whether `http://localhost` sites may be allowed to show a chat. */
	allowLocalhostSites: boolean;
	/** Origins of apps that may be on a private network, on any port, and plain http. */
	allowPrivateApps: string[];
	brandName: string;
	logLevel: LogLevel;
	/** Whether `/metrics` answers. */
	metrics: boolean;
	limits: Limits;
}

/** The settings cannot be used. `problems` are whole sentences, each beginning with the variable's name. */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
	constructor(readonly problems: readonly string[]) {
		super(`The settings cannot be used:\n${problems.map((p) => `  ${p}`).join("\n")}`);
	}
}

/** Limits that an operator may change, as `LIMIT_GUEST_MESSAGES_PER_MINUTE`: those that depend on the size of an installation. */
const CHANGEABLE = [
	"socketsPerGuest",
	"socketsPerAddress",
	"socketsPerDesk",
	"socketsUnauthenticated",
	"streamsPerCaller",
	"turnsPerGuest",
	"turnsPerEmbed",
	"turnsPerDesk",
	"guestMessagesPerMinute",
	"guestMessagesPerHour",
	"requestsPerMinutePerAddress",
	"requestsPerMinutePerSite",
	"connectionsPerAddress",
	"pendingSites",
	"pendingSitesPerHour",
] as const satisfies readonly (keyof Limits)[];

/**
 * Where everything is kept, unless a setting says so: in the folder of the package, so that a server or a command started from another
 * folder finds the same database. Where npm has put the package among those that another one needs, below the folder that it is started in:
 * npm takes away what lies in its own.
 */
const HOME = /[\\/]node_modules[\\/]/.test(`${PACKAGE_ROOT}/`) ? process.cwd() : PACKAGE_ROOT;
/** The data folders of a server and of the demo, below `home`. */
export const defaultDataDir = (home = HOME): string => join(home, ".data");
export const demoDataDir = (home = HOME): string => join(home, ".data/demo");

const SECRETS = ["DATABASE_URL"] as const;

/** Longest path of a Unix socket that every system takes, bytes. */
const SOCKET_PATH_BYTES = 103;

/** `guestMessagesPerHour` → `LIMIT_GUEST_MESSAGES_PER_HOUR`. */
const limitVariable = (name: string): string => `LIMIT_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;

const whole = (from: number, to: number) =>
	z
		.string()
		.regex(/^\d{1,9}$/, `must be a whole number from ${from} to ${to}.`)
		.transform(Number)
		.refine((n) => n >= from && n <= to, `must be a whole number from ${from} to ${to}.`);

const ON = new Set(["1", "true", "on", "yes"]);
const OFF = new Set(["0", "false", "off", "no"]);
const onOrOff = z
	.string()
	.refine((s) => ON.has(s.toLowerCase()) || OFF.has(s.toLowerCase()), "must be on or off.")
	.transform((s) => ON.has(s.toLowerCase()));

const origin = z.string().transform((text, context) => {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const plain = url && (url.protocol === "https:" || url.protocol === "http:") && url.pathname === "/";
	if (!plain || url.username !== "" || url.search !== "" || url.hash !== "") {
		context.addIssue("must be an address like https://desk.example.com, with nothing after the host and port.");
		return z.NEVER;
	}
	return url.origin;
});

/** An address, or the name of one; what looks like an address and is none would only fail at listening. */
const isHost = (text: string): boolean => isIP(text) !== 0 || (/^[0-9a-zA-Z.-]+$/.test(text) && !/^[\d.]+$/.test(text));

const ENVIRONMENT = z.object({
	PORT: whole(0, 65_535).default(8787),
	DEMO_PORT: whole(0, 65_535).default(8788),
	HOST: z.string().refine(isHost, "must be an address of this machine, such as 0.0.0.0 or 127.0.0.1.").optional(),
	PUBLIC_URL: origin.optional(),
	DATA_DIR: z
		.string()
		.transform((path) => resolve(path))
		.refine(
			(path) => Buffer.byteLength(join(path, "admin.sock")) <= SOCKET_PATH_BYTES,
			`is too long: the socket in it may have ${SOCKET_PATH_BYTES} bytes of path. Give a shorter folder.`,
		),
	DATABASE_URL: z
		.string()
		.regex(/^postgres(?:ql)?:\/\/\S+$/, "must begin with postgres://. Leave it out to keep everything in SQLite.")
		.optional(),
	TRUST_PROXY: whole(0, 10).default(0),
	ALLOW_LOCALHOST_SITES: onOrOff.optional(),
	ALLOW_PRIVATE_APPS: z
		.string()
		.transform((text) => text.split(/[\s,]+/).filter((one) => one !== ""))
		.pipe(z.array(origin))
		.default([]),
	BRAND_NAME: z
		.string()
		.regex(/^\P{C}{1,40}$/u, "must be 1 to 40 visible characters.")
		.refine(isVisible, "must be 1 to 40 visible characters.")
		.default("EarthOnline"),
	LOG_LEVEL: z
		.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "must be one of fatal, error, warn, info, debug, trace, silent.")
		.default("info"),
	METRICS: onOrOff.default(false),
});

/** Every variable that is read, secrets' files and limits left aside: what the guide must name. */
export const VARIABLES: readonly string[] = Object.keys(ENVIRONMENT.shape);

/** The variables of limits, by the limit's name. */
export const LIMIT_VARIABLES: ReadonlyMap<keyof Limits, string> = new Map(CHANGEABLE.map((name) => [name, limitVariable(name)]));

/** What a person writes before a command for it to reach the server on a folder: nothing for the default one. */
export function commandPrefix(dataDir: string): string {
	if (dataDir === defaultDataDir()) return "";
	const near = relative(process.cwd(), dataDir);
	const path = near === "" || near.startsWith("..") ? dataDir : near;
	return `DATA_DIR=${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`} `;
}

/** Whether a host name is this machine by its very name, so that nobody else can come that way. */
export const isLocalHost = (hostname: string): boolean =>
	hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "127.0.0.1" || hostname === "[::1]";

/** Puts the text of `NAME_FILE` into `NAME`. Adds to `problems` what cannot be read. */
function withSecretFiles(env: Record<string, string>, problems: string[]): void {
	for (const name of SECRETS) {
		const file = env[`${name}_FILE`];
		if (file === undefined) continue;
		if (env[name] !== undefined) {
			problems.push(`${name} and ${name}_FILE are both given; keep one of them.`);
			continue;
		}
		try {
			env[name] = readFileSync(file, "utf8").trim();
		} catch (error) {
			problems.push(`${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): ${file}`);
		}
	}
}

function readLimits(env: Record<string, string>, problems: string[]): Limits {
	const changed: Partial<Record<(typeof CHANGEABLE)[number], number>> = {};
	const names = new Map(CHANGEABLE.map((name) => [limitVariable(name), name] as const));
	const limit = whole(1, 100_000_000);
	for (const [variable, value] of Object.entries(env)) {
		if (!variable.startsWith("LIMIT_")) continue;
		const name = names.get(variable);
		const read = limit.safeParse(value);
		if (!name) problems.push(`${variable} is no limit that can be changed. Those are ${[...names.keys()].join(", ")}.`);
		else if (!read.success) problems.push(`${variable} ${read.error.issues[0]?.message}`);
		else changed[name] = read.data;
	}
	return { ...LIMITS, ...changed };
}

/**
 * Settings from an environment (`process.env`). `home`: where the usual data folder lies, unless it is the package's. Throws ConfigError with
 * everything that is wrong. Values are never part of a problem's text, since some are secrets.
 */
export function loadConfig(environment: Record<string, string | undefined>, home?: string): Config {
	const problems: string[] = [];
	const env: Record<string, string> = { DATA_DIR: defaultDataDir(home) };
	for (const [name, value] of Object.entries(environment)) if (value !== undefined && value.trim() !== "") env[name] = value.trim();
	withSecretFiles(env, problems);
	const limits = readLimits(env, problems);
	const read = ENVIRONMENT.safeParse(env);
	if (env.DEMO_PORT !== undefined && env.DEMO_PORT === (env.PORT ?? "8787") && env.DEMO_PORT !== "0")
		problems.push("DEMO_PORT must be another port than PORT.");
	if (!read.success) for (const issue of read.error.issues) problems.push(`${String(issue.path[0])} ${issue.message}`);
	if (!read.success || problems.length > 0) throw new ConfigError(problems);

	const given = read.data;
	const publicUrl = given.PUBLIC_URL ?? `http://localhost:${given.PORT}`;
	const local = isLocalHost(new URL(publicUrl).hostname);
	return {
		port: given.PORT,
		demoPort: given.DEMO_PORT,
		// A server that only this machine can name is offered to this machine only, until somebody says otherwise.
		host: given.HOST ?? (local ? "127.0.0.1" : undefined),
		publicUrl,
		dataDir: given.DATA_DIR,
		databaseUrl: given.DATABASE_URL,
		trustProxy: given.TRUST_PROXY,
		allowLocalhostSites: given.ALLOW_LOCALHOST_SITES ?? local,
		allowPrivateApps: given.ALLOW_PRIVATE_APPS,
		brandName: given.BRAND_NAME,
		logLevel: given.LOG_LEVEL,
		metrics: given.METRICS,
		limits,
	};
}
