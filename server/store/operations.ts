/** The store's half of every operation, under the name that `engine/operations.ts` gives it. */
import type { Loaded, OperationInput, OperationName, Plan } from "../engine/operations.js";
import * as conversations from "./conversations.js";
import { housekeepingHalves } from "./housekeeping.js";
import { peopleHalves } from "./people.js";
import { siteHalves } from "./sites.js";
import type { Steps } from "./sql.js";

type Halves = {
	[N in OperationName]: {
		load(input: OperationInput<N>): Steps<Loaded<N>>;
		write(input: OperationInput<N>, loaded: Loaded<N>, plan: Plan<N>): Steps<void>;
		/** On PostgreSQL, writes of one lane stay in order (`Operation.lane`): what a turn writes comes after the send that made it. */
		lane(input: OperationInput<N>): string;
	};
};

const { writeChange } = conversations;
const byTurn = (input: { turnUid: string }): string => input.turnUid;
const byTask = (input: { taskUid: string }): string => input.taskUid;
const byContext = (input: { contextUid: string }): string => input.contextUid;
/** Whatever is rare is in one lane with all that is rare. */
const rare = (): string => "rare";

const spread = <T extends object>(group: T): { [K in keyof T]: T[K] & { lane: () => string } } =>
	Object.fromEntries(Object.entries(group).map(([name, half]) => [name, { lane: rare, ...half }])) as never;

export const halves: Halves = {
	sendMessage: { load: conversations.loadSend, write: writeChange, lane: (input) => input.ids.turn },
	claimTurn: { load: conversations.loadClaim, write: writeChange, lane: byTurn },
	appendPieces: { load: conversations.loadTurn, write: writeChange, lane: byTurn },
	finishTurn: { load: conversations.loadTurn, write: writeChange, lane: byTurn },
	releaseTurn: { load: conversations.loadTurn, write: writeChange, lane: byTurn },
	cancelTask: { load: conversations.loadCancel, write: writeChange, lane: byTask },
	expireTask: { load: conversations.loadExpire, write: writeChange, lane: byTask },
	takeMicrophone: { load: conversations.loadMicrophone, write: writeChange, lane: byContext },
	handBack: { load: conversations.loadMicrophone, write: writeChange, lane: byContext },
	seen: { load: conversations.loadSeen, write: conversations.writeSeen, lane: byContext },
	...spread(housekeepingHalves),
	...spread(peopleHalves),
	...spread(siteHalves),
};
