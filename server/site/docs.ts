/**
 * The guide, from the one source that is `docs/`: `/docs` and `/docs/<page>` for people, the same with `.md` for agents, and
 * all of it as `/llms.txt` and `/llms-full.txt` (LINK-4). Where the guide shows the host of a desk, the reader sees this server's.
 * Files are read when first asked for, and what is made of them is kept. The records of decisions are for who works on the
 * program, and stay out.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { markdown } from "./docs-markdown.js";
import type { SiteParts } from "./door.js";
import { COMMON, documentHeaders, isFresh } from "./headers.js";
import { page } from "./layout.js";

const CACHE = "public, max-age=300";
/** The host that stands in the guide for the reader's own server. */
const SHOWN = "https://desk.example.com";
/** The demo's address, where the guide calls a desk at it. */
const DEMO = /http:\/\/localhost:8787(?=\/(?:a2a|@|docs|llms))/g;

export interface GuidePage {
	/** Its path below `docs/`, without `.md`. */
	name: string;
	title: string;
	text: string;
}

/** Pages of the guide by name, `index` among them. */
export function readGuide(dir: string): ReadonlyMap<string, GuidePage> {
	const pages = new Map<string, GuidePage>();
	for (const file of (readdirSync(dir, { recursive: true }) as string[]).map((f) => f.replaceAll("\\", "/")).sort()) {
		if (!file.endsWith(".md") || file.startsWith("decisions/")) continue;
		const name = file.slice(0, -3);
		const text = readFileSync(join(dir, file), "utf8");
		pages.set(name, { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text });
	}
	return pages;
}

/** Every Markdown link, and every code that could look like one. */
const LINKS = /```[\s\S]*?```|`[^`\n]*`|(!?)\[([^\]]*)\]\(([^)\s]+)\)/g;

/** What is made of the guide, each thing once for as long as this server has the same address: that may still change when it begins to listen. */
class Kept<T> {
	private readonly made = new Map<string, T>();
	private madeFor = "";

	constructor(private readonly config: { publicUrl: string }) {}

	/** `name` is one of ours: nobody else's makes another entry. */
	get(name: string, make: () => T): T {
		const { publicUrl } = this.config;
		if (this.madeFor !== publicUrl) this.made.clear();
		this.madeFor = publicUrl;
		const known = this.made.get(name);
		if (known !== undefined) return known;
		const made = make();
		this.made.set(name, made);
		return made;
	}
}

/** The guide as this server gives it away. */
class Guide {
	private pages: ReadonlyMap<string, GuidePage> | undefined;
	private readonly texts: Kept<string>;

	/** `dir` undefined: a guide without pages. */
	constructor(
		private readonly dir: string | undefined,
		private readonly config: { publicUrl: string },
	) {
		this.texts = new Kept(config);
	}

	private all(): ReadonlyMap<string, GuidePage> {
		this.pages ??= this.dir === undefined ? new Map() : readGuide(this.dir);
		return this.pages;
	}

	page(name: string): GuidePage | undefined {
		return this.all().get(name);
	}

	/** The page that a link of another one leads to, and what follows `#`. */
	private target(from: string, href: string): { name: string; anchor: string } | undefined {
		const [path = "", anchor] = href.split("#");
		const name = path === "" ? from : posix.normalize(posix.join(posix.dirname(from), path)).replace(/\.md$/, "");
		return this.all().has(name) ? { name, anchor: anchor === undefined ? "" : `#${anchor}` } : undefined;
	}

	/** Where a link of a page goes on the pages for people. */
	href(from: string, href: string): string | undefined {
		if (/^(?:https?:|mailto:)/.test(href)) return href;
		const target = this.target(from, href);
		return target && `${target.name === "index" ? "/docs" : `/docs/${target.name}`}${target.anchor}`;
	}

	/** A page's Markdown with this server's addresses; a link out of the guide is only its words. */
	text(name: string): string | undefined {
		const page = this.page(name);
		return page && this.texts.get(name, () => this.make(page));
	}

	private make({ name, text }: GuidePage): string {
		const { publicUrl } = this.config;
		const linked = text.replace(
			LINKS,
			(whole: string, picture: string | undefined, words: string | undefined, href: string | undefined) => {
				if (href === undefined || picture || /^(?:https?:|mailto:)/.test(href)) return whole;
				const target = this.target(name, href);
				return target ? `[${words}](${publicUrl}/docs/${target.name}.md${target.anchor})` : `${words}`;
			},
		);
		const here = this.ownHost(linked);
		return name === "index" ? here + this.unlisted(here) : here;
	}

	/** The reader's own server where the guide shows one. */
	ownHost(text: string): string {
		const { publicUrl } = this.config;
		return text.replaceAll(SHOWN, publicUrl).replace(DEMO, publicUrl).replaceAll(new URL(SHOWN).host, new URL(publicUrl).host);
	}

	/** Pages that the index does not name. */
	private unlisted(index: string): string {
		const left = [...this.all().values()].filter(({ name }) => name !== "index" && !index.includes(`/docs/${name}.md`));
		return left.map(({ name, title }) => `- [${title}](${this.config.publicUrl}/docs/${name}.md)\n`).join("");
	}

	/** Pages in the order of the index. */
	private order(): GuidePage[] {
		const index = this.text("index") ?? "";
		const place = ({ name }: GuidePage): number => index.indexOf(`/docs/${name}.md`);
		return [...this.all().values()].filter(({ name }) => name !== "index").sort((a, b) => place(a) - place(b));
	}

	/** Everything together. */
	whole(): string {
		const pages = this.order().map(({ name }) => `Source: ${this.config.publicUrl}/docs/${name}.md\n\n${this.text(name)}`);
		return [this.text("index") ?? "", ...pages]
			.map((text) => text.trim())
			.join("\n\n---\n\n")
			.concat("\n");
	}
}

export function docs(parts: SiteParts): Hono {
	const { config } = parts;
	const guide = new Guide(parts.docsDir, config);
	/** By the addresses at which they stand. */
	const kept = new Kept<Promise<{ body: string; etag: string }>>(config);
	const app = new Hono();

	const give = async (c: Context, headers: Record<string, string>, make: () => string | Promise<string>): Promise<Response> => {
		const { body, etag } = await kept.get(c.req.path, async () => {
			const made = await make();
			return { body: made, etag: `"${createHash("sha256").update(made).digest("base64url").slice(0, 22)}"` };
		});
		const all = { ...headers, "cache-control": CACHE, etag };
		return isFresh(c.req.header("if-none-match"), etag) ? c.body(null, 304, all) : c.body(body, 200, all);
	};
	/** Text of a page that is there; nothing of a guide that is not. */
	const plain = async (c: Context, name: string, type: "plain" | "markdown", make = () => guide.text(name) ?? ""): Promise<Response> => {
		if (!guide.page(name)) return await parts.refuse(c, 404, "missing");
		return await give(c, { ...COMMON, "content-type": `text/${type}; charset=utf-8`, "access-control-allow-origin": "*" }, make);
	};

	app.get("/llms.txt", (c) => plain(c, "index", "plain"));
	app.get("/llms-full.txt", (c) => plain(c, "index", "plain", () => guide.whole()));
	app.get("/docs", (c) => show(c, "index"));
	app.get("/docs/*", (c) => {
		const path = c.req.path.slice("/docs/".length);
		return path.endsWith(".md") ? plain(c, path.slice(0, -3), "markdown") : show(c, path);
	});

	async function show(c: Context, name: string): Promise<Response> {
		const found = guide.page(name);
		if (!found) return await parts.refuse(c, 404, "missing");
		const headers = {
			...documentHeaders(config.publicUrl, { ancestors: "'none'", chat: false }),
			"content-type": "text/html; charset=utf-8",
		};
		return await give(c, headers, () => document(found));
	}

	/** A page of the guide as HTML. */
	async function document({ name, title, text }: GuidePage): Promise<string> {
		const source = name === "index" ? (guide.text("index") ?? "") : guide.ownHost(text);
		const own = `${config.publicUrl}/docs/`;
		const link = (href: string): string | undefined =>
			href.startsWith(own) && guide.page(href.slice(own.length).replace(/\.md(?:#.*)?$/, ""))
				? href.slice(config.publicUrl.length).replace(/\.md(?=#|$)/, "")
				: guide.href(name, href);
		const body = html`<main class="docs"><nav>${name === "index" ? html`<a href="/">${config.brandName}</a>` : html`<a href="/docs">The guide</a>`}<a href="/docs/${name}.md">Markdown</a></nav><article lang="en">${await markdown(source, { link, ids: true, top: 1 })}</article></main>`;
		return String(
			await page({ language: "en", css: parts.css, title: name === "index" ? "The guide" : title, markdown: `/docs/${name}.md`, body }),
		);
	}

	return app;
}
