/** Puts a question to an answerer as the engine does, for the tests beside it and the question suite. */
import type { Answerer, Ending, MemoryFile, Piece, Turn, TurnMessage } from "../../engine/ports.js";

export interface Told {
	/** The words, joined. */
	text: string;
	pieces: string[];
	gaps: string[];
	endings: Ending[];
}

type Said = string | TurnMessage["message"]["parts"];

const message = (said: Said, seq: number, from: TurnMessage["from"]): TurnMessage => ({
	seq,
	from,
	message: {
		messageId: `m${seq}`,
		role: from === "visitor" ? "ROLE_USER" : "ROLE_AGENT",
		parts: typeof said === "string" ? [{ text: said }] : said,
	},
});

/** A turn of Mira's desk. `before`: what the visitor wrote earlier. */
export function turnOf(memory: MemoryFile[], incoming: Said[], before: string[] = [], desk: Partial<Turn["desk"]> = {}): Turn {
	return {
		id: "turn_1",
		desk: { handle: "mira", name: "Mira", about: "Ceramics and illustration studio in Lisbon", language: null, ownerName: "Mira", ...desk },
		conversationId: "ctx_1",
		asker: { id: "guest_1", kind: "person", channel: "embed" },
		history: before.flatMap((said, i) => [message(said, 2 * i + 1, "visitor"), message("(answered)", 2 * i + 2, "desk")]),
		incoming: incoming.map((said, i) => message(said, 2 * before.length + 1 + i, "visitor")),
		acceptedOutputModes: null,
		memory: () => Promise.resolve(memory),
		may: { webSearch: false, apps: {} },
		use: () => Promise.resolve({ done: false, why: "not_allowed" }),
	};
}

/** Runs a turn to its end. */
export async function tell(answerer: Answerer, turn: Turn, signal = new AbortController().signal): Promise<Told> {
	const told: Told = { text: "", pieces: [], gaps: [], endings: [] };
	for await (const said of answerer.answer(turn, signal) as AsyncIterable<Piece | Ending>) {
		if (said.type === "text") told.pieces.push(said.text);
		else if (said.type === "gap") told.gaps.push(said.question);
		else if (said.type !== "artifact") told.endings.push(said);
	}
	told.text = told.pieces.join("");
	return told;
}

/** What of a reply is quoted, a line each. */
export const quoted = (text: string): string[] =>
	text
		.split("\n")
		.filter((line) => line.startsWith(">"))
		.map((line) => line.slice(1).trim())
		.filter((line) => line !== "");
