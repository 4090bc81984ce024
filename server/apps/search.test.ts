import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { braveServer, type Page, searxngServer, tavilyServer } from "../../test/apps/services.js";
import { openWeb, type Web } from "../../test/apps/web.js";
import type { AppKind, Apps, ConnectInput } from "../engine/apps-ports.js";
import { createOutbound, type Outbound } from "../outbound/fetch.js";
import { feedReader } from "./feed-reader.js";
import { createApps } from "./index.js";

let web: Web;
let outbound: Outbound;
let apps: Apps;
let pages: Page[];
const KEY = "BSA-0123456789";
const signal = new AbortController().signal;

beforeEach(async () => {
	web = await openWeb();
	outbound = createOutbound({ privateOrigins: [], ownHosts: [], ownAddresses: [], dial: web.dial });
	apps = createApps({ outbound, feeds: feedReader(new URL("../feed-reader.js", import.meta.url)), now: Date.now });
	pages = [
		{ title: "Glazes &amp; kilns", url: "https://kilns.example/a?b=1", text: "How to <strong>glaze</strong> a pot &#39;well&#x27;" },
	];
});
afterEach(async () => {
	await outbound.close();
	await web.close();
});

const SERVICES: [AppKind, ConnectInput, () => Promise<unknown>][] = [
	[
		"searxng",
		{ kind: "searxng", address: "https://searx.example/" },
		() =>
			web.serve(
				"searx.example",
				searxngServer(() => pages),
			),
	],
	[
		"brave",
		{ kind: "brave", key: KEY },
		() =>
			web.serve(
				"api.search.brave.com",
				braveServer(KEY, () => pages),
			),
	],
	[
		"tavily",
		{ kind: "tavily", key: KEY },
		() =>
			web.serve(
				"api.tavily.com",
				tavilyServer(KEY, () => pages),
			),
	],
];

describe.each(SERVICES)("searching with %s", (kind, input, stand) => {
	const search = async (query = "how to glaze") => {
		const connected = await apps.connect(input, signal);
		return await apps.call({ tool: "webSearch", query }, { ...connected, uid: "app_1" }, "read", signal);
	};

	it("gives a few pages in plain text", async () => {
		await stand();
		expect(await search()).toEqual([{ title: "Glazes & kilns", url: "https://kilns.example/a?b=1", text: "How to glaze a pot 'well'" }]);
		pages = Array.from({ length: 30 }, (_, i) => ({ title: `Page ${i}`, url: `https://kilns.example/${i}`, text: "" }));
		expect(await search()).toHaveLength(5);
		pages = [];
		expect(await search("制陶 & 上釉?")).toEqual([]);
	});

	it("asks for what was asked, in Chinese as well, and at its own address only", async () => {
		const asked = (await stand()) as { url: string; headers: Record<string, string> }[];
		await search("上釉 & <b>?");
		if (kind !== "tavily") expect(new URL(asked.at(-1)?.url ?? "", "https://x.example").searchParams.get("q")).toBe("上釉 & <b>?");
		expect(new Set(web.dialled).size).toBe(1);
	});

	it("says what is wrong, and never the key or where", async () => {
		// In words for whoever connects it by whatever door: options are a command line's.
		await expect(apps.connect({ kind }, signal)).rejects.toMatchObject({
			code: "invalid_params",
			message: expect.stringMatching(/^\w+ needs (?:its address|a key: you get one in your account there)\.$/),
		});
		await expect(apps.connect(input, signal)).rejects.toMatchObject({
			code: "unavailable",
			detail: { metadata: { reason: "unresolved" } },
		});
		await stand();
		const error: Error = await apps.connect({ ...input, key: "wrong-key-123", address: "https://searx.example/nowhere" }, signal).then(
			() => new Error("taken"),
			(e: Error) => e,
		);
		expect(error.message).toMatch(/did not answer \(4\d\d\)/);
		expect(error.message).not.toContain("wrong-key");
	});

	it("takes nothing for an answer that is none", async () => {
		const host = { searxng: "searx.example", brave: "api.search.brave.com", tavily: "api.tavily.com" }[kind as "brave"];
		let body = "<html>";
		await web.serve(host, (_, response) => response.end(body));
		await expect(search()).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("JSON") });
		body = '{"results":7,"web":{"results":7}}';
		await expect(search()).rejects.toMatchObject({ code: "unavailable" });
		body =
			'{"results":[null,7,{"url":5},{"url":"https://a.example","title":"A"}],"web":{"results":[null,7,{"url":5},{"url":"https://a.example","title":"A"}]}}';
		expect(await search()).toEqual([{ url: "https://a.example", title: "A", text: "" }]);
	});
});

describe("connecting a search", () => {
	it("says what an owner of a SearXNG has to turn on", async () => {
		await web.serve(
			"searx.example",
			searxngServer(() => pages, { formats: ["html"] }),
		);
		await expect(apps.connect({ kind: "searxng", address: "https://searx.example" }, signal)).rejects.toMatchObject({
			message: expect.stringContaining("search.formats"),
		});
		for (const address of ["https://searx.example/?q=", "http://searx.example", "https://10.0.0.1", "searx"])
			await expect(apps.connect({ kind: "searxng", address }, signal)).rejects.toMatchObject({ code: "invalid_params" });
	});

	it("says that an allowance is used up", async () => {
		await web.serve(
			"api.search.brave.com",
			braveServer(KEY, () => pages, { left: 0 }),
		);
		await expect(apps.connect({ kind: "brave", key: KEY }, signal)).rejects.toMatchObject({ message: expect.stringContaining("used up") });
	});
});
