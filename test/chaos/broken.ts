/**
 * The mutants: a server with one part broken, each of which some suite here must notice. They are put in from this side, through
 * the places that `createDesk`, `openSqlite` and `runWriter` leave open; no flag in `server/` breaks it.
 */
import { Socket } from "node:net";
import Database from "better-sqlite3";
import { Events } from "../../server/engine/events.js";
import { decides } from "../../server/engine/operations.js";
import type { Store } from "../../server/engine/ports.js";
import type { Operation } from "../../server/store/db.js";
import { prepareWriter, type WriterOptions } from "../../server/store/sqlite-writer.js";

/** What a server process is told at its start, in the variable CHAOS: its writer's thread reads it too. */
export interface Orders {
	dir?: string;
	mutant?: MutantName;
	/** Orders to die in messages are carried out. */
	dies?: boolean;
}

export const orders = (): Orders => JSON.parse(process.env.CHAOS ?? "{}") as Orders;

interface Mutant extends Pick<WriterOptions, "prepare" | "settle"> {
	decides?: Record<string, Operation["decide"]>;
	store?: (store: Store, dir: string) => Store;
	/** How long a write waits for a lock, milliseconds. */
	writeWaitMs?: number;
	/** Broken in the whole process. */
	process?: () => void;
}

const wait = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** A rule that takes every claim for one that holds. */
const unfenced =
	(decide: Operation["decide"]): Operation["decide"] =>
	(rows, input) =>
		decide(
			rows.turn ? { ...rows, turn: { ...rows.turn, state: "running", claim: input.claim, epoch: rows.conversation.epoch } } : rows,
			input,
		);

type Piece = { append: boolean };
/** A rule that goes on with whatever was said before. */
const joining =
	(decide: Operation["decide"]): Operation["decide"] =>
	(rows, input) =>
		decide(rows, { ...input, pieces: (input.pieces as Piece[]).map((piece) => ({ ...piece, append: true })) });

let refusedOnce = false;
let careless: Database.Database | undefined;

const MUTANTS = {
	/** Keeps no retry keys: the same message again is another one. */
	"forgets keys": {
		decides: {
			sendMessage(rows, input) {
				const outcome = decides.sendMessage({ ...rows, retry: undefined }, input);
				return { ...outcome, plan: outcome.plan && { ...outcome.plan, keys: [] } };
			},
		},
	},
	/** Answers, and commits a little later. */
	"answers first": {
		settle(commit, answer) {
			answer();
			wait(40);
			commit();
		},
	},
	/** Commits without waiting for the disk: SQLite's default in WAL mode. */
	"does not sync": {
		prepare(connection) {
			prepareWriter(connection);
			connection.pragma("synchronous = normal");
		},
	},
	/** Lets whoever once held a turn go on writing. */
	"does not fence": {
		decides: {
			appendPieces: unfenced(decides.appendPieces),
			finishTurn: unfenced(decides.finishTurn),
			releaseTurn: unfenced(decides.releaseTurn),
		},
	},
	/** Does not count how often a turn was begun. */
	"does not count": {
		decides: { claimTurn: (rows, input) => decides.claimTurn(rows.turn ? { ...rows, turn: { ...rows.turn, attempts: 0 } } : rows, input) },
	},
	/** Never looks for turns that nobody holds. */
	"does not reap": { store: (store) => ({ ...store, read: { ...store.read, dueTurns: async () => [] } }) },
	/** After a crash begins all turns at once, those too of which one may be why. */
	"tries all at once": {
		store: (store) => ({
			...store,
			read: {
				...store.read,
				async dueTurns(...query) {
					const due = await store.read.dueTurns(...query);
					return due.map((turn) => ({ ...turn, attempts: 0 }));
				},
			},
		}),
	},
	/** After a crash goes on with the half answer instead of beginning anew. */
	"joins answers": { decides: { appendPieces: joining(decides.appendPieces), finishTurn: joining(decides.finishTurn) } },
	/** Writes to sockets whether or not they read. */
	"heeds no reader": {
		process() {
			Object.defineProperty(Socket.prototype, "writableNeedDrain", { get: () => false });
		},
	},
	/** Does not send a slow reader what it missed. */
	"skips for the slow": {
		process() {
			const { readPage } = Events.prototype;
			Events.prototype.readPage = async function (conversationId, after, maxBytes) {
				const page = await readPage.call(this, conversationId, after, maxBytes);
				return page.length > 20 ? page.slice(10) : page;
			};
		},
	},
	/** Ends at SIGTERM as if it were killed. */
	"ends at once": {},
	/** Does not give turns back when it stops. */
	"hands nothing over": { decides: { releaseTurn: () => ({ plan: null, answer: { fenced: true, conversationId: 0, events: [] } }) } },
	/** Waits for locks where everybody is served. */
	"waits on the loop": {
		store(store, dir) {
			const here = new Database(`${dir}/desk.db`, { timeout: 5_000 });
			const write = (name: never, input: never): unknown => {
				here.exec("begin immediate");
				here.exec("rollback");
				return store.write(name, input);
			};
			return { ...store, write: write as Store["write"] };
		},
	},
	/** Lets a write wait as long as somebody holds the database. */
	"never gives up": { writeWaitMs: 60_000 },
	/** Answers also when the commit has failed. */
	"answers anyway": {
		prepare(connection) {
			prepareWriter(connection);
			careless = connection;
		},
		settle(commit, answer) {
			try {
				commit();
			} catch {
				if (careless?.inTransaction) careless.exec("rollback");
			}
			answer();
		},
	},
	/** Once refused by the disk, refuses for ever. */
	"stays broken": {
		settle(commit, answer) {
			try {
				if (refusedOnce) throw new Error("broken once");
				commit();
			} catch (error) {
				refusedOnce = true;
				throw error;
			}
			answer();
		},
	},
} satisfies Record<string, Mutant>;

export type MutantName = keyof typeof MUTANTS;

export const broken = (name: MutantName | undefined): Mutant => (name === undefined ? {} : MUTANTS[name]);
