/**
 * What reaches the world outside, put together: the guarded door, and the apps behind it. Loaded when something is first asked of it: most
 * desks have nothing connected, and a start should not wait for what nobody uses.
 */
import { networkInterfaces } from "node:os";
import type { FeedReader } from "./apps/feed-reader.js";
import type { Config } from "./config.js";
import type { Apps, Call } from "./engine/apps-ports.js";
import type { Outbound } from "./outbound/fetch.js";

/** Where the thread that reads a calendar begins; the built one, or its source. */
const FEED_READER = new URL("./feed-reader.js", import.meta.url);

/** The apps of an installation; `close` ends what is under way. */
export function openApps(config: Config, now: () => number): Apps & { close(): Promise<void> } {
	let loaded: ReturnType<typeof load> | undefined;
	const load = async (): Promise<{ apps: Apps; outbound: Outbound; feeds: FeedReader }> => {
		const [{ createOutbound }, { createApps }, { feedReader }] = await Promise.all([
			import("./outbound/fetch.js"),
			import("./apps/index.js"),
			import("./apps/feed-reader.js"),
		]);
		const outbound = createOutbound({ privateOrigins: config.allowPrivateApps, ...ownOf(config) });
		const feeds = feedReader(FEED_READER);
		return { apps: createApps({ outbound, feeds, now }), outbound, feeds };
	};
	const reached = (): ReturnType<typeof load> => {
		loaded ??= load();
		return loaded;
	};
	return {
		connect: async (input, signal) => await (await reached()).apps.connect(input, signal),
		call: async <C extends Call>(call: C, ...rest: [Parameters<Apps["call"]>[1], Parameters<Apps["call"]>[2], AbortSignal]) =>
			await (await reached()).apps.call(call, ...rest),
		async close() {
			const open = await loaded;
			open?.feeds.close();
			await open?.outbound.close();
		},
	};
}

/** This server, and what stands behind it: nothing that it may be made to call (reliability.md 77). */
function ownOf(config: Config): { ownHosts: string[]; ownAddresses: string[] } {
	const urls = [config.publicUrl, ...(config.databaseUrl === undefined ? [] : [config.databaseUrl])];
	const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
	return {
		ownHosts: urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : [])),
		ownAddresses: [...addresses, ...(config.host === undefined ? [] : [config.host])],
	};
}
