/**
 * Runs a desk until the process is told to stop: opened, reachable by commands, listening, and at SIGTERM let go of in the
 * order that loses nothing. `npm start`, `earthonline serve` and `earthonline demo` are this with different settings.
 */
import closeWithGrace from "close-with-grace";
import { LIMITS } from "../shared/limits.js";
import { serveAdmin } from "./admin.js";
import { type Config, isLocalHost, loadConfig } from "./config.js";
import { programName } from "./explain.js";
import { createLog } from "./log.js";
import { openDesk } from "./open.js";

/** Past the time that turns are given: for closing the store. */
const CLOSE_MS = 5_000;

export interface Serving {
	desk: Awaited<ReturnType<typeof openDesk>>;
	/** Where the server listens. */
	url: string;
	close(): Promise<void>;
}

/** Opens and serves. Rejects where that cannot be (another server holds the folder, the port is taken), with everything closed again. */
export async function serve(config: Config): Promise<Serving> {
	const log = createLog({ level: config.logLevel });
	const desk = await openDesk(config);
	const opened: { close(): Promise<void> }[] = [desk];
	const close = async (): Promise<void> => {
		while (opened.length > 0) await opened.pop()?.close();
	};
	try {
		const listening = await desk.listen();
		opened.push(listening);
		opened.push(await serveAdmin({ dataDir: config.dataDir, desk, log }));
		return { desk, url: listening.url, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/** Closes at SIGTERM, SIGINT, or a fault that nobody caught, which is logged and ends the process with 1. */
export function closeAtSignal(config: Config, close: () => Promise<void>): void {
	const log = createLog({ level: config.logLevel });
	closeWithGrace({ delay: LIMITS.stopMs + CLOSE_MS, logger: false }, async ({ signal, err }) => {
		if (err) log("error", { error: err }, "The server stops: a fault that nobody caught.");
		else log("info", { signal }, "The server stops.");
		await close();
	});
}

/** Who can come to where it listens, in words. `host`: as the settings have it. `url`: with the port that is bound. */
function whereItListens(host: string | undefined, url: URL): string {
	if (host === undefined || host === "0.0.0.0" || host === "::") return `every address of this machine, port ${url.port}`;
	return `${url.origin}${isLocalHost(url.hostname) ? ", which this machine alone can reach" : ""}`;
}

/** The server as an operator starts it. `home`: as `loadConfig` takes it. Resolves once it listens; rejects with what `explain` can put into words. */
export async function serveFromSettings(
	env: Record<string, string | undefined>,
	print: (line: string) => void,
	home?: string,
): Promise<void> {
	const config = loadConfig(env, home);
	const { desk, url, close } = await serve(config);
	closeAtSignal(config, close);
	print(`The front desk is at ${config.publicUrl}. It listens on ${whereItListens(config.host, new URL(url))}.`);
	print(`Everything is kept in ${config.dataDir}.`);
	if (new URL(config.publicUrl).protocol === "http:" && !isLocalHost(new URL(config.publicUrl).hostname)) {
		print(
			"PUBLIC_URL is plain http: what visitors say can be read on the way, and https sites cannot show the chat. Put a proxy with TLS in front.",
		);
	}
	if ((await desk.engine.desks()).length === 0) print(`It has no desk yet. Make one: ${programName(env)} owner create <handle>`);
}
