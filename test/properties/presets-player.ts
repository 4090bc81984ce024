/**
 * One desk of T-PRESET: takes its steps on a real engine and beside it in a small model (reliability.md 4.3), and says what came otherwise. The model is
 * the lattice's rule and nothing more: what is in force is the lowest of the owner's preset now, the one at the turn's start, what is
 * connected, and nothing at all where the site, the embed, the guests or the door forbid it.
 */
import type { Call, CallResult } from "../../server/engine/apps-ports.js";
import type { Caller, Desk } from "../../server/engine/engine.js";
import type { Channel, Turn } from "../../server/engine/ports.js";
import { LIMITS } from "../../shared/limits.js";
import {
	type AppAccess,
	accessTo,
	DEFAULT_PRESET,
	meet,
	NOTHING,
	narrow,
	type Preset,
	type Widening,
	widened,
	widens,
} from "../../shared/presets.js";
import { gate } from "../engine.js";
import type { Step, Tool } from "./presets-steps.js";
import { levelOf, lowest, type Made, type Running, SITE, type World } from "./presets-world.js";

export class Player {
	readonly wrong: string[] = [];
	private readonly handle: string;
	private caller: Caller | undefined;
	private said = 0;

	private preset: Preset = DEFAULT_PRESET;
	private most: Preset = NOTHING;
	private readonly approvals: { uid: string; widening: Widening; state: string; expiresAt: number }[] = [];
	private site: "allowed" | "blocked" | "none" = "allowed";
	private anySite = false;
	private guests = true;
	/** The embed that is there, if one is. */
	private embed: number | undefined;
	private conversation: { channel: Channel; elsewhere: boolean; embed: number | undefined } | undefined;
	private running: Running | undefined;
	/** A call runs beside the step that is taken. */
	private racing = false;
	/** Of turns that have ended, and of this one before a crash: nobody waits for them any more. */
	private readonly left: Made[] = [];

	constructor(
		private readonly world: World,
		private readonly number: number,
	) {
		this.handle = `d${number}`;
	}

	async open(): Promise<void> {
		const engine = this.world.engine();
		const desk = await engine.owner.createOwner({ handle: this.handle, name: "Mira" });
		await engine.owner.setSite(this.handle, SITE, "allowed");
		const { principal } = await engine.welcomeGuest(desk, `nonce-of-${this.handle}`);
		this.caller = { principal, provenance: { channel: "embed" }, extensions: [] };
	}

	/** Takes a step. What went otherwise than the model says stands in `wrong`. */
	async take(step: Step): Promise<void> {
		try {
			await this.does(step);
			const { webSearch, apps } = (await this.world.engine().presets.get(this.handle)).preset;
			this.holds(`after ${step.do}`, meet({ webSearch, apps }), meet(this.preset));
		} catch (error) {
			this.wrong.push(`${this.handle} ${step.do}: ${error}`);
		}
	}

	/** The process is gone: what was under way stays as it was begun. */
	crash(): void {
		for (const made of this.running?.calls ?? []) delete made.coming;
		for (const made of this.left) delete made.coming;
		if (!this.running) return;
		this.running.again = gate();
		const wider = widens(meet(this.running.pinned), meet(this.most, this.preset));
		this.world.seen(`a turn is begun anew${wider ? " where more is given now" : ""}`);
	}

	/** Resolves when the turn that was cut off has been begun anew. */
	async resumed(): Promise<void> {
		await this.running?.again.promise;
	}

	async close(): Promise<void> {
		await this.does({ do: "end" }).catch((error: unknown) => void this.wrong.push(`${this.handle} end: ${error}`));
	}

	private holds(what: string, found: unknown, meant: unknown): void {
		if (JSON.stringify(found) !== JSON.stringify(meant))
			this.wrong.push(`${this.handle} ${what}: ${JSON.stringify(found)} where ${JSON.stringify(meant)} was meant`);
	}

	// What is in force, as the model has it

	private level(tool: Tool): AppAccess {
		const { running, conversation } = this;
		if (!running || !conversation || conversation.channel !== "embed" || conversation.elsewhere) return "none";
		if (conversation.embed !== undefined && conversation.embed !== this.embed) return this.forbidden("the embed is gone");
		if (!this.guests) return this.forbidden("guests are off");
		if (this.site === "blocked") return this.forbidden("the site is blocked");
		if (this.site === "none" && !this.anySite) return this.forbidden("any site is off");
		const inForce = meet(this.most, this.preset, running.pinned);
		return tool === "webSearch" ? (inForce.webSearch ? "read" : "none") : accessTo(inForce, "calendar");
	}

	private forbidden(why: string): "none" {
		this.world.seen(why);
		return "none";
	}

	/** Calls that the owner is told are under way. */
	private get underWay(): number {
		const calls = [...(this.running?.calls ?? []), ...this.left];
		return calls.filter(({ state, at }) => state === "begun" && at > this.world.now() - LIMITS.callMs).length;
	}

	private approvalState(approval: { state: string; expiresAt: number }): string {
		return approval.state === "open" && approval.expiresAt <= this.world.now() ? "expired" : approval.state;
	}

	// Steps

	private async does(step: Step): Promise<void> {
		const { owner, presets } = this.world.engine();
		const { handle } = this;
		switch (step.do) {
			case "set":
				return await this.set(step.webSearch, step.calendar);
			case "decide":
				return await this.decide(step.which, step.decision);
			case "connect":
				await presets.connectApp(handle, { kind: step.app === "search" ? "brave" : "ical", most: step.most });
				return this.connected(step.app, step.most);
			case "remove": {
				const isConnected = step.app === "search" ? this.most.webSearch : accessTo(this.most, "calendar") !== "none";
				if (!isConnected) return;
				const { underWay } = this;
				const answer = await presets.removeApp(handle, step.app);
				if (!this.racing) this.holds("calls under way", answer.underWay, underWay);
				return this.connected(step.app, "none");
			}
			case "site": {
				const state = step.state === "none" && this.site === "none" ? undefined : step.state;
				const list = state === "allowed" ? "allow" : state === "blocked" ? "block" : "remove";
				const rules = state === undefined ? {} : { [list]: [SITE] };
				await owner.changeSites(handle, { ...rules, ...(step.anySite === undefined ? {} : { anySite: step.anySite }) });
				this.site = state ?? this.site;
				this.anySite = step.anySite ?? this.anySite;
				return;
			}
			case "guests":
				await owner.changeSettings(handle, { guests: step.on });
				this.guests = step.on;
				return;
			case "embedGone":
				if (this.embed !== undefined) await owner.deleteEmbed(handle, this.embed);
				this.embed = undefined;
				return;
			case "begin":
				return await this.begin(step);
			case "use":
				return await this.use(step.tool, step.waits);
			case "land":
				return await this.land();
			case "again":
				return await this.again(step.which);
			case "race":
				return await this.race(step);
			case "end":
				await this.running?.end();
				this.leave();
		}
	}

	private async set(webSearch: boolean | undefined, calendar: AppAccess | undefined): Promise<void> {
		const most = accessTo(this.most, "calendar");
		const isRefused = calendar === undefined || most === "none" || (calendar === "read" && most === "busy");
		const change = { ...(webSearch === undefined ? {} : { webSearch }), ...(isRefused ? {} : { apps: { calendar } }) };
		if (Object.keys(change).length === 0) return;
		const { preset, settled, wider } = narrow(this.preset, change);
		const isNarrower = JSON.stringify(meet(preset)) !== JSON.stringify(meet(this.preset));
		const underWay = isNarrower ? this.underWay : 0;
		this.preset = preset;
		for (const approval of this.approvals) {
			const other = wider.find((w) => w.part === approval.widening.part);
			approval.state = this.approvalState(approval);
			if (approval.state === "open" && (settled.includes(approval.widening.part) || (other && other.to !== approval.widening.to)))
				approval.state = "void";
		}
		const state = await this.world.engine().presets.change(this.handle, change);
		// In a race, the call that runs beside may have been begun or ended by then.
		if (!this.racing) this.holds("calls under way", state.underWay, underWay);
		for (const { uid, widening, expiresAt } of state.waiting)
			if (!this.approvals.some((a) => a.uid === uid)) this.approvals.push({ uid, widening, state: "open", expiresAt });
		const waits = (w: Widening): boolean =>
			this.approvals.some((a) => this.approvalState(a) === "open" && a.widening.part === w.part && a.widening.to === w.to);
		for (const widening of wider) if (!waits(widening)) this.wrong.push(`${this.handle}: nothing waits for ${JSON.stringify(widening)}`);
	}

	private async decide(which: number, decision: "approved" | "denied"): Promise<void> {
		const approval = this.approvals[this.approvals.length - 1 - which];
		if (!approval) return;
		const answer = await this.world.engine().presets.decide(this.handle, approval.uid, decision);
		const state = this.approvalState(approval);
		this.world.seen(`${state} is decided`);
		const meant = state === "open" ? decision : state;
		this.holds(approval.uid, [answer.state, answer.first], [meant, state === "open"]);
		if (state === "open" && decision === "approved") this.preset = widened(this.preset, approval.widening);
		approval.state = meant;
	}

	private connected(app: "calendar" | "search", to: AppAccess): void {
		if (app === "search") {
			this.most = { ...this.most, webSearch: to !== "none" };
			return;
		}
		this.most = { ...this.most, apps: { calendar: to } };
		this.preset = narrow(this.preset, { apps: { calendar: "none" } }).preset;
		for (const approval of this.approvals) {
			approval.state = this.approvalState(approval);
			if (approval.state === "open" && approval.widening.part === "calendar") approval.state = "void";
		}
	}

	private async begin({ channel, goesOn, numbered }: Extract<Step, { do: "begin" }>): Promise<void> {
		const engine = this.world.engine();
		const contextId = goesOn ? this.running?.contextId : undefined;
		await this.running?.end();
		this.leave();
		if (channel === "embed" && numbered && this.embed === undefined)
			this.embed = (await engine.owner.saveEmbed(this.handle, { mode: "pet" })).number;
		const embed = channel === "embed" && numbered ? this.embed : undefined;
		const provenance = {
			channel,
			...(channel === "embed" ? { site: SITE } : {}),
			...(embed === undefined ? {} : { embed: String(embed) }),
		};
		const caller: Caller = { principal: this.caller?.principal ?? null, extensions: [], provenance };

		const [started, over] = [gate<Turn>(), gate()];
		const words = `${this.handle} ${++this.said}`;
		this.world.begun.set(words, async (turn) => {
			started.open(turn);
			if (this.running) {
				this.running.use = turn.use;
				this.running.again.open();
			}
			await over.promise;
		});
		const message = { messageId: words, role: "ROLE_USER" as const, parts: [{ text: words }] };
		const desk = async () => (await this.world.engine().desk(this.handle)) as Desk;
		const sent = await engine.send(caller, await desk(), { ...message, ...(contextId === undefined ? {} : { contextId }) }, {});
		const turn = await started.promise;
		if (contextId === undefined) this.conversation = { channel, elsewhere: false, embed };
		else if (this.conversation && channel !== this.conversation.channel) this.conversation.elsewhere = true;
		this.running = {
			pinned: this.conversation?.channel === "embed" ? meet(this.most, this.preset) : NOTHING,
			calls: [],
			use: turn.use,
			again: gate(),
			contextId: sent.contextId,
			end: async () => {
				over.open();
				await this.world.engine().answer(caller, await desk(), sent, { waitMs: 20_000 });
			},
		};
	}

	/** The turn is over: what it has under way is nobody's. */
	private leave(): void {
		this.left.push(...(this.running?.calls ?? []));
		this.running = undefined;
	}

	private newCall(tool: Tool): Call {
		const n = ++this.said;
		return tool === "webSearch" ? { tool, query: `${this.handle} ${n}` } : { tool, from: this.number, to: this.number + n };
	}

	private ask(call: Call): Promise<CallResult> {
		return (this.running as Running).use(call);
	}

	private async use(tool: Tool, waits: boolean): Promise<void> {
		const { running, world } = this;
		if (!running) return;
		const call = this.newCall(tool);
		const key = JSON.stringify(call);
		const level = this.level(tool);
		const meant = level === "none" ? "not_allowed" : running.calls.length >= LIMITS.callsPerTurn ? "too_many" : level;
		const [dialled, answered] = [gate(), gate()];
		if (waits) world.slow.set(key, { dialled: dialled.open, answered: answered.promise });
		const result = this.ask(call);
		const isUnderWay = waits && (await Promise.race([dialled.promise.then(() => true), result.then(() => false)]));
		if (isUnderWay) {
			this.holds(`${tool}, begun`, level, meant);
			running.calls.push({ call, level, at: world.now(), state: "begun", coming: { result, land: answered.open } });
		} else {
			const got = levelOf(tool, await result);
			this.holds(tool, got, meant);
			if (got === level && level !== "none") running.calls.push({ call, level, at: world.now(), state: "done" });
		}
		// Nothing is even asked of anybody outside (I11).
		this.holds(`${tool}, made`, world.made.has(key), meant === level);
	}

	private async land(): Promise<void> {
		const { running } = this;
		for (const made of [...(running?.calls ?? []), ...this.left]) {
			if (!made.coming) continue;
			const { tool } = made.call;
			const isOver = running?.calls.includes(made) !== true;
			const now = this.level(tool);
			const level = lowest(made.level, now);
			made.coming.land();
			const got = levelOf(tool, await made.coming.result);
			this.holds(`${tool}, come`, got, isOver ? "stopped" : level === "none" ? "not_allowed" : level);
			delete made.coming;
			made.state = isOver || level === "none" ? "withheld" : "done";
			this.world.seen(
				isOver ? "what comes after its turn is withheld" : level === "none" ? "what comes is withheld" : "what comes is given",
			);
			if (!isOver && level !== "none" && level !== made.level) this.world.seen("what comes is given as less");
		}
	}

	private async again(which: number): Promise<void> {
		const made = this.running?.calls[which];
		if (!made) return;
		const { tool } = made.call;
		const now = this.level(tool);
		const got = levelOf(tool, await this.ask(made.call));
		if (now !== "none") this.world.seen(`${made.state}${made.state === "begun" && !made.coming ? " before a crash" : ""}, asked again`);
		const known = { begun: "unknown", withheld: "not_allowed", done: lowest(made.level, now) }[made.state];
		if (now !== "none" && made.state === "done" && made.or !== undefined && got === lowest(made.or, now)) return;
		this.holds(`${tool} again`, got, now === "none" ? "not_allowed" : known);
	}

	private async race({ tool, narrowing }: Extract<Step, { do: "race" }>): Promise<void> {
		const { running, world } = this;
		if (!running) return;
		const call = this.newCall(tool);
		const before = this.level(tool);
		const isFull = running.calls.length >= LIMITS.callsPerTurn;
		const result = this.ask(call);
		this.racing = true;
		await this.does(narrowing);
		this.racing = false;
		const got = levelOf(tool, await result);
		const after = this.level(tool);
		const isMade = world.made.has(JSON.stringify(call));
		world.seen(`a race: ${isMade ? (got === "not_allowed" ? "withheld" : "made") : "not made"}`);
		// Either came first, or the call was begun before and ended after.
		const possible: [string, boolean][] = [];
		if (before === "none" || lowest(before, after) === "none") possible.push(["not_allowed", false]);
		if (before !== "none" && isFull) possible.push(["too_many", false]);
		if (before !== "none" && !isFull) {
			possible.push([before, true], [lowest(before, after) === "none" ? "not_allowed" : lowest(before, after), true]);
		}
		if (!possible.some(([what, made]) => what === got && made === isMade))
			this.wrong.push(
				`${this.handle} race of ${tool} with ${narrowing.do}: ${got}, made: ${isMade}, where it was ${before} and is ${after}`,
			);
		if (!isMade) return;
		running.calls.push({ call, level: before, or: after, at: world.now(), state: got === "not_allowed" ? "withheld" : "done" });
	}
}
