/**
 * One turn while it runs: takes what the answerer yields, writes it in pieces (the first at once, then what has gathered, at
 * least 50 ms apart), keeps the lease, and ends it. It knows no rules: what an ending comes to is decided by `outcomeOf`, whether
 * a write still counts by the store.
 */
import type { Artifact } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";
import { LIMITS } from "../../shared/limits.js";
import { asksCaller } from "./asks.js";
import type { Answerer, Clock, Ending, Piece, Store, Turn } from "./ports.js";
import { statusText } from "./texts.js";
import type { Outcome } from "./turn-endings.js";
import type { ArtifactPiece, TurnAnswer } from "./turn-operations.js";

/** The artifact that holds the words of an answer (A2A-14). */
const RESULT = "result";

export interface RunParts {
	store: Store;
	clock: Clock;
	log: (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string) => void;
	/** Called with what each write of the turn made. */
	published: (answer: TurnAnswer) => void;
}

export interface RunClaim {
	turnUid: string;
	claim: string;
	/** Id of the desk's message that this turn will make. */
	messageId: string;
}

export class TurnRun {
	private readonly abort = new AbortController();
	private words = "";
	private unsent = "";
	private sentWords = false;
	/** Where the first piece of the words ended: an answer that was there at once still streams in two. */
	private firstCut = 0;
	private artifacts: Artifact[] = [];
	private waiting: ArtifactPiece[] = [];
	private gaps: string[] = [];
	private lastWriteAt = Number.NEGATIVE_INFINITY;
	private stopTimer: (() => void) | undefined;
	private stopLease: (() => void) | undefined;
	/** The piece that is on its way to the disk. */
	private writing: Promise<void> | undefined;
	private over = false;

	constructor(
		private readonly parts: RunParts,
		private readonly claim: RunClaim,
		private readonly answerer: Answerer,
		private readonly turn: Turn,
		/** Towards an agent, an answerer that may stay silent is not heard before its ending is known. */
		private readonly held: boolean,
	) {}

	/** Runs to the end. Resolves when its last write is on disk, or when it was fenced. Never rejects. */
	async run(): Promise<void> {
		this.keepLease();
		try {
			const ending = await this.listen();
			if (!this.over) await this.finish(ending);
		} catch (error) {
			if (!this.over) {
				this.parts.log("error", { turn: this.claim.turnUid, answerer: this.answerer.name, err: error }, "an answerer broke");
				await this.finish({ type: "failed", explanation: "" }).catch((again: unknown) =>
					this.parts.log("error", { turn: this.claim.turnUid, err: again }, "a turn could not be ended"),
				);
			}
		} finally {
			this.close();
		}
	}

	/** Aborts when it is stopped. */
	get signal(): AbortSignal {
		return this.abort.signal;
	}

	/** Stops it: cancelled, taken over, or the server stops. Nothing is written after this. */
	stop(): void {
		this.close();
		this.abort.abort();
	}

	private close(): void {
		this.over = true;
		this.stopTimer?.();
		this.stopLease?.();
		this.stopTimer = this.stopLease = undefined;
	}

	private async listen(): Promise<Ending> {
		const answer = this.answerer.answer(this.turn, this.abort.signal);
		if (Symbol.asyncIterator in answer) {
			for await (const said of answer) {
				const ending = this.take(said);
				if (ending) return ending;
				if (this.over) break;
			}
		} else {
			for (const said of answer) {
				const ending = this.take(said);
				if (ending) return ending;
			}
		}
		return { type: "failed", explanation: "the answerer ended without an ending" };
	}

	private take(said: Piece | Ending): Ending | undefined {
		switch (said.type) {
			case "text":
				if (said.text === "") return undefined;
				this.words += said.text;
				this.unsent += said.text;
				if (this.firstCut === 0) this.firstCut = this.words.length;
				break;
			case "artifact":
				this.takeArtifact(said);
				break;
			case "gap":
				// Half of a pair, as a cut by units leaves it, can be kept nowhere.
				this.gaps.push(said.question.toWellFormed());
				return undefined;
			default:
				return said;
		}
		this.soon();
		return undefined;
	}

	private takeArtifact(piece: Extract<Piece, { type: "artifact" }>): void {
		const append = piece.append === true && this.artifacts.some((a) => a.artifactId === piece.artifactId);
		const { artifactId, parts } = piece;
		const named = {
			...(piece.name === undefined ? {} : { name: piece.name }),
			...(piece.description === undefined ? {} : { description: piece.description }),
		};
		// By the rule that every reader of the pieces goes by: the whole must be what they come to.
		const update = { taskId: "", contextId: "", artifact: { artifactId, ...named, parts }, append };
		this.artifacts = applyArtifactUpdate(this.artifacts, update);
		this.waiting.push({ artifactId, ...named, parts, append, lastChunk: piece.lastChunk ?? true });
	}

	/** Plans the next write: at once for the first, later for the rest. A tick later, so that an ending already here makes it the last. */
	private soon(): void {
		if (this.held || this.writing || this.over || this.stopTimer) return;
		const wait = Math.max(0, this.lastWriteAt + LIMITS.pieceGapMs - this.parts.clock.elapsed());
		this.stopTimer = this.parts.clock.after(wait, () => {
			this.stopTimer = undefined;
			void this.flush();
		});
	}

	private async flush(): Promise<void> {
		if (this.over || this.writing) return;
		const pieces = this.gather(false);
		if (pieces.length === 0) return;
		this.lastWriteAt = this.parts.clock.elapsed();
		this.writing = this.write(pieces);
		await this.writing;
		this.writing = undefined;
		if (this.unsent !== "" || this.waiting.length > 0) this.soon();
	}

	/** Writes pieces and gaps, or keeps them for the next write (disk full, busy). Never rejects. */
	private async write(pieces: ArtifactPiece[]): Promise<void> {
		const gaps = this.gaps;
		this.gaps = [];
		try {
			await this.append(pieces, gaps);
		} catch (error) {
			this.parts.log("warn", { turn: this.claim.turnUid, err: error }, "a piece of an answer could not be written yet");
			this.gaps = [...gaps, ...this.gaps];
			this.giveBack(pieces);
		}
	}

	private giveBack(pieces: ArtifactPiece[]): void {
		for (const piece of pieces.toReversed()) {
			if (piece.artifactId !== RESULT) this.waiting.unshift(piece);
			else {
				this.unsent = (piece.parts[0]?.text ?? "") + this.unsent;
				if (!piece.append) this.sentWords = false;
			}
		}
	}

	private async append(pieces: ArtifactPiece[], gaps: string[]): Promise<void> {
		const now = this.parts.clock.now();
		const answer = await this.parts.store.write("appendPieces", {
			turnUid: this.claim.turnUid,
			claim: this.claim.claim,
			leaseUntil: now + LIMITS.turnLeaseMs,
			pieces,
			gaps,
			now,
		});
		if (answer.fenced) this.stop();
		else this.parts.published(answer);
	}

	/** What has been said and not been written. With `last`, the words' end as their last chunk. */
	private gather(last: boolean): ArtifactPiece[] {
		const pieces = this.waiting;
		this.waiting = [];
		const cut = last && !this.sentWords && this.firstCut < this.unsent.length ? this.firstCut : 0;
		if (cut > 0) {
			pieces.push(this.wordsPiece(this.unsent.slice(0, cut), false));
			this.unsent = this.unsent.slice(cut);
		}
		if (this.unsent !== "" || (last && this.sentWords)) {
			pieces.push(this.wordsPiece(this.unsent, last));
			this.unsent = "";
		}
		return pieces;
	}

	private wordsPiece(text: string, lastChunk: boolean): ArtifactPiece {
		const append = this.sentWords;
		this.sentWords = true;
		return { artifactId: RESULT, name: RESULT, parts: [{ text }], append, lastChunk };
	}

	private async finish(ending: Ending): Promise<void> {
		this.stopTimer?.();
		// What is on its way comes first, or comes back to be said here.
		if (this.writing) await this.writing;
		if (this.over) return;
		const outcome = outcomeOf(ending, this.words, this.turn, this.artifacts.length > 0);
		const silent = outcome.kind === "silence" || outcome.kind === "message";
		const fixed = "text" in outcome && this.words === "" ? outcome.text : "";
		if (fixed !== "") {
			this.words = this.unsent = fixed;
			this.firstCut = fixed.length;
		}
		const pieces = silent ? [] : this.gather(true);
		const artifacts = silent
			? []
			: [...this.artifacts, ...(this.words === "" ? [] : [{ artifactId: RESULT, name: RESULT, parts: [{ text: this.words }] }])];
		const input = {
			turnUid: this.claim.turnUid,
			claim: this.claim.claim,
			outcome,
			pieces,
			artifacts,
			gaps: this.gaps,
			messageId: this.claim.messageId,
			ends: ending.type === "end_conversation",
			now: this.parts.clock.now(),
		};
		const answer = await this.untilWritten(() => this.parts.store.write("finishTurn", input));
		if (answer && !answer.fenced) this.parts.published(answer);
	}

	/** An answer is not thrown away because the disk is full at its end: tried again while the claim is kept. */
	private async untilWritten(write: () => Promise<TurnAnswer>): Promise<TurnAnswer | undefined> {
		for (let wait = 250; ; wait = Math.min(wait * 2, 10_000)) {
			try {
				return await write();
			} catch (error) {
				if (this.over || (error as { code?: string }).code !== "unavailable") throw error;
				await new Promise<void>((resolve) => this.parts.clock.after(wait, resolve));
				if (this.over) return undefined;
			}
		}
	}

	private keepLease(): void {
		this.stopLease = this.parts.clock.after(LIMITS.turnLeaseMs / 3, () => {
			if (this.over) return;
			if (!this.writing) void this.append([], []).catch(() => undefined);
			this.keepLease();
		});
	}
}

/**
 * What an ending comes to. A person who wrote always gets a reply (DESK-2): silence towards one becomes fixed words. An empty
 * reply is a failure: an answer that says nothing and made nothing (`made`: an artifact besides the words) helps nobody.
 */
export function outcomeOf(ending: Ending, words: string, turn: Pick<Turn, "asker" | "desk">, made = false): Outcome {
	const toPerson = turn.asker.kind === "person";
	switch (ending.type) {
		case "reply":
			return words.trim() === "" && !made ? { kind: "fail" } : { kind: "reply", asks: ending.asks ?? asksCaller(words), text: words };
		case "no_reply":
			return toPerson
				? { kind: "reply", asks: false, text: statusText("passedOn", turn.desk.language ?? "en", turn.desk.ownerName) }
				: { kind: "silence" };
		case "end_conversation":
			return { kind: "reply", asks: false, text: words };
		case "needs_authorisation":
			return { kind: "authorise", text: words || ending.explanation };
		case "rejected":
			return { kind: "reject", text: words || (ending.explanation ?? "") };
		case "failed":
			return { kind: "fail" };
		case "message":
			return { kind: "message", parts: ending.parts };
	}
}
