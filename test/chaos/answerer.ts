/**
 * What answers in this suite. It says back what it was asked; words in the question say how: `slowly` in pieces, `long 4000` after
 * that many milliseconds, `flood 100 2000` with so many artifacts of so many characters before, `poison` not at all.
 */
import type { Answerer, Clock, Ending, Piece, TurnMessage } from "../../server/engine/ports.js";
import { textOf } from "../../shared/channel.js";

/** Pieces of a slow answer, and milliseconds between them. */
export const SLOW = { pieces: 8, everyMs: 80 };

/** The whole answer to these words, oldest first. */
export const answerTo = (texts: readonly string[], node: string): string => `${node} was asked: ${texts.join("\n")}`;

const wordsOf = ({ message }: TurnMessage): string => textOf(message);

export function answererOf(node: string, clock: Clock): Answerer {
	const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
	return {
		name: "chaos",
		inProcess: true,
		maySilence: false,
		answer(turn, signal) {
			const texts = turn.incoming.map(wordsOf);
			const all = texts.join("\n");
			if (all.includes("poison")) process.exit(1);
			const reply = answerTo(texts, node);
			const flood = /flood (\d+) (\d+)/.exec(all);
			const long = /long (\d+)/.exec(all);
			if (flood || long || all.includes("slowly")) return inTime();
			return atOnce();

			function* atOnce(): Iterable<Piece | Ending> {
				yield { type: "text", text: reply };
				yield { type: "reply", asks: false };
			}
			async function* inTime(): AsyncIterable<Piece | Ending> {
				if (flood) {
					const [, count, chars] = flood.map(Number);
					const text = "~".repeat(chars ?? 0);
					for (let i = 0; i < (count ?? 0); i++) yield { type: "artifact", artifactId: `flood-${i}`, parts: [{ text }] };
				}
				const size = Math.ceil(reply.length / SLOW.pieces);
				for (let at = 0; at < reply.length && !signal.aborted; at += size) {
					yield { type: "text", text: reply.slice(at, at + size) };
					if (!flood) await pause(long ? Number(long[1]) / SLOW.pieces : SLOW.everyMs);
				}
				yield { type: "reply", asks: false };
			}
		},
	};
}
