import { expect, test } from "vitest";
import { memoryStorage } from "./fakes.js";
import { createStore } from "./store.js";

const refusing = (): never => {
	throw new DOMException("denied", "SecurityError");
};

test("keeps what it is told under the desk's handle", () => {
	const storage = memoryStorage();
	createStore("mira", () => storage).set("token", "eolg_1");
	expect(createStore("mira", () => storage).get("token")).toBe("eolg_1");
	expect(createStore("ada", () => storage).get("token")).toBeUndefined();
	expect(storage.key(0)).toBe("earthonline:mira:token");
});

test("touches nothing before it is asked", () => {
	let asked = 0;
	const store = createStore("mira", () => {
		asked++;
		return memoryStorage();
	});
	expect(asked).toBe(0);
	store.get("token");
	expect(asked).toBe(1);
});

test("leaves no trace of having looked", () => {
	const storage = memoryStorage();
	const touched: string[] = [];
	storage.setItem = (key) => void touched.push(key);
	storage.removeItem = (key) => void touched.push(key);
	const store = createStore("mira", () => storage);
	expect([store.kept, store.get("token"), store.get("draft")]).toEqual([true, undefined, undefined]);
	expect(touched).toEqual([]);
});

test("a browser that gives no storage keeps nothing", () => {
	const store = createStore("mira", () => null as unknown as Storage);
	store.set("draft", "Hello");
	expect([store.get("draft"), store.kept]).toEqual(["Hello", false]);
});

test("works from memory where the browser refuses, and says so", () => {
	const store = createStore("mira", refusing);
	store.set("draft", "Hello");
	expect([store.get("draft"), store.kept]).toEqual(["Hello", false]);
	store.set("draft", undefined);
	expect(store.get("draft")).toBeUndefined();
});

test("works from memory from the moment on when there is no room", () => {
	const storage = memoryStorage();
	const full = { ...storage, setItem: (key: string, value: string) => (value.length > 10 ? refusing() : storage.setItem(key, value)) };
	const store = createStore("mira", () => full as Storage);
	store.set("draft", "short");
	expect(store.kept).toBe(true);
	store.set("draft", "much too long for this");
	expect([store.get("draft"), store.kept]).toEqual(["much too long for this", false]);
});

test("forgets everything", () => {
	const storage = memoryStorage();
	const store = createStore("mira", () => storage);
	for (const key of ["token", "nonce", "draft", "outbox", "new", "sound"] as const) store.set(key, "x");
	store.forget();
	expect(storage.length).toBe(0);
});
