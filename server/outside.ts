/**
 * What reaches the world outside, put together: the guarded door, and the apps behind it. Loaded when something is first asked of it: most
 * desks have nothing connected, and a start should not wait for what nobody uses.
 */
import { networkInterfaces } from "node:os";
import type { Config } from "./config.js";
import type { Apps, Call } from "./engine/apps-ports.js";
import type { Outbound } from "./outbound/fetch.js";

/** The apps of an installation; `close` ends what is under way. */
export function openApps(config: Config, now: () => number): Apps & { close(): Promise<void> } {
	let loaded: Promise<{ apps: Apps; outbound: Outbound }> | undefined;
	const load = (): NonNullable<typeof loaded> => {
		loaded ??= Promise.all([import("./outbound/fetch.js"), import("./apps/index.js")]).then(([{ createOutbound }, { createApps }]) => {
			const outbound = createOutbound({ privateOrigins: config.allowPrivateApps, ...ownOf(config) });
			return { apps: createApps({ outbound, now }), outbound };
		});
		return loaded;
	};
	return {
		connect: async (input, signal) => await (await load()).apps.connect(input, signal),
		call: async <C extends Call>(call: C, ...rest: [Parameters<Apps["call"]>[1], Parameters<Apps["call"]>[2], AbortSignal]) =>
			await (await load()).apps.call(call, ...rest),
		close: async () => await (await loaded)?.outbound.close(),
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
