import { afterEach, expect, test, vi } from "vitest";
import { openTabs, type TabMessage, type Tabs } from "./tabs.js";

let open: Tabs[] = [];
const tab = (on: (message: TabMessage) => void, handle = "mira"): Tabs => {
	const tabs = openTabs(handle, on);
	open.push(tabs);
	return tabs;
};

afterEach(() => {
	for (const tabs of open) tabs.close();
	open = [];
	vi.unstubAllGlobals();
});

test("the other tabs at the same desk hear it, and nobody else", async () => {
	const heard: string[] = [];
	const mine = tab(() => heard.push("mine"));
	tab((message) => heard.push(`other ${message.type}`));
	tab(() => heard.push("another desk's"), "ada");
	mine.post({ type: "new" });
	await vi.waitFor(() => expect(heard).toEqual(["other new"]));
});

test("what is none of the messages is not heard", async () => {
	const heard: TabMessage[] = [];
	tab((message) => heard.push(message));
	const stranger = new BroadcastChannel("earthonline:mira");
	for (const data of [null, "new", { type: "close" }, {}, { type: "token" }]) stranger.postMessage(data);
	await vi.waitFor(() => expect(heard).toEqual([{ type: "token" }]));
	stranger.close();
});

test("a browser that has no such thing, or refuses it, does without", () => {
	vi.stubGlobal("BroadcastChannel", undefined);
	const tabs = tab(() => undefined);
	expect(() => tabs.post({ type: "new" })).not.toThrow();
});
