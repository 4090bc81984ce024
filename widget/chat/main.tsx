/**
 * The chat's entry, in the frame on a site and on the chat page: reads what the server wrote into the document, puts the
 * parts together and hands them the browser. The only file here that knows `window`.
 */
import "./chat.css";
import { render } from "preact";
import type { FrameBoot, PageMessage } from "../../shared/embed.js";
import { ring } from "../ui/ring.js";
import { Chat } from "./components/chat.js";
import type { Socket } from "./connection.js";
import { languageOf, speech } from "./i18n.js";
import { setAccent, setFullScreen, setTheme } from "./look.js";
import { type Port, waitForPage } from "./port.js";
import { createSession } from "./session.js";
import { createStore } from "./store.js";
import { openTabs } from "./tabs.js";

const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "null") as FrameBoot;
const root = document.documentElement;
const talk = speech(languageOf(boot.language, navigator.languages));

root.lang = talk.language === "zh" ? "zh-CN" : "en";
setTheme(root, boot.theme);
setAccent(root, boot.accent);
/** To the chat, button and pet are what the corner is: something over the page that opens it. */
const mode = boot.mode === "inline" || boot.mode === "page" ? boot.mode : "floating";
root.dataset.mode = boot.mode;

/** Whether the visitor has the chat before them: in the frame the page says so. */
const sight = { open: mode !== "floating", newest: true };
const shown = (): boolean => sight.open && document.visibilityState === "visible";
const floating = mode === "floating" && boot.site !== undefined;
let focus = (): void => undefined;
let port: Port | undefined;
let { theme } = boot;

/** A version 4 UUID. `crypto.randomUUID` is not there on plain http, where a desk may live in a home's network. */
function newId(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	bytes[6] = ((bytes[6] as number) & 15) | 64;
	bytes[8] = ((bytes[8] as number) & 63) | 128;
	const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A document is loaded anew on its own account at most once in this time. */
const RELOAD_MS = 60_000;
const RELOADED = `earthonline:${boot.handle}:reloaded`;

function reload(): void {
	try {
		sessionStorage.setItem(RELOADED, String(Date.now()));
	} catch {
		// Then nothing remembers it, and `reloadedLately` says so.
	}
	if (port?.connected) port.post({ type: "reload" });
	else location.reload();
}

function reloadedLately(): boolean {
	try {
		return Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_MS;
	} catch {
		return true;
	}
}

const address = new URL(boot.socket, location.href);
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";

const session = createSession({
	boot,
	store: createStore(boot.handle, () => localStorage),
	clock: {
		now: Date.now,
		after(ms, call) {
			const timer = setTimeout(call, ms);
			return () => clearTimeout(timer);
		},
	},
	random: Math.random,
	newId,
	dial: () => new WebSocket(address) as Socket,
	tabs: (on) => openTabs(boot.handle, on),
	page: {
		looking: () => shown() && sight.newest,
		shown,
		post: (message) => port?.post(message),
		reload,
		reloadedLately,
		ring: (messageId) => ring(`earthonline:${boot.handle}:${messageId}`),
	},
	sandboxed: self.origin === "null",
});

function heard(message: PageMessage): void {
	if (message.type === "theme") {
		({ theme } = message);
		setTheme(root, theme);
	} else if (message.type === "viewport") setFullScreen(root, message.fullScreen);
	else if (message.type === "close") sight.open = false;
	else if (message.type === "identify") session.identify(message);
	else if (message.type === "logout") session.forget();
	else if (message.type === "send") session.send(message.text, { byPage: true });
	else {
		sight.open = true;
		session.open();
		session.look();
		// An inline chat opens with the page: it must not take the keyboard from it.
		if (floating) focus();
	}
}

if (boot.site !== undefined) port = waitForPage(window, boot.site, heard);

addEventListener("pagehide", () => session.suspend());
addEventListener("pageshow", (event) => event.persisted && session.resume());
addEventListener("online", () => session.nudge());
addEventListener("offline", () => session.offline());
document.addEventListener("visibilitychange", () => {
	if (document.visibilityState !== "visible") return;
	session.nudge();
	session.look();
});

if (mode === "page") session.open();
else if (mode === "inline") {
	// Who only scrolls past a chat has not come to talk: the first touch is the visitor's own.
	session.wait();
	for (const touch of ["focusin", "pointerdown", "click", "keydown", "dragenter"])
		addEventListener(touch, session.open, { capture: true, once: true });
}

const app = document.getElementById("app") as HTMLElement;
// What the document says where no chat can run (site/layout.ts); it would stay beside the chat.
app.replaceChildren();
render(
	<Chat
		boot={boot}
		session={session}
		speech={talk}
		now={Date.now}
		online={() => navigator.onLine}
		theme={() => theme}
		keyboard={matchMedia("(hover: hover)").matches}
		onReady={(put) => {
			focus = put;
			if (boot.mode === "page") put();
		}}
		onSight={(newest) => {
			sight.newest = newest;
			session.look();
		}}
		onClose={floating ? () => port?.post({ type: "close" }) : undefined}
		onReload={reload}
	/>,
	app,
);
