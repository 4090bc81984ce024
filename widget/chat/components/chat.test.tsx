// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/preact";
import { afterEach, expect, test } from "vitest";
import { CHAT_METHODS } from "../../../shared/channel.js";
import { EXTENSIONS } from "../../../shared/extensions.js";
import { box, doing, enter, log, onClose, onReload, shown, write } from "../../../test/drawn.js";
import { message, visit } from "../fakes.js";

afterEach(cleanup);

const lines = (): string[] =>
	[...log().querySelectorAll<HTMLElement>(".bubble, .prose, .dots")].map((el) => (el.className === "dots" ? "…" : (el.textContent ?? "")));

test("an empty chat shows who is there, and a suggestion is asked by a tap", async () => {
	const v = await shown();
	expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Mira");
	expect(screen.getByText("Online")).toBeTruthy();
	expect(screen.getByText("About Mira")).toBeTruthy();
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "What do you do?" })));
	expect(v.server.sends).toMatchObject([{ parts: [{ text: "What do you do?" }] }]);
	expect(lines()).toEqual(["What do you do?"]);
	expect(document.activeElement).toBe(box());
});

test("Enter sends and empties the box; Shift with Enter, and nothing but blanks, do not", async () => {
	const v = await shown();
	await write("  ");
	await enter();
	await write(" Hello\nthere ");
	await enter({ shiftKey: true });
	expect(v.server.sends).toEqual([]);
	await enter();
	expect(v.server.sends).toMatchObject([{ parts: [{ text: "Hello\nthere" }] }]);
	expect(box().value).toBe("");
	expect(document.activeElement).toBe(box());
});

test("an Enter of the input method never sends", async () => {
	const v = await shown();
	await write("ni hao");
	await enter({ isComposing: true });
	await enter({ keyCode: 229 });
	await doing(() => fireEvent.compositionStart(box()));
	await enter();
	await doing(() => fireEvent.compositionEnd(box(), { data: "你好" }));
	await enter();
	expect(v.server.sends).toEqual([]);
});

test("what no server takes is taken out of pasted words", async () => {
	const v = await shown();
	await write("a\0b\ud800c😀");
	await enter();
	expect(v.server.sends[0]?.parts[0]?.text).toBe("ab\ufffdc😀");
});

test("a text that is too long says by how much and is not sent", async () => {
	const v = await shown();
	await write("字".repeat(5_500));
	expect(screen.getByText("39 characters too long")).toBeTruthy();
	expect(box().getAttribute("aria-invalid")).toBe("true");
	await enter();
	expect(v.server.sends).toEqual([]);
});

test("an answer is drawn as it comes, can be stopped, and what was said stays", async () => {
	const v = await shown();
	await write("Tell me");
	await enter();
	const working = { taskId: "tsk1", contextId: "ctx1", status: { state: "TASK_STATE_WORKING" as const } };
	await doing(() => v.server.add("ctx1", { statusUpdate: working }));
	expect(lines()).toEqual(["Tell me", "…"]);
	await doing(() =>
		v.server.add("ctx1", {
			artifactUpdate: { taskId: "tsk1", contextId: "ctx1", artifact: { artifactId: "result", parts: [{ text: "**Well**, " }] } },
		}),
	);
	expect(lines()).toEqual(["Tell me", "Well,", "…"]);
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "Stop answering" })));
	expect(v.server.socket.sent.at(-1)).toMatchObject({ method: "CancelTask", params: { id: "tsk1" } });
	await doing(() => v.server.add("ctx1", { statusUpdate: { ...working, status: { state: "TASK_STATE_CANCELED" } } }));
	expect(lines()).toEqual(["Tell me", "Well,"]);
	expect(screen.getByText("Stopped")).toBeTruthy();
	expect(screen.queryByRole("button", { name: "Stop answering" })).toBeNull();
});

test("while it answers, more can be written and sent", async () => {
	const v = await shown();
	await write("One");
	await enter();
	await doing(() => v.server.add("ctx1", { statusUpdate: { taskId: "tsk1", contextId: "ctx1", status: { state: "TASK_STATE_WORKING" } } }));
	await write("Two");
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "Send" })));
	expect(v.server.sends).toHaveLength(2);
});

test("how far a message has come stands under the last one only", async () => {
	const v = await shown();
	v.server.down = true;
	await doing(() => v.server.cut());
	await write("One");
	await enter();
	expect(within(log()).getByText("Waiting to be sent")).toBeTruthy();
	v.server.down = false;
	await act(() => v.clock.pass(10_000));
	expect(within(log()).getByText("Sent")).toBeTruthy();
	await doing(() => v.server.tell("ctx1", { contextId: "ctx1", signal: { kind: "seen", side: "desk", seq: 2 } }));
	expect(within(log()).getByText("Seen")).toBeTruthy();
	await doing(() => v.server.reply("ctx1", "tsk1", ["Answer"]));
	expect(within(log()).queryByText("Seen")).toBeNull();
});

test("a message that was refused says why, and can be tried again or discarded", async () => {
	const refusal = () => ({ error: { code: -32000, message: "", data: [{ reason: "RATE_LIMITED" }, { retryDelay: "60s" }] } });
	const v = await shown({ before: (w) => w.server.refuse.set("SendMessage", [refusal, refusal]) });
	for (const text of ["One", "Two"]) {
		await write(text);
		await enter();
	}
	expect(within(log()).getAllByText(/too many messages at once/)).toHaveLength(2);
	await doing(() => fireEvent.click(screen.getAllByRole("button", { name: "Discard" })[1] as HTMLElement));
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "Try again" })));
	expect(lines()).toEqual(["One"]);
	expect(v.server.sends.at(-1)?.messageId).toBe(v.server.sends[0]?.messageId);
});

test("says who speaks: the agent, a person, and whom it waits for", async () => {
	const v = await shown();
	await write("Can she come?");
	await enter();
	await doing(() => {
		v.server.add("ctx1", {
			statusUpdate: {
				taskId: "tsk1",
				contextId: "ctx1",
				status: { state: "TASK_STATE_WORKING" },
				metadata: { [EXTENSIONS.ownerWait]: { waitingOn: "owner" } },
			},
		});
	});
	expect(screen.getByText("Waiting for Mira Okafor")).toBeTruthy();
	expect(screen.queryByRole("button", { name: "Stop answering" })).toBeNull();
	await doing(() => {
		v.server.add("ctx1", { signal: { kind: "microphone", microphone: "owner", name: "Mira Okafor" } });
		v.server.add("ctx1", {
			message: message("p", "ROLE_AGENT", "I can!", {
				metadata: { [EXTENSIONS.humanTakeover]: { by: "human", name: "Mira Okafor", signed: "Mira Okafor · phone" } },
			}),
		});
		v.server.add("ctx1", { message: message("a", "ROLE_AGENT", "She can.") });
	});
	expect(screen.getByText("Mira Okafor is here")).toBeTruthy();
	expect([...log().querySelectorAll(".by")].map((el) => el.textContent)).toEqual(["Mira Okafor · phone", "Miraagent"]);
});

test("the end is said under the last word, and the box stays", async () => {
	const v = await shown();
	await write("Bye");
	await enter();
	await doing(() => v.server.add("ctx1", { ended: { by: "desk" } }));
	expect(screen.getByText("Mira ended this conversation.")).toBeTruthy();
	await write("Wait");
	await enter();
	expect(v.server.sends).toHaveLength(2);
	await doing(() => fireEvent.click(within(log()).getByRole("button", { name: "New conversation" })));
	expect(lines()).toEqual([]);
	expect(screen.getByText("About Mira")).toBeTruthy();
});

test("the menu is worked by keyboard, and forgetting wants a second press", async () => {
	const v = await shown();
	const button = screen.getByRole("button", { name: "Menu" });
	await doing(() => fireEvent.click(button));
	const menu = screen.getByRole("menu");
	const press = (key: string) => doing(() => fireEvent.keyDown(document.activeElement as Element, { key }));
	expect(document.activeElement?.textContent).toBe("New conversation");
	await press("ArrowUp");
	expect(document.activeElement?.textContent).toBe("Forget me in this browser");
	await doing(() => fireEvent.click(document.activeElement as HTMLElement));
	expect(v.reloads).toBe(0);
	await press("Escape");
	expect(menu.isConnected).toBe(false);
	expect(document.activeElement).toBe(button);
	expect(onClose).not.toHaveBeenCalled();

	await doing(() => fireEvent.click(button));
	await doing(() => fireEvent.click(screen.getByRole("menuitemcheckbox")));
	expect(v.session.state.sound).toBe(true);
	await doing(() => fireEvent.click(button));
	await doing(() => fireEvent.click(screen.getByText("Forget me in this browser")));
	await doing(() => fireEvent.click(screen.getByText(/Really forget/)));
	expect(v.reloads).toBe(1);
});

test("Escape closes, but not while an input method is at work", async () => {
	await shown();
	await doing(() => fireEvent.keyDown(box(), { key: "Escape", isComposing: true }));
	expect(onClose).not.toHaveBeenCalled();
	await doing(() => fireEvent.keyDown(box(), { key: "Escape" }));
	expect(onClose).toHaveBeenCalledOnce();
});

test("says so when the connection is gone for a while, and when nothing is kept", async () => {
	const refusing = {
		...({} as Storage),
		getItem: () => null,
		setItem: () => {
			throw new DOMException("", "SecurityError");
		},
	} as Storage;
	const v = await shown({ boot: { storage: refusing } });
	expect(screen.getByText(/keeps nothing for this chat/)).toBeTruthy();
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "OK" })));
	expect(screen.queryByText(/keeps nothing for this chat/)).toBeNull();
	v.server.down = true;
	await doing(() => v.server.cut());
	await act(() => v.clock.pass(3_000));
	expect(screen.getByText(/No connection; trying again/)).toBeTruthy();
	expect(screen.getByText("Connecting…")).toBeTruthy();
});

test("where it is not open there is nothing to write into, and what to do", async () => {
	await shown({ boot: { sandboxed: true } });
	expect(screen.queryByRole("textbox")).toBeNull();
	expect(screen.getByRole("link", { name: "Open in a tab" }).getAttribute("href")).toBe("/@mira/chat");
	cleanup();
	const v = await shown({ boot: {} });
	v.lately = true;
	await doing(() => v.server.cut(4401));
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "Load anew" })));
	expect(onReload).toHaveBeenCalled();
});

test("speaks Chinese throughout", async () => {
	const v = await shown({ language: "zh" });
	const own = [v.server.desk.about ?? "", ...v.server.desk.suggestions, v.server.desk.name, v.server.desk.brand];
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "菜单" })));
	expect(own.reduce((text, words) => text.replaceAll(words, ""), document.body.textContent ?? "")).not.toMatch(/[A-Za-z]/);
	expect(box().placeholder).toBe("给 Mira 写消息");
});

test("what is in sight is seen", async () => {
	const v = await shown();
	await write("Hi");
	await enter();
	await doing(() => v.server.reply("ctx1", "tsk1", ["Hello"]));
	expect(v.server.socket.sent.filter((f) => f.method === CHAT_METHODS.seen)).toHaveLength(1);
});

test("data and files are shown for what they are", async () => {
	const parts = [
		{ text: "Here:" },
		{ data: { a: [1, "<b>"] } },
		{ url: "https://files.example/report.pdf", filename: "report.pdf" },
		{ url: "javascript:alert(1)" },
		{ raw: "aGk=", filename: "hi.txt", mediaType: "text/plain" },
	];
	await shown({
		before(v) {
			v.server.add(v.server.begin(), { message: { messageId: "a", role: "ROLE_AGENT", parts } });
		},
	});
	expect(log().querySelector("pre")?.textContent).toContain('"<b>"');
	const link = screen.getByRole("link", { name: /report.pdf/ });
	expect([link.getAttribute("href"), link.textContent]).toEqual(["https://files.example/report.pdf", "report.pdffiles.example"]);
	expect((screen.getByRole("button", { name: "File" }) as HTMLButtonElement).disabled).toBe(true);
	expect((screen.getByRole("button", { name: "hi.txt" }) as HTMLButtonElement).disabled).toBe(false);
});

test("an answer can be rated, changed and taken back; what the visitor or a person said cannot", async () => {
	const v = await shown();
	await write("Hi");
	await enter();
	await doing(() => v.server.reply("ctx1", "tsk1", ["Hello"]));
	await doing(() =>
		v.server.add("ctx1", {
			message: message("p", "ROLE_AGENT", "Me", { metadata: { [EXTENSIONS.humanTakeover]: { by: "human", name: "M" } } }),
		}),
	);
	const thumbs = () => screen.getAllByRole("button", { name: /elpful/ });
	expect(thumbs()).toHaveLength(2);
	const said = () => v.server.socket.sent.filter((f) => f.method === CHAT_METHODS.rate).map((f) => (f.params as { value: string }).value);
	const pressed = () => thumbs().map((b) => b.getAttribute("aria-pressed"));
	await doing(() => fireEvent.click(thumbs()[0] as HTMLElement));
	expect(pressed()).toEqual(["true", "false"]);
	await doing(() => fireEvent.click(thumbs()[1] as HTMLElement));
	expect(pressed()).toEqual(["false", "true"]);
	await doing(() => fireEvent.click(thumbs()[1] as HTMLElement));
	expect(pressed()).toEqual(["false", "false"]);
	expect(said()).toEqual(["up", "down", "none"]);
});

test("a thumb that the server does not take is taken back", async () => {
	const v = await shown({ before: (w) => w.server.refuse.set(CHAT_METHODS.rate, [() => ({ error: { code: -32603, message: "" } })]) });
	await write("Hi");
	await enter();
	await doing(() => v.server.reply("ctx1", "tsk1", ["Hello"]));
	await doing(() => fireEvent.click(screen.getByRole("button", { name: "Helpful" })));
	expect(screen.getByRole("button", { name: "Helpful" }).getAttribute("aria-pressed")).toBe("false");
});

test("only pictures that this server holds are drawn; any other is a link", async () => {
	const ours = `${location.origin}/f/${"a".repeat(32)}`;
	const parts = [
		{ url: ours, mediaType: "image/png", filename: "cup.png" },
		{ url: `https://elsewhere.example/f/${"a".repeat(32)}`, mediaType: "image/png" },
		{ url: `${ours}?x`, mediaType: "image/png" },
		{ url: ours, mediaType: "image/svg+xml" },
	];
	await shown({
		before(v) {
			v.server.add(v.server.begin(), { message: { messageId: "a", role: "ROLE_AGENT", parts } });
		},
	});
	expect([...log().querySelectorAll("img:not(.face)")].map((img) => [img.getAttribute("src"), img.getAttribute("alt")])).toEqual([
		[ours, "cup.png"],
	]);
	expect(log().querySelectorAll("a.enclosed")).toHaveLength(3);
});

test("nobody there: said above before a question, and below after it, with when somebody is back", async () => {
	const v = visit();
	const opensAt = v.clock.now() + 2 * 3_600_000;
	await shown({
		before(w) {
			w.server.desk = { ...w.server.desk, online: false, opensAt };
		},
	});
	expect(screen.getByText(/Mira is back .*at \d\d:\d\d\. You can leave a question until then/)).toBeTruthy();
	expect(box().placeholder).toBe("Leave a question for Mira");
	await write("Anybody?");
	await enter();
	expect(screen.queryByText(/You can leave a question/)).toBeNull();
	expect(within(log()).getByText(/Your question is kept\. Mira is back/)).toBeTruthy();
});

test("what a page's script says and sends is told as such, and the visitor's own words are theirs", async () => {
	const v = await shown();
	await doing(() => v.session.send("From the page", { byPage: true }));
	await doing(() => v.session.identify({ name: "Ada", email: "ada@a.example" }));
	await write("Mine");
	await enter();
	expect(v.server.sends.map((m) => m.metadata?.[EXTENSIONS.chat])).toEqual([
		{ byPage: true },
		{ claim: { name: "Ada", email: "ada@a.example" } },
	]);
});
