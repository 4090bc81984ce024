/** What the suite and its server processes say to each other over IPC. Types only. */

export interface ServerOptions {
	/** Named in its answers. */
	node: string;
	/** Folder of the SQLite database. */
	dir?: string;
	/** Or a PostgreSQL, which several nodes may share. */
	databaseUrl?: string;
	/** How much faster than the world's the clock runs, and since when (milliseconds since the epoch). */
	speed: number;
	since: number;
	/** False: nobody is there to answer. */
	answers?: boolean;
}

export interface Stats {
	/** Bytes. */
	rss: number;
	heap: number;
	/** Open file descriptors. */
	files: number;
	sockets: number;
	/** Bytes that the process holds unsent: of the worst socket, of all. */
	unsentMax: number;
	unsentSum: number;
	/** Since the last reset. */
	loopDelayMaxMs: number;
	/** Writes of turns that were refused as too late. */
	fenced: number;
}

export type ToServer = { type: "stats"; id: number; reset?: boolean; collect?: boolean };

export type FromServer =
	| { type: "ready"; port: number; pid: number }
	| { type: "stats"; id: number; stats: Stats }
	| { type: "log"; level: "warn" | "error"; text: string; detail: string };
