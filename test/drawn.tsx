/** For the tests of what the chat draws: the chat before a visitor, and words for what they do and see. */
import { act, fireEvent, render, screen } from "@testing-library/preact";
import { vi } from "vitest";
import type { Language, Theme } from "../shared/embed.js";
import { Chat } from "../widget/chat/components/chat.js";
import { settle, type Visit, visit } from "../widget/chat/fakes.js";
import { speech } from "../widget/chat/i18n.js";

export const onClose = vi.fn();
export const onReload = vi.fn();

/** The chat before a visitor, connected; `before` sets the server's scene. `theme`: what the page says now. */
export async function shown(
	options: { before?: (v: Visit) => void; language?: Language; boot?: Parameters<typeof visit>[0]; theme?: () => Theme } = {},
): Promise<Visit> {
	const v = visit(options.boot);
	options.before?.(v);
	render(
		<Chat
			boot={{ handle: "mira", mode: "page", theme: "auto", socket: "/", brand: "EarthOnline", ticket: "t", ...options.boot?.boot }}
			session={v.session}
			speech={speech(options.language ?? "en")}
			now={v.clock.now}
			online={() => true}
			theme={options.theme ?? (() => "auto")}
			keyboard
			onReady={() => undefined}
			onSight={() => v.session.look()}
			onClose={onClose}
			onReload={onReload}
		/>,
	);
	await doing(() => v.session.open());
	return v;
}

/** Does something and lets everything that follows from it happen. */
export const doing = (what: () => unknown): Promise<void> =>
	act(async () => {
		await what();
		await settle();
	});

export const box = (): HTMLTextAreaElement => screen.getByRole("textbox");
export const log = (): HTMLElement => screen.getByRole("log");

export async function write(text: string): Promise<void> {
	await doing(() => fireEvent.input(box(), { target: { value: text } }));
}

export const enter = (more: object = {}): Promise<void> => doing(() => fireEvent.keyDown(box(), { key: "Enter", keyCode: 13, ...more }));
