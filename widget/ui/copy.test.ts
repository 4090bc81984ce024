// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { copyText } from "./copy.js";

afterEach(() => {
	vi.unstubAllGlobals();
	document.body.replaceChildren();
});

test("falls back where the clipboard is kept from a frame, and gives the keyboard back", async () => {
	vi.stubGlobal("navigator", { clipboard: { writeText: () => Promise.reject(new DOMException("", "NotAllowedError")) } });
	const copied: string[] = [];
	document.execCommand = () => {
		copied.push((document.activeElement as HTMLTextAreaElement).value);
		return true;
	};
	const button = document.createElement("button");
	document.body.append(button);
	button.focus();
	expect(await copyText("a <b>")).toBe(true);
	expect(copied).toEqual(["a <b>"]);
	expect(document.activeElement).toBe(button);
	expect(document.querySelector("textarea")).toBeNull();
});

test("says when it could not", async () => {
	vi.stubGlobal("navigator", {});
	document.execCommand = () => {
		throw new Error("no");
	};
	expect(await copyText("a")).toBe(false);
});
