/**
 * Refusals at the addresses that other sites' pages ask: the embed's config, its script and what that fetches. A page reads
 * only what says that it may: without these headers a script cannot tell a server that is busy from a policy that shut it out,
 * and would tell the site's owner to mend the wrong thing.
 */
import type { SiteConfig } from "../../shared/embed.js";
import { NO_STORE, OPEN } from "./headers.js";

const CONFIG = /^\/embed\/([^/]*)$/;
/** The script, and the files that it fetches where a page has use for them. */
export const EMBED_FILE = /^\/embed(?:-[a-z]+)?\.js$/;

/**
 * An answer of this status at such an address; undefined at any other. The config's is in its own form, with the sentence where the
 * script looks for one; a file's is the sentence.
 */
export function refuseEmbed(path: string, status: number, line: string, headers: Record<string, string> = {}): Response | undefined {
	const handle = CONFIG.exec(path)?.[1];
	const all = { ...OPEN, ...NO_STORE, ...headers };
	if (handle !== undefined) {
		const config: SiteConfig = { show: false, help: line, handle: handle.slice(0, 64) };
		return new Response(JSON.stringify(config), { status, headers: { ...all, "content-type": "application/json" } });
	}
	if (!EMBED_FILE.test(path)) return undefined;
	return new Response(`${line}\n`, { status, headers: { ...all, "content-type": "text/plain; charset=utf-8" } });
}
