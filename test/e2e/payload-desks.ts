/**
 * What the tests of T-XSS stand on: desks whose every word is a payload, and a browser whose policies are switched off, so that what is
 * looked at is how our documents are made: nothing runs, nothing is asked of anybody, and a document is of the same elements as with
 * harmless words. Policies, which would stop much of it once more, have their own tests.
 */
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, expect } from "vitest";
import type { Answerer, Turn } from "../../server/engine/ports.js";
import { ALLOWED, faultsIn } from "../security/allowed.js";
import { PAYLOADS, shortPayloads } from "../security/payloads.js";
import type { Visit } from "./browser.js";
import { DESK, soon, useWorld, world } from "./world.js";

export const SITE = "https://site.test";
/** Names are at most 40 characters long, suggestions 80. */
export const NAMES = shortPayloads(40);
const SUGGESTIONS = shortPayloads(80);

/** The conversation that was answered last. */
export let conversation = "";

/** Resolves when a piece of the answer to a turn is in the log after a seq. Gives the seq of the last event that is. */
async function pieceAfter(turn: Turn, after: number): Promise<number> {
	const { engine, store } = world.desk;
	const [desk, principal] = await Promise.all([engine.desk(turn.desk.handle), store.read.principal(turn.asker.id)]);
	if (!desk || !principal) throw new Error("A turn at no desk, or of nobody.");
	const caller = { principal, provenance: { channel: turn.asker.channel }, extensions: [] };
	for (let seq = after; ; ) {
		const query = { contextId: turn.conversationId, after: seq, limit: 100, waitMs: 10_000 };
		const { events, seq: last } = await engine.events(caller, desk, query);
		if (events.some((event) => event.includes('"artifactUpdate"'))) return last;
		if (events.length === 0) throw new Error("No piece of the answer has come.");
		seq = last;
	}
}

/** Says the words back in pieces that end anywhere, or does what it is told to; keeps for the owner what it is told that it does not know. */
const echo: Answerer = {
	name: "echo",
	// Begins when its send is on disk: there is a log to follow then.
	inProcess: false,
	maySilence: false,
	async *answer(turn) {
		conversation = turn.conversationId;
		const words = turn.incoming.map((m) => m.message.parts.map((p) => p.text ?? "").join("")).join("\n");
		if (words.startsWith("gap")) yield { type: "gap", question: words };
		if (words.startsWith("authorise")) yield { type: "needs_authorisation", explanation: words };
		else if (words.startsWith("fail")) yield { type: "failed", explanation: words };
		else {
			const size = Math.ceil(words.length / 5);
			let seq = turn.incoming.at(-1)?.seq ?? 0;
			for (let at = 0; at < words.length; at += size) {
				yield { type: "text", text: words.slice(at, at + size) };
				// Each is drawn by itself: the next is said when whoever follows can read it.
				if (at + size < words.length) seq = await pieceAfter(turn, seq);
			}
			yield { type: "reply", asks: false };
		}
	},
};

export let one: Visit;
/** What ran that should not have. */
export const hits: string[] = [];
export const desks: { handle: string; name: string; about: string }[] = [];

/** Cries instead of `alert`, and looks at every element as it comes. */
const LISTEN = `
for (const name of ["alert", "confirm", "prompt"]) self[name] = (words) => void self.cry?.(name + " " + words);
self.faultsIn = ${faultsIn};
self.faults = new Set();
self.watch = (allowed) => {
	self.faults.clear();
	new MutationObserver((all) => {
		for (const { addedNodes, target, type } of all) {
			if (type === "attributes") for (const fault of self.faultsIn(target.cloneNode(false), allowed)) self.faults.add(fault);
			for (const node of addedNodes) for (const fault of self.faultsIn(node, allowed)) self.faults.add(fault);
		}
	}).observe(document, { subtree: true, childList: true, attributes: true });
};
self.signatures = (text, type) => {
	const document = new DOMParser().parseFromString(text, type);
	const found = [];
	const walk = (node) => {
		if (node.nodeType === 1) found.push(node.nodeName + " " + [...node.attributes].map((a) => a.name).sort().join(" "));
		for (const child of node.childNodes) walk(child);
		if (node.content && node.content.nodeType === 11) walk(node.content);
	};
	walk(document);
	return { found, text: document.documentElement.textContent };
};`;
/** What every document of the browser can do for the tests. */
export interface Listening {
	faultsIn: typeof faultsIn;
	faults: Set<string>;
	watch(allowed: typeof ALLOWED): void;
	signatures(text: string, type: string): { found: string[]; text: string };
}

/** Somebody whose browser keeps to no policy, cries at what runs, and looks at every element. */
export async function listener(): Promise<Visit> {
	const visit = await world.arrive({ bypassCSP: true });
	await visit.context.exposeBinding("cry", (_, words: string) => void hits.push(words));
	await visit.context.addInitScript({ content: LISTEN });
	visit.page.on("dialog", (dialog) => {
		hits.push(dialog.message());
		void dialog.dismiss();
	});
	return visit;
}

/** For the top of a test file: a desk `plain` with harmless words, and so many whose every word is a payload. */
export function useDesks(count: number): void {
	useWorld({ answerer: echo });
	beforeAll(async () => {
		const { owner } = world.desk.engine;
		await owner.setSite("mira", SITE, "allowed");
		const made = await Promise.allSettled(
			Array.from({ length: count }, async (_, i) => {
				const desk = { handle: `x${i}`, name: NAMES[i % NAMES.length] as string, about: PAYLOADS[i % PAYLOADS.length] as string };
				const suggestions = [0, 1, 2].map((n) => SUGGESTIONS[(i * 3 + n) % SUGGESTIONS.length] as string);
				await owner.createOwner({ ...desk, ownerName: `Owner ${desk.about}`, suggestions });
				await owner.setSite(desk.handle, SITE, "allowed");
				desks.push(desk);
			}),
		);
		// What no desk may be called is refused, and that is as good.
		for (const { reason } of made.filter((m) => m.status === "rejected")) expect(reason).toMatchObject({ code: "invalid_params" });
		await owner.createOwner({ handle: "plain", name: "Plain", about: "Words", ownerName: "Owner", suggestions: ["One", "Two", "Three"] });
		await owner.setSite("plain", SITE, "allowed");
		one = await listener();
	});
	beforeEach(() => {
		hits.length = 0;
		one.requests.length = 0;
	});
}

/** Nothing has run, and nobody was asked for anything but our desk and the site. */
export function nothingHappened(visit = one): void {
	expect(hits).toEqual([]);
	expect(visit.requests.filter((url) => !url.startsWith(DESK) && !url.startsWith(SITE) && !/^(?:blob|about|data):/.test(url))).toEqual([]);
	expect(world.strays).toEqual([]);
	expect(visit.errors).toEqual([]);
}

/** The elements of a page with harmless words that are its own: its head, its scripts. */
export const ownOf = (at: Page): Promise<string[]> =>
	at.evaluate((allowed) => {
		const own: string[] = [];
		for (const fault of (self as unknown as Listening).faultsIn(document, allowed)) own.push(fault.replace(/^[a-z-]+ of (?=<)/, ""));
		return own;
	}, ALLOWED);
export const faultsOf = (at: Page, own: string[]): Promise<string[]> =>
	at.evaluate(
		(allowed) => {
			const { faultsIn: look, faults } = self as unknown as Listening;
			return [...faults, ...look(document, allowed)];
		},
		{ ...ALLOWED, own },
	);
export const ready = (at: Page) => at.locator("main.chat textarea").waitFor();
export const quiet = async (at: Page, lines: number) => {
	await soon(() => at.locator(".bubble").count(), { timeout: 20_000 }).toBe(lines);
	await soon(() => at.locator(".draft, .dots").count(), { timeout: 20_000 }).toBe(0);
	await soon(() => at.locator(".line:not(.own)").count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(lines);
};
export const say = async (at: Page, words: string) => {
	await at.locator("textarea").fill(words);
	await at.locator("textarea").press("Enter");
};
