import { afterEach, expect, test, vi } from "vitest";
import { ring } from "./ring.js";

afterEach(() => {
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

test("one tab makes the sound: the one that gets the lock", () => {
	vi.useFakeTimers();
	const started = vi.fn();
	const node = () => ({
		connect: vi.fn(),
		gain: { setValueAtTime: vi.fn(), linearRampToValueAtTime: vi.fn(), exponentialRampToValueAtTime: vi.fn() },
	});
	class Sound {
		currentTime = 0;
		destination = {};
		createGain = node;
		createOscillator = () => ({ ...node(), frequency: { value: 0 }, start: started, stop: vi.fn() });
	}
	const held = new Set<string>();
	const request = vi.fn(async (name: string, _options: object, use: (lock: object | null) => Promise<void>) => {
		const free = !held.has(name);
		held.add(name);
		await use(free ? {} : null);
	});
	vi.stubGlobal("AudioContext", Sound);
	vi.stubGlobal("navigator", { locks: { request } });
	ring("m1");
	ring("m1");
	expect(started).toHaveBeenCalledTimes(2);
	ring("m2");
	expect(started).toHaveBeenCalledTimes(4);
});

test("a browser without locks stays silent", () => {
	vi.stubGlobal("navigator", {});
	expect(() => ring("m1")).not.toThrow();
});
