import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../shared/limits.js";
import { testClock } from "../test/clock.js";
import { openTestDesk, type TestDesk } from "../test/desk.js";
import type { Answerer } from "./engine/ports.js";

let desk: TestDesk | undefined;
afterEach(async () => {
	await desk?.close();
	desk = undefined;
});

/** Says one word and then nothing, until it is told to stop. Tells when so many have begun. */
function silent(): Answerer & { begun(count: number): Promise<void> } {
	let count = 0;
	let woken: () => void = () => undefined;
	return {
		name: "silent",
		inProcess: true,
		maySilence: false,
		async *answer(_turn, signal) {
			count++;
			woken();
			yield { type: "text" as const, text: "Well" };
			if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
		},
		async begun(wanted) {
			while (count < wanted) await new Promise<void>((resolve) => (woken = resolve));
		},
	};
}

const HEADERS = { "content-type": "application/json", "a2a-version": "1.0" };
let made = 0;
const body = () => JSON.stringify({ message: { messageId: `m${++made}`, role: "ROLE_USER", parts: [{ text: "hi" }] } });

describe("a server that stops", () => {
	it("says first that it is not ready, lets what runs run, answers whoever waits, and only then stops listening", async () => {
		const clock = testClock();
		const answerer = silent();
		desk = await openTestDesk({ clock, answerer });
		const listening = await desk.serve();
		const post = (path: string, headers: Record<string, string> = {}) =>
			fetch(`${listening.url}/a2a/mira/${path}`, { method: "POST", headers: { ...HEADERS, ...headers }, body: body() });
		const waiting = post("message:send");
		const stream = await post("message:stream");
		await answerer.begun(2);

		const closed = listening.close();
		const ready = await fetch(`${listening.url}/readyz`);
		expect([ready.status, ready.headers.get("connection")]).toEqual([503, "close"]);
		expect(await ready.text()).toBe("stopping");
		expect((await fetch(`${listening.url}/healthz`)).status).toBe(200);
		clock.turn(LIMITS.stopMs);

		const answered = await waiting;
		expect(answered.status).toBe(200);
		const { task } = (await answered.json()) as { task: { status: { state: string } } };
		expect(task.status.state).toMatch(/^TASK_STATE_(?:WORKING|SUBMITTED)$/);
		// A stream that is cut off rejects here.
		const said = await stream.text();
		expect(said).toContain(`{"task":`);
		expect(said).not.toContain('"error"');
		await closed;
		await expect(fetch(`${listening.url}/healthz`)).rejects.toThrow();
	});
});

describe("whoever is shut out while a send of theirs waits", () => {
	const post = (url: string, token: string) =>
		fetch(`${url}/a2a/mira/message:send`, { method: "POST", headers: { ...HEADERS, authorization: `Bearer ${token}` }, body: body() });

	it.each(["key", "guest"])("is told at once, with a %s", async (kind) => {
		// Time stands still: nothing that waits for its end would ever answer.
		const clock = testClock();
		const answerer = silent();
		desk = await openTestDesk({ clock, answerer });
		const { url } = await desk.serve();
		const { engine } = desk;
		const mira = await engine.desk("mira");
		if (!mira) throw new Error("no desk");
		const guest = await engine.welcomeGuest(mira, "a nonce of a test");
		const waiting = post(url, kind === "key" ? desk.key : guest.token);
		await answerer.begun(1);
		if (kind === "guest") await engine.owner.revokeGuest("mira", guest.principal.uid);
		else for (const { uid } of await engine.owner.keys("mira")) await engine.owner.revokeKey("mira", uid);
		const answered = await waiting;
		expect(answered.status).toBe(401);
		expect(answered.headers.get("www-authenticate")).toMatch(/^Bearer/);
		// The turn that nobody waits for any more is handed over when the desk closes.
		const closing = desk.close();
		desk = undefined;
		clock.turn(LIMITS.stopMs);
		await closing;
	});
});
