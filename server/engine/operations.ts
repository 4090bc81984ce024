/**
 * Every write of the product, by name: the rule that judges it. The store holds the other half of each (`load` and `write`) under
 * the same name; whoever runs them joins the two (`server/writer.ts` on SQLite, the driver's caller on PostgreSQL).
 */
import { appDecides } from "./apps-operations.js";
import { decideCancelTask, decideExpireTask, decideHandBack, decideSeen, decideTakeMicrophone } from "./conversation-operations.js";
import { embedDecides } from "./embeds-operations.js";
import { followUpDecides } from "./follow-ups-operations.js";
import { decideFoldChunks } from "./housekeeping.js";
import { noticeDecides } from "./notices-operations.js";
import * as people from "./people-operations.js";
import { pictureDecides } from "./pictures-operations.js";
import { presetDecides } from "./presets-operations.js";
import { decideRate } from "./ratings-operations.js";
import { decideSend } from "./send.js";
import { siteDecides } from "./sites-operations.js";
import { decideFinishTurn } from "./turn-endings.js";
import { decideAppendPieces, decideClaimTurn, decideReleaseTurn } from "./turn-operations.js";

export const decides = {
	sendMessage: decideSend,
	claimTurn: decideClaimTurn,
	appendPieces: decideAppendPieces,
	finishTurn: decideFinishTurn,
	releaseTurn: decideReleaseTurn,
	cancelTask: decideCancelTask,
	expireTask: decideExpireTask,
	takeMicrophone: decideTakeMicrophone,
	handBack: decideHandBack,
	seen: decideSeen,
	foldChunks: decideFoldChunks,
	createGuest: people.decideCreateGuest,
	touch: people.decideTouch,
	createKey: people.decideCreateKey,
	createSignIn: people.decideCreateSignIn,
	signIn: people.decideSignIn,
	signOut: people.decideSignOut,
	putMemory: people.decidePutMemory,
	ensureSecret: people.decideEnsureSecret,
	...siteDecides,
	...embedDecides,
	...presetDecides,
	...appDecides,
	...followUpDecides,
	...pictureDecides,
	rate: decideRate,
	// Last: what every process is told of stands in the place of the same rules without.
	...noticeDecides,
};

type Decides = typeof decides;
export type OperationName = keyof Decides;
/** What the store loaded for it. */
export type Loaded<N extends OperationName> = Parameters<Decides[N]>[0];
/** Plain JSON. */
export type OperationInput<N extends OperationName> = Parameters<Decides[N]>[1];
/** What is to be written; null: nothing. */
export type Plan<N extends OperationName> = ReturnType<Decides[N]>["plan"];
export type OperationAnswer<N extends OperationName> = ReturnType<Decides[N]>["answer"];
