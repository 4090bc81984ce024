/**
 * A server that a test plays to a chat (T-XSS): it says whatever is wanted of a desk and of a conversation, also what the product's own would
 * never say, since a chat may be newer or older than what it talks to, and words are words whoever lets them through.
 */
import type { Page, WebSocketRoute } from "playwright-core";
import type { Message, Part, Task } from "../../shared/a2a.schema.js";
import type { ClientFrame, ContextState, DeskFace, HelloResult, LogEvent } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { DESK } from "./world.js";

export interface Played {
	/** What the next who opens a socket is told of the desk. */
	face: DeskFace;
	/** The conversation that they find; none unless given. */
	found: Found | undefined;
	/** Says what has happened in the conversation, in this order. */
	tell(happened: readonly Happening[]): void;
}

/** A conversation as it stands: what was said, and what is under way. */
export interface Found {
	said: readonly Message[];
	tasks: readonly Task[];
}

/** What may happen in a conversation. */
export type Happening = Omit<LogEvent, "contextId" | "seq" | "at">;

export const PLAIN: DeskFace = {
	handle: "plain",
	name: "Plain",
	about: "Words",
	face: "/@plain/face.svg",
	online: true,
	suggestions: ["One", "Two", "Three"],
	ownerName: "Owner",
	brand: "Brand",
	pictures: true,
};

export const CONTEXT = "ctx_played";
/** The clock of a server that is played stands still. */
const AT = Date.UTC(2026, 0, 1);

/** Plays to every chat of a page. Call it before the page is opened. */
export async function play(page: Page): Promise<Played> {
	let socket: WebSocketRoute | undefined;
	let seq = 0;
	const say = (frame: object): void => socket?.send(JSON.stringify({ jsonrpc: "2.0", ...frame }));
	const played: Played = {
		face: PLAIN,
		found: undefined,
		tell(happened) {
			for (const event of happened)
				say({ method: "event", params: { contextId: CONTEXT, seq: ++seq, at: AT, ...event } satisfies LogEvent });
		},
	};
	await page.routeWebSocket(/\/ws$/, (opened) => {
		socket = opened;
		opened.onMessage((text) => {
			const { id, method } = JSON.parse(String(text)) as ClientFrame;
			if (method !== "Hello") return say({ id, result: { ratings: [], messages: [], more: false } });
			const context = played.found && contextOf(played.found);
			seq = context?.seq ?? 0;
			const you = { id: "gst_played", kind: "guest" as const };
			const following = context ? [{ contextId: CONTEXT, after: seq }] : [];
			const result: HelloResult = { you, guestToken: "eolg_played", desk: played.face, following, extensions: [] };
			say({ id, result: context ? { ...result, context } : result });
		});
	});
	return played;
}

const contextOf = ({ said, tasks }: Found): ContextState => ({
	contextId: CONTEXT,
	seq: said.length,
	messages: said.map((message, i) => ({ seq: i + 1, at: AT, message })),
	more: false,
	tasks: [...tasks],
	microphone: "desk",
	read: { asker: 0, desk: 0 },
});

/** A picture that stands at the desk. */
const ours = (n: number): string => `${DESK}/f/${String(n).padStart(32, "0")}`;

/** What has been said that is made of some payloads: each in every place of a line in which somebody's words may stand. */
export function saidOf(payloads: readonly string[]): Message[] {
	let made = 0;
	const said = (role: Message["role"], parts: Part[], metadata?: Message["metadata"]): Message => ({
		messageId: `m${++made}`,
		role,
		parts,
		...(metadata ? { metadata } : {}),
	});
	const person = (more: object) => ({ [EXTENSIONS.humanTakeover]: { by: "human", ...more } });
	return payloads.flatMap((words, n) => [
		said("ROLE_USER", [
			{ text: words },
			{ url: ours(2 * n), mediaType: "image/png", filename: words },
			{ url: "https://files.example/x", filename: words },
		]),
		said("ROLE_AGENT", [{ text: "x" }], { [EXTENSIONS.ackReaction]: { messageId: `m${made}`, emoji: words } }),
		said("ROLE_AGENT", [{ text: words }], person({ signed: words })),
		said(
			"ROLE_AGENT",
			[
				{ url: ours(2 * n + 1), mediaType: "image/jpeg", filename: words },
				{ url: `https://files.example/${encodeURIComponent(words)}`, filename: words },
				{ url: `https://files.example/${words}` },
				{ url: `https://${words}/` },
				{ url: words, mediaType: words },
				{ raw: Buffer.from(words).toString("base64"), filename: words, mediaType: words },
				{ data: { [words]: words, list: [words] } },
			],
			person({ name: words }),
		),
	]);
}

/** How a task stands, with the server's words for it. */
export const status = (taskId: string, state: string, words: string, metadata?: object): Happening => ({
	statusUpdate: {
		taskId,
		contextId: CONTEXT,
		status: { state, message: { messageId: `${taskId} ${state}`, role: "ROLE_AGENT", parts: [{ text: words }] } },
		...(metadata ? { metadata } : {}),
	} as LogEvent["statusUpdate"],
});

/** Two tasks for each payload under way, whose answers are it so far: one of each to be stopped, the other to fail. */
export const underWay = (payloads: readonly string[]): Task[] =>
	payloads.flatMap((words, n) =>
		["stopped", "failed"].map((name) => ({
			id: `${name} ${n}`,
			contextId: CONTEXT,
			status: { state: "TASK_STATE_WORKING" as const },
			artifacts: [{ artifactId: "result", name: words, parts: [{ text: words }] }],
		})),
	);

/** The same desk where every text is these words. */
export const faceOf = (words: string, suggestions: readonly string[]): DeskFace => ({
	...PLAIN,
	name: words,
	about: words,
	ownerName: words,
	brand: words,
	suggestions: [...suggestions],
});
