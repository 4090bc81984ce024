/**
 * Hello: who opens a socket, for whom it speaks, and from where on it follows which conversations. Everything that may refuse
 * it is judged here and before anything is made for it; the session writes the answer and begins to follow after it.
 */
import { z } from "zod";
import { read } from "../../shared/a2a.schema.js";
import { callerId, int32 } from "../../shared/a2a-fields.schema.js";
import { type ContextState, type Gap, type HelloResult, stateHash } from "../../shared/channel.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { unknownCredential } from "../callers.js";
import type { Caller, Desk, Engine } from "../engine/engine.js";
import type { Provenance } from "../engine/ports.js";
import type { PrincipalRow } from "../engine/rows.js";
import { HTTP_EXTENSIONS, SOCKET_EXTENSIONS } from "./extensions.js";
import { checkVersion } from "./operations.js";

const sized = (min: number, max: number) =>
	z.string().refine((text) => text.length >= min && text.length <= max, { error: `Give ${min} to ${max} characters.` });

/** The longest ticket is of a long site; one that is longer is none of ours. */
const TICKET_CHARS = 1_024;
const EXTENSIONS_MAX = 32;
/** A seq of the log. */
export const seqNumber = int32(0);

const HelloParamsSchema = z.strictObject({
	version: z.string().optional(),
	nonce: sized(16, 128),
	credential: z.string().max(LIMITS.idChars).optional(),
	ticket: z.string().max(TICKET_CHARS).optional(),
	extensions: z.array(z.string()).max(EXTENSIONS_MAX).optional(),
	follow: z
		.array(z.strictObject({ contextId: callerId, after: seqNumber }))
		.refine((list) => list.length <= LIMITS.socketContexts, { error: `Give at most ${LIMITS.socketContexts} contexts.` })
		.optional(),
	new: z.boolean().optional(),
});
type Params = z.output<typeof HelloParamsSchema>;

/** A context that is to be followed. */
export interface Opening {
	contextId: string;
	conversationId: number;
	after: number;
	/** Where the log stood when it was opened, and what the state came to there. */
	seq: number;
	hash: string;
}

export interface Greeting {
	desk: Desk;
	caller: Caller;
	/** What proves the caller: looked at again when somebody is shut out. */
	credential: string;
	result: HelloResult;
	/** To be told after the answer, before any event. */
	gaps: Gap[];
	openings: Opening[];
}

/** What a Hello needs of the server. */
export interface HelloParts {
	engine: Engine;
	/** Counts a new guest against an address. Throws `rate_limited`. */
	newGuest(network: string): void;
	/** Takes the place of a guest's socket. Throws `rate_limited`. */
	takePlace(principal: PrincipalRow): void;
}

const AGENT: Provenance = { channel: "a2a" };

/** Judges a Hello. Throws DeskError: everything that refuses it ends the socket. */
export async function greet(parts: HelloParts, handle: string, network: string, given: unknown): Promise<Greeting> {
	const { engine } = parts;
	const desk = await engine.desk(handle);
	if (!desk) throw new DeskError("not_found", "There is no desk at this address any more.");
	const params = read(HelloParamsSchema, given);
	checkVersion(params.version, desk.settings.missingVersion);
	const provenance = provenanceOf(engine, desk, params.ticket);
	await checkDoor(engine, desk, provenance);
	const { principal, credential, ...made } = await identify(parts, desk, network, params);
	parts.takePlace(principal);
	if (params.ticket !== undefined && !(await engine.embed.redeemTicket(desk, params.ticket, principal))) {
		throw new DeskError("ticket_used", "This document's ticket belongs to another guest. Load the document again for a new one.");
	}
	const caller: Caller = { principal, provenance, extensions: turnedOn(params.extensions) };
	const result: HelloResult = {
		you: { id: principal.uid, kind: principal.kind },
		...made,
		desk: desk.face,
		following: [],
		extensions: [...caller.extensions],
	};
	const greeting: Greeting = { desk, caller, credential, result, gaps: [], openings: [] };
	await openContexts(engine, greeting, params);
	return greeting;
}

function provenanceOf(engine: Engine, desk: Desk, ticket: string | undefined): Provenance {
	if (ticket === undefined) return AGENT;
	const provenance = engine.embed.readTicket(desk, ticket);
	if (!provenance)
		throw new DeskError("ticket_invalid", "This document's ticket is not valid (any more). Load the document again for a new one.");
	return provenance;
}

/**
 * Whether somebody who comes so may speak to the desk as it is now. A desk whose A2A is switched off still has its chat: only
 * sockets with a ticket get in. The site's rule and the embed are looked at each time (design.md, "The embed handshake", 4). Throws `forbidden`.
 */
export async function checkDoor(
	engine: Engine,
	desk: Desk,
	provenance: Provenance,
	checkSite: Engine["embed"]["check"] = engine.embed.check,
): Promise<void> {
	if (provenance.channel === "a2a" && !desk.settings.a2a)
		throw new DeskError("forbidden", "This desk does not answer agents. Its chat page does.");
	if (provenance.site === undefined) return;
	const answer = await checkSite(desk, provenance.site, provenance.embed);
	if (answer.show) return;
	if (answer.reason === "no_such_embed")
		throw new DeskError("forbidden", "The embed that this chat came by was deleted. The site's owner can paste another.");
	throw new DeskError("forbidden", "This desk's chat is not open on this site (any more). Its owner can allow the site.");
}

/** Throws `forbidden` for a guest where guests are not taken. */
export function checkGuest(desk: Desk, principal: PrincipalRow | null): void {
	if (principal?.kind === "account" || desk.settings.guests) return;
	throw new DeskError("forbidden", "This desk takes no guests. Say Hello with an account's key as credential.");
}

type Identity = { principal: PrincipalRow; credential: string } & Pick<HelloResult, "guestToken" | "renewed">;

/** A key that is not valid is refused; a guest's token that is not is a new guest (reliability.md 4.2, 3). */
async function identify(parts: HelloParts, desk: Desk, network: string, { credential, nonce }: Params): Promise<Identity> {
	const { engine } = parts;
	if (credential !== undefined) {
		const principal = await engine.identify(credential, desk);
		checkGuest(desk, principal ?? null);
		if (principal) return { principal, credential };
		if (credential.startsWith("eolc_")) throw unknownCredential();
	}
	checkGuest(desk, null);
	parts.newGuest(network);
	const { principal, token } = await engine.welcomeGuest(desk, nonce);
	return { principal, credential: token, guestToken: token, ...(credential === undefined ? {} : { renewed: true }) };
}

const KNOWN = [...HTTP_EXTENSIONS, ...SOCKET_EXTENSIONS].map(({ uri }) => uri);
/** The same list for everybody who turned on the same: there may be ten thousand of them. */
const LISTS = new Map<string, readonly string[]>();

function turnedOn(wanted: readonly string[] = []): readonly string[] {
	const list = KNOWN.filter((uri) => wanted.includes(uri));
	const name = list.join(" ");
	const known = LISTS.get(name);
	if (!known) LISTS.set(name, list);
	return known ?? list;
}

/** The contexts that are to be followed, or the newest where none is named. What is not the caller's is left out. */
async function openContexts(engine: Engine, { desk, caller, result, gaps, openings }: Greeting, params: Params): Promise<void> {
	if (params.follow === undefined) {
		const newest = params.new ? undefined : await engine.openContext(caller, desk);
		if (!newest) return;
		result.context = newest.state;
		result.following.push({ contextId: newest.state.contextId, after: newest.state.seq });
		openings.push(openingOf(newest.conversationId, newest.state, newest.state.seq));
		return;
	}
	const wanted = new Map(params.follow.map(({ contextId, after }) => [contextId, after]));
	for (const [contextId, after] of wanted) {
		const open = await reopen(engine, desk, caller, contextId, after);
		if (!open) continue;
		if (open.gap && result.context === undefined) result.context = open.gap.state;
		else if (open.gap) gaps.push(open.gap);
		result.following.push({ contextId, after: open.opening.seq });
		openings.push(open.opening);
		// Each reads the store: the others are not to wait for all of them.
		if (openings.length % 8 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
	}
}

/**
 * A context from a seq on. A caller that is ahead of the log holds what is no more (a backup was put back, a database failed
 * over): it is given the state instead (reliability.md G-30).
 */
export async function reopen(
	engine: Engine,
	desk: Desk,
	caller: Caller,
	contextId: string,
	after: number,
): Promise<{ opening: Opening; gap?: Gap } | undefined> {
	const open = await engine.openContext(caller, desk, contextId, 1);
	if (!open) return undefined;
	if (after <= open.state.seq) return { opening: openingOf(open.conversationId, open.state, after) };
	const whole = await engine.openContext(caller, desk, contextId);
	if (!whole) return undefined;
	const { state } = whole;
	return { opening: openingOf(whole.conversationId, state, state.seq), gap: { contextId, from: state.seq + 1, to: after, state } };
}

export const openingOf = (conversationId: number, state: ContextState, after: number): Opening => ({
	contextId: state.contextId,
	conversationId,
	after,
	seq: state.seq,
	hash: hashOf(state),
});

/** What a tick says of a context. */
export function hashOf({ seq, messages, tasks, microphone }: ContextState): string {
	const last = messages.at(-1);
	return stateHash({
		seq,
		...(last ? { lastMessage: { seq: last.seq, messageId: last.message.messageId } } : {}),
		openTasks: tasks.map(({ id, status }) => ({ id, state: status.state })),
		microphone,
	});
}
