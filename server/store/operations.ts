/** The store's half of every operation, under the name that `engine/operations.ts` gives it. */
import type { Loaded, OperationInput, OperationName, Plan } from "../engine/operations.js";
import { callHalves, callUpkeepHalves } from "./apps.js";
import * as conversations from "./conversations.js";
import { embedHalves } from "./embeds.js";
import { followUpHalves } from "./follow-ups.js";
import { housekeepingHalves } from "./housekeeping.js";
import { peopleHalves } from "./people.js";
import { pictureHalves } from "./pictures.js";
import { presetHalves } from "./presets.js";
import { ratingHalves } from "./ratings.js";
import { siteHalves } from "./sites.js";
import type { Steps } from "./sql.js";

type Halves = {
	[N in OperationName]: {
		load(input: OperationInput<N>): Steps<Loaded<N>>;
		write(input: OperationInput<N>, loaded: Loaded<N>, plan: Plan<N>): Steps<void>;
		/** On PostgreSQL, writes that share a lane stay in order (`Operation.lanes`). Rows that matter are locked anyway. */
		lanes(input: OperationInput<N>): readonly string[];
	};
};

const { writeChange } = conversations;
/** What a turn writes comes after the send that made it, and in the order in which it was said. */
const ofTurn = (input: { turnUid: string }): readonly string[] => [input.turnUid];
const free = (): readonly string[] => [];

const freely = <T extends object>(group: T): { [K in keyof T]: T[K] & { lanes: typeof free } } =>
	Object.fromEntries(Object.entries(group).map(([name, half]) => [name, { ...half, lanes: free }])) as never;

export const halves: Halves = {
	sendMessage: { load: conversations.loadSend, write: writeChange, lanes: (input) => [input.ids.turn] },
	claimTurn: { load: conversations.loadClaim, write: writeChange, lanes: ofTurn },
	appendPieces: { load: conversations.loadTurn, write: writeChange, lanes: ofTurn },
	finishTurn: { load: conversations.loadTurn, write: writeChange, lanes: ofTurn },
	releaseTurn: { load: conversations.loadTurn, write: writeChange, lanes: ofTurn },
	beginCall: { ...callHalves.beginCall, lanes: ofTurn },
	endCall: { ...callHalves.endCall, lanes: ofTurn },
	...freely({
		cancelTask: { load: conversations.loadCancel, write: writeChange },
		expireTask: { load: conversations.loadExpire, write: writeChange },
		takeMicrophone: { load: conversations.loadMicrophone, write: writeChange },
		handBack: { load: conversations.loadMicrophone, write: writeChange },
		seen: { load: conversations.loadSeen, write: conversations.writeSeen },
	}),
	...freely(housekeepingHalves),
	...freely(peopleHalves),
	...freely(siteHalves),
	...freely(embedHalves),
	...freely(presetHalves),
	...freely(callUpkeepHalves),
	...freely(followUpHalves),
	...freely(pictureHalves),
	...freely(ratingHalves),
};
