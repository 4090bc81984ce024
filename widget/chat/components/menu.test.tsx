// @vitest-environment happy-dom
/** What is read out, what the menu brings, and what becomes of pictures beside the words. */
import { cleanup, fireEvent, screen, within } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Theme } from "../../../shared/embed.js";
import { EXTENSIONS } from "../../../shared/extensions.js";
import { box, doing, enter, log, shown, write } from "../../../test/drawn.js";
import { message, settle, type Visit } from "../fakes.js";
import { speech } from "../i18n.js";

afterEach(() => {
	cleanup();
	vi.restoreAllMocks();
	vi.unstubAllGlobals();
});

describe("what is read out", () => {
	/** What a reader of the page hears: each text that comes into the polite region. */
	function listening(): string[] {
		const heard: string[] = [];
		const region = document.querySelector("[aria-live=polite]") as HTMLElement;
		new MutationObserver((changes) => {
			for (const { addedNodes, type, target } of changes) {
				if (type === "characterData") heard.push(target.textContent ?? "");
				for (const node of addedNodes) heard.push(node.textContent ?? "");
			}
		}).observe(region, { childList: true, characterData: true, subtree: true });
		return heard;
	}

	test("a finished answer, once and whole; the log itself is silent", async () => {
		const v = await shown();
		await write("Hi");
		await enter();
		const heard = listening();
		expect(log().getAttribute("aria-live")).toBe("off");
		await doing(() => v.server.reply("ctx1", "tsk1", ["I **do** ", "[things](https://a.example)"]));
		await vi.waitFor(() => expect(heard).toEqual(["Mira: I do things"]));
	});

	test("the same answer a second time, too", async () => {
		const v = await shown();
		await write("Hi");
		await enter();
		const heard = listening();
		await doing(() => v.server.add("ctx1", { message: message("a", "ROLE_AGENT", "Yes.") }));
		await doing(() => v.server.add("ctx1", { message: message("b", "ROLE_AGENT", "Yes.") }));
		await vi.waitFor(() => expect(heard).toEqual(["Mira: Yes.", "Mira: Yes."]));
	});

	test.each([
		[{ name: "Mira Okafor", signed: "Mira Okafor · phone" }, "Mira Okafor · phone: It is me."],
		[{ name: "Mira Okafor" }, "Mira Okafor: It is me."],
		[{}, "Mira: It is me."],
	])("a person's words under their own name: %j", async (who, words) => {
		const v = await shown();
		await write("Hi");
		await enter();
		const heard = listening();
		const metadata = { [EXTENSIONS.humanTakeover]: { by: "human", ...who } };
		await doing(() => v.server.add("ctx1", { message: message("p", "ROLE_AGENT", "It is me.", { metadata }) }));
		await vi.waitFor(() => expect(heard).toEqual([words]));
	});
});

const menu = async (item: string): Promise<HTMLElement> => {
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "Menu" })));
	return within(screen.getByRole("menu")).getByText(item);
};

describe("the conversation as a file", () => {
	let files: Blob[];
	beforeEach(() => {
		files = [];
		vi.spyOn(URL, "createObjectURL").mockImplementation((file) => `blob:${files.push(file as Blob)}`);
		vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
	});
	/** A conversation whose first message the server has not given yet. */
	const long = (v: Visit): void => {
		const ctx = v.server.begin();
		v.server.add(ctx, { message: message("old", "ROLE_USER", "Old") });
		v.server.add(ctx, { message: message("new", "ROLE_USER", "New") });
		const whole = v.server.state(ctx);
		v.server.state = () => ({ ...whole, messages: whole.messages.slice(1), more: true });
		v.server.refuse.set("History", [
			() => ({ error: { code: -32603, message: "no" } }),
			() => ({ result: { messages: whole.messages.slice(0, 1), more: false } }),
		]);
	};
	const { savedPart, notSaved } = speech("en").words;

	test("that could not be fetched whole says so, in the chat and in the file, until it is saved whole", async () => {
		await shown({ before: long });
		const item = await menu("Save the conversation");
		await doing(() => fireEvent.click(item));
		expect(screen.getByText(savedPart)).toBeTruthy();
		expect(await files[0]?.text()).toContain(`\n\n${savedPart}\n`);
		expect(await files[0]?.text()).not.toContain("Old");
		const again = await menu("Save the conversation");
		await doing(() => fireEvent.click(again));
		expect(screen.queryByText(savedPart)).toBeNull();
		expect(await files[1]?.text()).toMatch(/^# Conversation with Mira, .*\n\n---\n.*Old.*New/s);
	});

	test("that cannot be made says so, until that is read", async () => {
		vi.spyOn(URL, "createObjectURL").mockImplementation(() => {
			throw new TypeError("no");
		});
		await shown({ before: (v) => v.server.add(v.server.begin(), { message: message("a", "ROLE_AGENT", "Hi") }) });
		const item = await menu("Save the conversation");
		await doing(() => fireEvent.click(item));
		expect(screen.getByText(notSaved)).toBeTruthy();
		await doing(() => fireEvent.click(screen.getByRole("button", { name: "OK" })));
		expect(screen.queryByText(notSaved)).toBeNull();
	});

	test("is not offered where there is nothing to save", async () => {
		await shown();
		await doing(() => fireEvent.click(screen.getByRole("button", { name: "Menu" })));
		expect(screen.queryByText("Save the conversation")).toBeNull();
	});
});

test("the chat as a page looks as the chat does now, not as it did when it was loaded", async () => {
	let theme: Theme = "dark";
	await shown({ boot: { boot: { site: "https://a.example", theme: "auto", language: "zh" } }, theme: () => theme });
	const there = async (): Promise<string | null> => (await menu("Open in a tab of its own")).getAttribute("href");
	expect(await there()).toBe("/@mira/chat?theme=dark&lang=zh");
	await doing(() => fireEvent.keyDown(document.activeElement as Element, { key: "Escape" }));
	theme = "light";
	expect(await there()).toBe("/@mira/chat?theme=light&lang=zh");
});

describe("words and pictures", () => {
	const answers = new Map<string, { status: number; response?: object }>();
	beforeEach(() => {
		answers.clear();
		vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:x");
		vi.stubGlobal(
			"XMLHttpRequest",
			class {
				upload = {};
				status = 0;
				response: unknown;
				onload = (): void => undefined;
				open(): void {}
				setRequestHeader(): void {}
				send(file: File): void {
					this.status = answers.get(file.name)?.status ?? 0;
					this.response = answers.get(file.name)?.response;
					this.onload();
				}
			},
		);
	});
	const put = async (...names: string[]): Promise<void> => {
		const files = names.map(
			(name) =>
				new File(
					["\x89PNG"].map((text) => Uint8Array.from(text, (c) => c.charCodeAt(0))),
					name,
				),
		);
		await doing(() => fireEvent.change(document.querySelector("input[type=file]") as HTMLInputElement, { target: { files } }));
		await vi.waitFor(() => expect(document.querySelectorAll(".attached li.sending")).toHaveLength(0));
	};
	const withPictures = (v: Visit): void => {
		v.server.desk = { ...v.server.desk, pictures: true };
	};
	const { picturesLeft } = speech("en").words;

	test("words go without a picture that failed, it stays, and the visitor is told; the next try takes it along", async () => {
		answers.set("good.png", { status: 201, response: { url: `${location.origin}/f/${"a".repeat(32)}`, mediaType: "image/png" } });
		answers.set("bad.png", { status: 503 });
		const v = await shown({ before: withPictures });
		await put("good.png", "bad.png");
		await write("What is this?");
		await enter();
		expect(v.server.sends.map((m) => m.parts.map((p) => p.filename ?? p.text))).toEqual([["good.png", "What is this?"]]);
		const attached = document.querySelector(".attached") as HTMLElement;
		expect(within(attached).getByText("bad.png")).toBeTruthy();
		expect(within(attached).queryByText("good.png")).toBeNull();
		expect(within(attached).getByText(picturesLeft(1))).toBeTruthy();
		answers.set("bad.png", { status: 201, response: { url: `${location.origin}/f/${"b".repeat(32)}`, mediaType: "image/png" } });
		await doing(() => fireEvent.click(within(attached).getByRole("button", { name: "Try again" })));
		await vi.waitFor(() => expect(attached.querySelector("li.ready")).toBeTruthy());
		expect(within(attached).queryByText(picturesLeft(1))).toBeNull();
		await doing(() => fireEvent.keyDown(box(), { key: "Enter", keyCode: 13 }));
		expect(v.server.sends.at(-1)?.parts.map((p) => p.filename)).toEqual(["bad.png"]);
		expect(document.querySelector(".attached")).toBeNull();
	});

	test("a suggestion that is tapped, and what the page sends, leave in the box what the visitor was writing", async () => {
		const v = await shown();
		await write("Half a sen");
		await doing(() => v.session.send("From the page", { byPage: true }));
		expect([box().value, v.session.draft()]).toEqual(["Half a sen", "Half a sen"]);
		cleanup();
		const other = await shown();
		await write("Half a sen");
		await doing(() => fireEvent.click(screen.getByRole("button", { name: "What do you do?" })));
		expect([box().value, other.session.draft()]).toEqual(["Half a sen", "Half a sen"]);
		await enter();
		await settle();
		expect([box().value, other.session.draft()]).toEqual(["", ""]);
	});
});
