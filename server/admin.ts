/**
 * What the command line asks of a desk, in one table, and the two ways to ask it: of a desk opened in this process, or of
 * the server that runs already, through `DATA_DIR/admin.sock`. The socket is HTTP with JSON, readable by the server's own
 * user only: who may open it may as well read the database, so it asks for no further proof.
 */
import { chmodSync, rmSync } from "node:fs";
// biome-ignore lint/style/noRestrictedImports: dials a file in DATA_DIR, never an address that somebody typed
import { createServer, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { DeskError, type DeskErrorWire } from "../shared/errors.js";
import { LIMITS } from "../shared/limits.js";
import { type Administered, name, operation } from "./admin-parts.js";
import { APP_OPERATIONS } from "./app-admin.js";
import type { Log } from "./log.js";
import { PICTURE_OPERATIONS } from "./picture-commands.js";

const text = z.string().max(LIMITS.bodyBytes);

const profile = {
	name: name.optional(),
	ownerName: name.optional(),
	about: text.optional(),
	language: z.enum(["en", "zh"]).optional(),
	suggestions: z.array(name).max(10).optional(),
};

const number = z.int().min(1);
const embed = {
	id: number.optional(),
	mode: name.optional(),
	name: name.optional(),
	theme: name.optional(),
	accent: name.optional(),
	greeting: z.boolean().optional(),
	greetingText: z.string().max(1_000).optional(),
};

/** Everything that can be asked. Meaning is checked by the engine, which throws `invalid_params`; here only shapes. */
const OPERATIONS = {
	/** What every command needs to write an address: the server's own, whatever the settings of the shell that asks. */
	about: operation(z.tuple([]), async ({ publicUrl }) => ({ publicUrl })),
	createOwner: operation(
		z.tuple([z.object({ ...profile, handle: name, name })]),
		async (desk, input) => (await desk.engine.owner.createOwner(input)).row.handle,
	),
	desks: operation(z.tuple([]), async (desk) => (await desk.engine.desks()).map(({ row }) => ({ handle: row.handle, name: row.name }))),
	changeProfile: operation(
		z.tuple([name, z.object(profile)]),
		async (desk, handle, change) => (await desk.engine.owner.changeProfile(handle, change)).row.handle,
	),
	createSignIn: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.createSignIn(handle)),
	createKey: operation(z.tuple([name, name]), (desk, handle, label) => desk.engine.owner.createKey(handle, label)),
	keys: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.keys(handle)),
	revokeKey: operation(z.tuple([name, name]), (desk, handle, uid) => desk.engine.owner.revokeKey(handle, uid)),
	sites: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.sites(handle)),
	setSite: operation(z.tuple([name, name, z.enum(["allowed", "blocked"])]), (desk, handle, rule, state) =>
		desk.engine.owner.setSite(handle, rule, state),
	),
	removeSite: operation(z.tuple([name, name]), (desk, handle, rule) => desk.engine.owner.removeSite(handle, rule)),
	siteList: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.siteList(handle)),
	embeds: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.embeds(handle)),
	saveEmbed: operation(z.tuple([name, z.object(embed)]), (desk, handle, { id, ...change }) =>
		desk.engine.owner.saveEmbed(handle, change, id),
	),
	deleteEmbed: operation(z.tuple([name, number]), (desk, handle, id) => desk.engine.owner.deleteEmbed(handle, id)),
	putMemory: operation(z.tuple([name, name, text]), (desk, handle, path, content) => desk.engine.owner.putMemory(handle, path, content)),
	removeMemory: operation(z.tuple([name, name]), (desk, handle, path) => desk.engine.owner.removeMemory(handle, path)),
	memory: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.memory(handle)),
	ratings: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.ratings(handle)),
	gaps: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.gaps(handle)),
	settings: operation(z.tuple([name]), (desk, handle) => desk.engine.owner.settings(handle)),
	...APP_OPERATIONS,
	...PICTURE_OPERATIONS,
	changeSettings: operation(
		z.tuple([name, z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))]),
		async (desk, handle, change) => (await desk.engine.owner.changeSettings(handle, change)).settings,
	),
};

type Operations = typeof OPERATIONS;
/** The table as an object of calls. */
export type Admin = {
	[K in keyof Operations]: (...args: z.input<Operations[K]["args"]>) => Promise<Awaited<ReturnType<Operations[K]["run"]>>>;
};

const isOperation = (key: string): key is keyof Operations => Object.hasOwn(OPERATIONS, key);

async function perform(desk: Administered, key: keyof Operations, args: unknown): Promise<unknown> {
	const { args: shape, run } = OPERATIONS[key];
	const read = shape.safeParse(args);
	if (!read.success) throw new DeskError("invalid_params", `${key} cannot be asked like that: ${z.prettifyError(read.error)}`);
	return (run as (desk: Administered, ...args: unknown[]) => Promise<unknown>)(desk, ...read.data);
}

const asAdmin = (call: (key: keyof Operations, args: unknown[]) => Promise<unknown>): Admin =>
	Object.fromEntries(
		Object.keys(OPERATIONS).map((key) => [key, (...args: unknown[]) => call(key as keyof Operations, args)]),
	) as unknown as Admin;

/** Asks a desk that this process has opened. */
export const localAdmin = (desk: Administered): Admin => asAdmin((key, args) => perform(desk, key, args));

export const adminSocket = (dataDir: string): string => join(dataDir, "admin.sock");

async function bodyOf(message: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of message as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > 2 * LIMITS.bodyBytes) throw new DeskError("too_large", "That is more than a command may carry.");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

type Reply = { result: unknown } | { error: DeskErrorWire };

/**
 * Listens on `DATA_DIR/admin.sock` for commands. Call it only while this process holds the folder's lock: what lies there
 * from a process that died is removed.
 */
export async function serveAdmin(options: { dataDir: string; desk: Administered; log: Log }): Promise<{ close(): Promise<void> }> {
	const { desk, log } = options;
	const path = adminSocket(options.dataDir);

	const answer = async (message: IncomingMessage): Promise<Reply> => {
		try {
			const key = (message.url ?? "").slice(1);
			if (message.method !== "POST" || !isOperation(key)) throw new DeskError("method_not_found", `There is no command ${key} here.`);
			return { result: (await perform(desk, key, JSON.parse(await bodyOf(message)))) ?? null };
		} catch (error) {
			if (error instanceof DeskError) return { error: error.toWire() };
			log("error", { error }, "A command failed in a way nobody foresaw.");
			return { error: { code: "internal", message: "The server failed; its log says how.", detail: {} } };
		}
	};

	const server = createServer((message, response) => {
		void answer(message).then((reply) => {
			response.writeHead("error" in reply ? 400 : 200, { "content-type": "application/json", connection: "close" });
			response.end(JSON.stringify(reply));
		});
	});
	rmSync(path, { force: true });
	// The mask holds while the socket is made, so that at no moment another user may open it.
	const mask = process.umask(0o177);
	try {
		await new Promise<void>((resolve, reject) => {
			server.once("error", reject).listen(path, resolve);
		});
	} finally {
		process.umask(mask);
	}
	chmodSync(path, 0o600);
	return {
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** One call over the socket. Rejects with DeskError as the server said it, or with the connection's own error. */
function ask(path: string, key: string, args: unknown[]): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const call = request(
			{ socketPath: path, method: "POST", path: `/${key}`, headers: { "content-type": "application/json" } },
			(message) => {
				bodyOf(message)
					.then((body) => {
						const reply = JSON.parse(body) as Reply;
						if ("error" in reply) reject(DeskError.fromWire(reply.error));
						else resolve(reply.result ?? undefined);
					})
					.catch(reject);
			},
		);
		call.on("error", reject);
		call.end(JSON.stringify(args));
	});
}

/** The server that runs on a folder, or undefined where none does. Throws `forbidden` where it is another user's. */
export async function reachAdmin(dataDir: string): Promise<Admin | undefined> {
	const path = adminSocket(dataDir);
	try {
		await ask(path, "desks", []);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR" || code === "ECONNREFUSED") return undefined;
		if (code === "EACCES")
			throw new DeskError("forbidden", `A server runs on ${dataDir}, as another user. Give this command as that user.`);
		throw error;
	}
	return asAdmin((key, args) => ask(path, key, args));
}
