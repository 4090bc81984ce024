/** Words that the tests of `/embed.js` share: calls of its handle, files that do not come, where things stand. */
import type { Locator, Page, Route } from "playwright-core";
import type { Visit } from "./browser.js";
import { origin } from "./site.js";

/** Calls a function of the page with the chat's handle. */
export const call = <T>(page: Page, body: string): Promise<T> =>
	page.evaluate(`(async (chat) => ${body})(window.EarthOnline.get())`) as Promise<T>;

/** Keeps the handle for when `get()` no longer gives it, and what its promises come to. */
export const keep = (page: Page): Promise<void> =>
	page.evaluate(
		"void (self.kept = window.EarthOnline.get(), self.outcome = (promise) => promise.then(() => 'done', (why) => why.message))",
	) as Promise<void>;

/** Holds back what is asked for until `go` is called with what becomes of it. */
export async function hold(
	one: Visit,
	path: string,
): Promise<{ asked(): number; go(then: (route: Route) => Promise<void>): Promise<void> }> {
	const held: Route[] = [];
	let then: ((route: Route) => Promise<void>) | undefined;
	await one.context.route(
		(url) => url.origin + url.pathname === origin + path,
		async (route) => {
			if (then) await then(route);
			else held.push(route);
		},
	);
	return {
		asked: () => held.length,
		async go(what) {
			then = what;
			for (const route of held.splice(0)) await what(route);
		},
	};
}

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** Where something stands; throws where it does not. */
export async function boxOf(at: Locator): Promise<Box> {
	const box = await at.boundingBox();
	if (!box) throw new Error("It stands nowhere.");
	return box;
}

/** Whether two places have no point in common. */
export const apart = (a: Box, b: Box): boolean =>
	a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

/** Whether a place is whole in the window. */
export function inside(page: Page, { x, y, width, height }: Box): boolean {
	const size = page.viewportSize() ?? { width: 0, height: 0 };
	return x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height;
}

/** What of the page itself a point of the window belongs to: `HTML` for a page that cannot be reached. */
export const reached = (page: Page, x: number, y: number): Promise<string | undefined> =>
	page.evaluate(([left, top]) => document.elementFromPoint(left as number, top as number)?.tagName, [x, y]);
