import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HELLO, type PageMessage } from "../../shared/embed.js";
import { type Port, waitForPage } from "./port.js";

const SITE = "https://site.example";

class View extends EventTarget {
	readonly parent = {};
}

class Posted extends Event {
	source: unknown;
	origin = SITE;
	data: unknown = { type: HELLO, version: 1 };
	ports: MessagePort[] = [];
}

let view: View;
let heard: PageMessage[];
let port: Port;
let open: MessagePort[];

beforeEach(() => {
	view = new View();
	heard = [];
	open = [];
	port = waitForPage(view as unknown as Window, SITE, (message) => heard.push(message));
});

afterEach(() => {
	port.close();
	for (const end of open) end.close();
});

/** Somebody posts a message to the frame; gives the page's end of the channel. */
function post(over: { source?: unknown; origin?: string; data?: unknown; ports?: MessagePort[] } = {}): MessagePort {
	const { port1, port2 } = new MessageChannel();
	open.push(port1, port2);
	const event = new Posted("message");
	event.source = "source" in over ? over.source : view.parent;
	event.origin = over.origin ?? SITE;
	if ("data" in over) event.data = over.data;
	event.ports = over.ports ?? [port2];
	view.dispatchEvent(event);
	return port1;
}

const next = (end: MessagePort): Promise<unknown> =>
	new Promise((resolve) => {
		end.onmessage = ({ data }) => resolve(data);
	});

test("answers the page's hello over the port it gave", async () => {
	expect(await next(post())).toEqual({ type: "ready" });
	expect(port.connected).toBe(true);
});

test.each([
	["another origin", { origin: "https://evil.example" }],
	["an opaque origin", { origin: "null" }],
	["another window", { source: {} }],
	["no window", { source: null }],
	["another message", { data: { type: "ready", version: 1 } }],
	["another version", { data: { type: HELLO, version: 2 } }],
	["nothing", { data: null }],
	["no port", { ports: [] }],
])("says nothing to %s", (_name, over) => {
	post(over);
	expect(port.connected).toBe(false);
});

test("hears what is one of the page's messages, and nothing else", async () => {
	const end = post();
	await next(end);
	for (const data of [
		"open",
		{ type: "reload" },
		{ type: "theme", theme: "pink" },
		{ type: "viewport" },
		null,
		{ type: "theme", theme: "dark" },
		{ type: "open" },
	])
		end.postMessage(data);
	await vi.waitFor(() => expect(heard).toEqual([{ type: "theme", theme: "dark" }, { type: "open" }]));
});

test("hears what the page's script says of the visitor and in its own name, within bounds", async () => {
	const end = post();
	await next(end);
	for (const data of [
		{ type: "identify", name: "x".repeat(201) },
		{ type: "identify", email: 1 },
		{ type: "identify", name: " " },
		{ type: "send" },
		{ type: "send", text: "  " },
		{ type: "send", text: "x".repeat(4_001) },
		{ type: "identify", name: "Ana" },
		{ type: "identify" },
		{ type: "logout" },
		{ type: "send", text: "Hello" },
	])
		end.postMessage(data);
	await vi.waitFor(() =>
		expect(heard).toEqual([{ type: "identify", name: "Ana" }, { type: "identify" }, { type: "logout" }, { type: "send", text: "Hello" }]),
	);
});

test("tells a page that greets late how things stand", async () => {
	port.post({ type: "unread", count: 1 });
	port.post({ type: "close" });
	port.post({ type: "unread", count: 2 });
	port.post({ type: "online", online: true });
	const end = post();
	const said: unknown[] = [];
	end.onmessage = ({ data }) => said.push(data);
	await vi.waitFor(() => expect(said).toHaveLength(3));
	expect(said).toEqual([{ type: "ready" }, { type: "unread", count: 2 }, { type: "online", online: true }]);
});

test("keeps to the first port, as the page does", async () => {
	const first = post();
	await next(first);
	const second = post();
	let answered = false;
	second.onmessage = () => {
		answered = true;
	};
	port.post({ type: "close" });
	expect(await next(first)).toEqual({ type: "close" });
	expect(answered).toBe(false);
});
