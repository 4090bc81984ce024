/** People and agents at one or more nodes, with everything that they hold open there: sockets, and event streams. */
import { type Client, dial, message } from "./client.js";
import { HANDLE, type Node } from "./nodes.js";

let made = 0;

interface Stream {
	text: string;
	ended: Promise<void>;
	isOver: boolean;
	leave(): void;
}

/** Somebody with one conversation, in which the crier speaks, and all that they hold open. */
export interface Party {
	uid: string;
	credential: string;
	sockets: Client[];
	streams: Stream[];
}

async function follow(node: Node, credential: string, taskId: string): Promise<Stream> {
	const leaving = new AbortController();
	const { body, status } = await fetch(`${node.url}/a2a/${HANDLE}`, {
		method: "POST",
		headers: { "content-type": "application/json", "a2a-version": "1.0", authorization: `Bearer ${credential}` },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: taskId } }),
		signal: leaving.signal,
	});
	if (status !== 200) throw new Error(`a stream was refused with ${status}`);
	const decoder = new TextDecoder();
	const stream: Stream = { text: "", ended: Promise.resolve(), isOver: false, leave: () => leaving.abort() };
	stream.ended = (async () => {
		for await (const chunk of body ?? []) stream.text += decoder.decode(chunk as Uint8Array, { stream: true });
	})().finally(() => (stream.isOver = true));
	stream.ended.catch(() => undefined);
	return stream;
}

export interface Coming {
	credential?: string;
	ticket?: () => string;
	sockets?: number;
	streams?: number;
	/** Where; in turns where there are several. */
	at: readonly Node[];
}

/** Comes, says something, and holds open what is wanted. */
export async function arrive({ credential, ticket, sockets = 3, streams = 0, at }: Coming): Promise<Party> {
	const nodeOf = (i: number): Node => at[i % at.length] as Node;
	const coming = ticket ? { ticket: ticket() } : {};
	const first = await dial(nodeOf(0));
	const { you, guestToken } = await first.hello({ ...coming, ...(credential === undefined ? {} : { credential }), new: true });
	const known = credential ?? (guestToken as string);
	const { task } = await first.call<{ task: { id: string; contextId: string } }>("SendMessage", {
		...message(`m${++made}`, "Tell me everything"),
		configuration: { returnImmediately: true },
	});
	const socket = async (_: unknown, i: number): Promise<Client> => {
		const client = await dial(nodeOf(i + 1));
		await client.hello({ ...coming, credential: known, follow: [{ contextId: task.contextId, after: 0 }] });
		return client;
	};
	return {
		uid: you.id,
		credential: known,
		sockets: [first, ...(await Promise.all(Array.from({ length: sockets - 1 }, socket)))],
		streams: await Promise.all(Array.from({ length: streams }, (_, i) => follow(nodeOf(i), known, task.id))),
	};
}

const texts = new WeakMap<Client, { frames: number; text: string }>();
/** Everything that came, as one text that grows. */
function textOf(client: Client): string {
	const known = texts.get(client) ?? { frames: 0, text: "" };
	known.text += client.frames
		.slice(known.frames)
		.map((frame) => JSON.stringify(frame))
		.join("\n");
	known.frames = client.frames.length;
	texts.set(client, known);
	return known.text;
}

/** Whether words came by everything that they hold open, or by anything. */
export const heardBy = ({ sockets, streams }: Party, words: string): boolean =>
	sockets.every((client) => textOf(client).includes(words)) && streams.every(({ text }) => text.includes(words));
export const heardByAny = ({ sockets, streams }: Party, words: string): boolean =>
	sockets.some((client) => textOf(client).includes(words)) || streams.some(({ text }) => text.includes(words));
/** Whether all of it is open still. */
export const isWhole = ({ sockets, streams }: Party): boolean =>
	sockets.every(({ socket }) => socket.readyState === socket.OPEN) && streams.every(({ isOver }) => !isOver);

/** Resolves when all of what they held open has ended. */
export async function ended(gone: readonly Party[]): Promise<void> {
	await Promise.all(gone.flatMap(({ sockets, streams }) => [...sockets.map(({ closed }) => closed), ...streams.map((s) => s.ended)]));
}

export function leave({ sockets, streams }: Party): void {
	for (const { socket } of sockets) socket.terminate();
	for (const stream of streams) stream.leave();
}
