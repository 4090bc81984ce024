/** The whole way: a visitor's question in the embed, the built-in answerer, the engine, the guarded door, and services as they are. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { braveServer, calendarServer } from "../../test/apps/services.js";
import { openWeb, type Web } from "../../test/apps/web.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import { knowledge } from "../answerers/knowledge.js";
import type { Desk } from "../engine/engine.js";
import { createOutbound, type Outbound } from "../outbound/fetch.js";
import { feedReader } from "./feed-reader.js";
import { createApps } from "./index.js";

const SITE = "https://site.example";
const NOW = Date.UTC(2026, 2, 23, 10);
const FEED = [
	"BEGIN:VCALENDAR",
	"VERSION:2.0",
	"X-WR-TIMEZONE:Europe/Lisbon",
	"BEGIN:VEVENT",
	"UID:1",
	"DTSTART:20260324T090000Z",
	"DTEND:20260324T120000Z",
	"SUMMARY:Divorce lawyer",
	"END:VEVENT",
	"END:VCALENDAR",
].join("\r\n");

let web: Web;
let outbound: Outbound;
let desk: TestDesk;

beforeEach(async () => {
	web = await openWeb();
	outbound = createOutbound({ privateOrigins: [], ownHosts: [], ownAddresses: [], dial: web.dial });
	desk = await openTestDesk({
		answerer: knowledge(() => NOW),
		apps: createApps({ outbound, feeds: feedReader(new URL("../feed-reader.js", import.meta.url)), now: () => NOW }),
		memory: { "hours.md": "Open daily." },
	});
	await web.serve(
		"calendar.example",
		calendarServer("/me.ics", () => FEED),
	);
	await web.serve(
		"api.search.brave.com",
		braveServer("key-12345678", () => [{ title: "Glazes", url: "https://glazes.example/", text: "Fire at 1240 degrees" }]),
	);
	await desk.engine.owner.setSite("mira", SITE, "allowed");
});
afterEach(async () => {
	await desk.close();
	await outbound.close();
	await web.close();
});

let asked = 0;
async function ask(question: string, site: string | null = SITE): Promise<string> {
	const { engine } = desk;
	const mira = (await engine.desk("mira")) as Desk;
	const { principal } = await engine.welcomeGuest(mira, `nonce-${++asked}`);
	const provenance = site === null ? { channel: "page" as const } : { channel: "embed" as const, site };
	const caller = { principal, provenance, extensions: [] };
	const sent = await engine.send(caller, mira, { messageId: `m${asked}`, role: "ROLE_USER", parts: [{ text: question }] }, {});
	const { json } = await engine.answer(caller, mira, sent, { waitMs: 10_000 });
	return (JSON.parse(json) as { artifacts: { parts: { text: string }[] }[] }).artifacts[0]?.parts[0]?.text ?? "";
}

describe("a visitor", () => {
	it("gets free times once the owner gave the calendar's, never a title, and only in the embed", async () => {
		const { presets, owner } = desk.engine;
		await presets.connectApp("mira", { kind: "ical", address: "https://calendar.example/me.ics" });
		expect(await ask("When are you free?")).toContain("I'm checking that with Mira");
		expect((await owner.gaps("mira")).map((gap) => gap.question)).toEqual(["When are you free?"]);
		const { waiting } = await presets.change("mira", { apps: { calendar: "busy" } });
		expect(await ask("When are you free?")).toContain("I'm checking");
		await presets.decide("mira", waiting[0]?.uid ?? "", "approved");
		const answer = await ask("When are you free?");
		expect(answer).toContain("Tue 24 March, 12:00–17:00");
		expect(answer).not.toContain("lawyer");
		expect(await ask("明天什么时候有空？")).toMatch(/3月24日.*12:00–17:00/);
		expect(await ask("When are you free?", null)).toContain("I don't know");
		expect(await ask("When are you free?", "https://evil.example")).not.toContain("March");
		await presets.change("mira", { apps: { calendar: "none" } });
		expect(await ask("When are you free?")).toContain("I'm checking");
		expect(desk.logged).toEqual([]);
	});

	it("gets quotations from the web while that is on, and the server's log holds neither key nor question", async () => {
		const { presets } = desk.engine;
		const question = "How hot must stoneware be fired?";
		expect(await ask(question)).toContain("I don't know");
		await presets.connectApp("mira", { kind: "brave", key: "key-12345678" });
		expect(await ask(question)).toContain("> Fire at 1240 degrees");
		expect(await ask(question)).toContain("glazes.example: https://glazes.example/");
		web.names.set("api.search.brave.com", "servfail");
		expect(await ask(question)).toContain("I don't know");
		const logged = JSON.stringify(desk.logged.map(({ fields, ...line }) => ({ ...line, err: String(fields.err), ...fields })));
		expect(logged).toContain("an app did not answer");
		expect(logged).not.toMatch(/key-1234|stoneware/);
		await presets.change("mira", { webSearch: false });
		expect(await ask(question)).toContain("I don't know");
		expect(await presets.calls("mira")).toMatchObject([{ state: "failed" }, { state: "done" }, { state: "done" }]);
	});
});
