/**
 * What happens to sockets by the clock alone: one timer looks at all of them, instead of a timer each. Ends those that say no
 * Hello, or that have gone without a word; says `tick` to those that have heard nothing for a while.
 */
import { CLOSE, type Tick } from "../../shared/channel.js";
import type { Clock } from "../engine/ports.js";
import { inBatches } from "./batches.js";
import type { Follower } from "./websocket-follow.js";
import { notification } from "./websocket-frames.js";
import { hashOf } from "./websocket-hello.js";
import type { SocketParts } from "./websocket-parts.js";
import type { Session } from "./websocket-session.js";

const SWEEP_MS = 500;
/** Ticks made before the loop gets a turn: each may read the store. */
const BATCH = 16;
/** States kept for others who follow the same context. */
const RECENT = 256;

export class Sweep {
	private readonly recent = new Map<string, { seq: number; hash: string }>();
	private stopTimer: () => void = () => undefined;

	constructor(
		private readonly parts: SocketParts,
		private readonly clock: Clock,
	) {}

	start(): void {
		this.stopTimer = this.clock.after(SWEEP_MS, () => {
			this.look();
			this.start();
		});
	}

	stop(): void {
		this.stopTimer();
	}

	private look(): void {
		const { helloMs, tickMs, silenceMs } = this.parts.limits;
		const now = this.clock.elapsed();
		const quiet: Session[] = [];
		for (const session of this.parts.sessions) {
			if (session.stage === "new" && now - session.saidAt >= helloMs) session.close(CLOSE.credential, "No Hello came in time.");
			if (session.stage !== "open") continue;
			const unheard = now - session.heardAt;
			// Nothing came although it was asked: the connection is gone and nobody has said so (reliability.md G-14).
			if (unheard >= silenceMs) session.cut();
			else if (unheard >= tickMs && !session.pinged) session.ping();
			if (now - session.saidAt >= tickMs && !session.ticking && !session.isClosed()) {
				session.ticking = true;
				quiet.push(session);
			}
		}
		if (quiet.length > 0) void inBatches(quiet, BATCH, (session) => this.tick(session));
	}

	/** Where each followed context stands. One that is not written up to its end yet is left out: the client could not agree. */
	private async tick(session: Session): Promise<void> {
		try {
			const contexts: Tick["contexts"] = [];
			for (const follower of [...session.followers]) {
				if (!follower.resting) continue;
				if (follower.hashedSeq !== follower.seq) await this.hash(session, follower);
				if (follower.resting && follower.hashedSeq === follower.seq) {
					contexts.push({ contextId: follower.contextId, seq: follower.seq, hash: follower.hash });
				}
			}
			session.say(notification("tick", JSON.stringify({ contexts } satisfies Tick)));
		} catch (error) {
			session.failed(error);
		} finally {
			session.ticking = false;
		}
	}

	/** Reads the state only when the log has moved since the last time. */
	private async hash(session: Session, follower: Follower): Promise<void> {
		const { engine } = this.parts;
		const { contextId, seq } = follower;
		let known = this.recent.get(contextId);
		if (known?.seq !== seq) {
			const desk = await engine.desk(session.handle);
			const open = desk && session.caller && (await engine.openContext(session.caller, desk, contextId, 1));
			if (!open) return;
			known = { seq: open.state.seq, hash: hashOf(open.state) };
			this.recent.delete(contextId);
			if (this.recent.size >= RECENT) this.recent.delete(this.recent.keys().next().value as string);
			this.recent.set(contextId, known);
		}
		follower.hash = known.hash;
		follower.hashedSeq = known.seq;
	}
}
