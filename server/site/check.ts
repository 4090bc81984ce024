/**
 * "Check my install": a page on which a site's owner reads in plain words what would stop the chat on a page of theirs. It says
 * of a site what `GET /embed/<handle>` would say to it, and of a rule that somebody thinks of what it would cover, and nothing else:
 * no list of a desk's is shown, nothing is written, and the site that is named is never visited.
 */
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { EMBED_NUMBER, type Mode, tagLine } from "../../shared/embed.js";
import { type NoSite, readSite, type SiteOptions } from "../engine/sites.js";
import { CHECK } from "./check-texts.js";
import { languageFor, type SiteParts } from "./door.js";
import { documentHeaders, NO_STORE } from "./headers.js";
import { page } from "./layout.js";
import type { Language } from "./texts.js";

/** Longest address that is read. */
const ADDRESS_CHARS = 2_000;

/** What an address names: a site, or why none. `shown`: as it is said back. */
export type AddressReading = { site: string } | { refused: NoSite | "unreadable" | "trailing_dot"; shown: string };

const WEB = /^https?:\/\//i;
/** A scheme that is none of the web's. `shop.com:8443` and `localhost:3000` have a port, not a scheme. */
const OTHER_SCHEME = /^(?!https?:\/\/)[a-z][a-z0-9+.-]*:(?![0-9]+(?:[/?#]|$))/i;

/**
 * The site of a page's address as somebody types or pastes it: path, query and letter case do not matter, and a missing scheme
 * is https, or http on this machine.
 */
export function readAddress(typed: string, options: SiteOptions): AddressReading {
	const text = typed.trim();
	const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
	if (text === "null" || OTHER_SCHEME.test(text)) return { refused: "opaque", shown };
	const whole = WEB.test(text)
		? text
		: `${/^(?:[^/?#]*\.)?(?:localhost|127\.0\.0\.1)(?:[:/?#]|$)/i.test(text) ? "http" : "https"}://${text}`;
	if (text === "" || text.length > ADDRESS_CHARS || !URL.canParse(whole)) return { refused: "unreadable", shown };
	const { origin, hostname } = new URL(whole);
	const reading = readSite(origin, options);
	if ("site" in reading) return reading;
	if (reading.refused !== "not_canonical" || !hostname.endsWith(".")) return { refused: reading.refused, shown: origin };
	const bare = readSite(origin.replace(/\.(?=:|$)/, ""), options);
	return "site" in bare ? { refused: "trailing_dot", shown: bare.site } : { refused: "not_canonical", shown: origin };
}

/** Sites that people take for the same: with and without `www.`, and the one without a port. */
function siblings(site: string): { site: string; kind: "www" | "apex" | "port" }[] {
	const { protocol, hostname, port } = new URL(site);
	const found: ReturnType<typeof siblings> = [];
	const end = port ? `:${port}` : "";
	if (port) found.push({ site: `${protocol}//${hostname}`, kind: "port" });
	if (hostname.startsWith("www.")) found.push({ site: `${protocol}//${hostname.slice(4)}${end}`, kind: "www" });
	else if (hostname.includes(".")) found.push({ site: `${protocol}//www.${hostname}${end}`, kind: "apex" });
	return found;
}

interface Step {
	state: "ok" | "stop" | "open";
	text: string;
}
/** What is said at the end: whether the chat shows, why not, and what to do, with the command of the desk's owner. */
interface Verdict {
	shows: boolean;
	title: string;
	lines: string[];
	todo?: string;
	command?: string;
	/** Another command, for more than the one site. */
	also?: { text: string; command: string };
	/** How the chat shows where the embed says it. */
	mode?: Mode | undefined;
	/** The same site over https, where that is worth looking at. */
	instead?: string;
	steps: Step[];
}

/** What the form says. Empty text: nothing. */
type Asked = Record<"handle" | "site" | "embed" | "rule", string>;

/** Fields without which nothing can be looked at, and what is said beside each. */
type Wrong = Partial<Record<"handle" | "site" | "embed", string>>;

/** What is said of a rule that was tried on a site. */
interface Trial {
	good: boolean;
	title: string;
	line: string;
}

export function check(parts: SiteParts): Hono {
	const { engine, config } = parts;
	const app = new Hono();
	const options = { localhost: config.allowLocalhostSites };
	/** A site as the engine takes it: null for our own pages. */
	const ours = (site: string): string | null => (site === config.publicUrl ? null : site);

	async function judge(language: Language, handle: string, typed: string, embed: string | undefined): Promise<Verdict> {
		const texts = CHECK[language];
		const { steps: says } = texts;
		const desk = await parts.deskAt(handle);
		const reading = readAddress(typed, options);
		const shown = "site" in reading ? reading.site : reading.shown;
		const answer = desk && "site" in reading ? await engine.embed.check(desk, ours(reading.site), embed) : undefined;
		const reason = answer && !answer.show ? answer.reason : undefined;

		const open = (text: string): Step => ({ state: "open", text });
		const step = (stops: boolean, good: string, bad: string): Step => ({ state: stops ? "stop" : "ok", text: stops ? bad : good });
		const steps: Step[] = [
			step("refused" in reading, says.site(shown), says.noSite(shown)),
			step(!desk, says.desk(handle), says.noDesk(handle)),
			desk ? step(!desk.settings.guests, says.guests, says.guestsOff) : open(says.open.guests),
			// With a number that is none, the site was not looked at.
			!answer || reason === "guests_off" || reason === "no_such_embed"
				? open(says.open.listed)
				: step(reason !== undefined, says.allowed(shown), reason === "blocked" ? says.blocked(shown) : says.unlisted(shown)),
		];
		if (embed !== undefined)
			steps.push(
				!answer || reason === "guests_off" || reason === "blocked"
					? open(says.open.embed)
					: step(reason === "no_such_embed", says.embed(embed), says.noEmbed(embed)),
			);

		const stops = (words: { why: string; todo: string }, more: Partial<Verdict> = {}): Verdict => ({
			shows: false,
			title: texts.stops(shown),
			lines: [words.why],
			todo: words.todo,
			steps,
			...more,
		});
		if ("refused" in reading) {
			const secure = reading.refused === "not_https" ? shown.replace(/^http:/, "https:").replace(/:80$/, "") : undefined;
			return stops(texts.refused[reading.refused](shown), secure === undefined ? {} : { instead: secure });
		}
		if (!desk) return stops(texts.noDesk(handle), { title: texts.stopsHandle(handle) });
		const { site } = reading;
		switch (reason) {
			case undefined:
				return {
					shows: true,
					title: site === config.publicUrl ? texts.showsOwn : texts.shows(site),
					lines: [texts.showsWhy(handle)],
					mode: answer?.show ? answer.embed?.mode : undefined,
					steps,
				};
			case "guests_off":
				return stops(texts.guestsOff(handle), {
					command: `npx earthonline settings ${handle} guests=on`,
					title: texts.stopsHandle(handle),
				});
			case "blocked":
				return stops(texts.blocked(handle), { command: `npx earthonline sites add ${handle} ${site}` });
			case "no_such_embed":
				return stops(texts.noEmbed(embed ?? "", handle), { command: `npx earthonline embed list ${handle}` });
			case "unlisted": {
				const words = texts.unlisted(handle, site);
				const lines = [words.why];
				for (const sibling of siblings(site)) {
					if ((await engine.embed.check(desk, sibling.site)).show) lines.push(texts.sibling(site, sibling.site, sibling.kind));
				}
				const www = /^https:\/\/www\.(.+\..+)$/.exec(site)?.[1];
				return stops(words, {
					lines,
					command: `npx earthonline sites add ${handle} ${site}`,
					...(www ? { also: { text: texts.wider, command: `npx earthonline sites add ${handle} '*.${www}'` } } : {}),
				});
			}
		}
	}

	/** Whether a rule would let the site of an address show the chat. Undefined: no rule to try, or no site to try it on. */
	function tried(language: Language, rule: string, typed: string): Trial | undefined {
		const reading = readAddress(typed, options);
		if (rule === "" || !("site" in reading)) return undefined;
		const { trial } = CHECK[language];
		const { site } = reading;
		const answer = engine.embed.tryRule(rule, site);
		if ("refused" in answer) return { good: false, title: trial.none(rule), line: trial.why(answer) };
		const line = answer.rule.startsWith("*.") ? trial.below(answer.rule) : trial.one(answer.rule);
		return { good: answer.covers, title: (answer.covers ? trial.covers : trial.misses)(answer.rule, site), line };
	}

	app.get("/check", async (c) => {
		const language = languageFor(c);
		const texts = CHECK[language];
		const ask: Asked = {
			handle: field(c, "handle").toLowerCase().replace(/^@/, ""),
			site: field(c, "site"),
			embed: field(c, "embed"),
			rule: field(c, "rule"),
		};
		// A page that is opened for the first time has no fields in its address, a form that was sent has them all.
		const sent = c.req.query("handle") !== undefined || c.req.query("site") !== undefined;
		const wrong = sent ? wrongOf(language, ask) : {};
		const [first] = Object.keys(wrong);
		const looked = sent && ask.handle !== "" && first === undefined;
		const verdict = looked ? await judge(language, ask.handle, ask.site, ask.embed || undefined) : undefined;
		const trial = tried(language, ask.rule, ask.site);
		const inOther = { lang: language === "en" ? "zh" : "en" };
		const otherLanguage = sent ? queryOf(ask, inOther) : new URLSearchParams(inOther);
		const body = html`<main class="tool">
<header class="tool-head"><h1>${texts.title}</h1><a href="/check?${otherLanguage}" lang="${language === "en" ? "zh" : "en"}">${texts.other}</a></header>
${
	// Who has asked reads the answer first, on a phone as well.
	verdict || trial
		? html`${verdict ? said(language, verdict, ask, config.publicUrl) : ""}${trial ? ruled(language, trial) : ""}<h2 class="again">${texts.again}</h2>`
		: html`<p class="tool-lead">${texts.lead}</p>`
}
<form class="fields" action="/check" method="get" novalidate>
${input("handle", { label: texts.handle, hint: texts.handleHint, wrong: wrong.handle, first: first === "handle" }, ask.handle, { maxlength: 33 })}
${input("site", { label: texts.site, hint: texts.siteHint, wrong: wrong.site, first: first === "site" }, ask.site, { mode: "url", maxlength: ADDRESS_CHARS })}
${input("embed", { label: texts.embed, hint: texts.embedHint, wrong: wrong.embed, first: first === "embed" }, ask.embed, { mode: "numeric", maxlength: 12 })}
${input("rule", { label: texts.trial.label, hint: texts.trial.hint }, ask.rule, { mode: "url", maxlength: ADDRESS_CHARS })}
<input type="hidden" name="lang" value="${language}">
<button class="go" type="submit">${texts.submit}</button>
</form>
<section><h2>${texts.unseen}</h2><ul>${texts.frames.map(({ title, text }) => html`<li><strong>${title}</strong> ${text}</li>`)}</ul><p>${texts.console}</p></section>
<section><h2>${texts.csp}</h2><p>${texts.cspHow}</p><pre>script-src ${config.publicUrl};
connect-src ${config.publicUrl};
frame-src ${config.publicUrl}</pre></section>
</main>`;
		const title = `${texts.title} · ${config.brandName}`;
		return c.html(await page({ language, css: parts.css, title, body, footer: html`<footer>${config.brandName}</footer>` }), 200, {
			...documentHeaders(config.publicUrl, { ancestors: "'none'", chat: false, form: true }),
			...NO_STORE,
		});
	});

	return app;
}

/** The form filled in, as a link. A rule is tried once in a while: the others stand there always. */
const queryOf = ({ rule, ...ask }: Asked, more: Record<string, string>): URLSearchParams =>
	new URLSearchParams({ ...ask, ...(rule ? { rule } : {}), ...more });

/** A field of the query, cut to what is read of it. */
const field = (c: Context, name: string): string => (c.req.query(name) ?? "").trim().slice(0, ADDRESS_CHARS + 1);

/** What of a form that was sent cannot be looked at. A rule needs a site to be tried on, and no desk. */
function wrongOf(language: Language, { handle, site, embed, rule }: Asked): Wrong {
	const { wrong } = CHECK[language];
	return {
		...(handle === "" && rule === "" ? { handle: wrong.handle } : {}),
		...(site === "" ? { site: wrong.site } : {}),
		...(embed === "" || EMBED_NUMBER.test(embed) ? {} : { embed: wrong.embed(embed) }),
	};
}

/** A labelled box with its hint, and with what is wrong in it; whoever comes back to something wrong is led to the first. */
function input(
	name: string,
	{ label, hint, wrong, first }: { label: string; hint: string; wrong?: string | undefined; first?: boolean },
	value: string,
	box: { mode?: "url" | "numeric"; maxlength: number },
) {
	const described = `${wrong === undefined ? "" : `${name}-wrong `}${name}-hint`;
	return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}" aria-describedby="${described}"${wrong === undefined ? "" : html` aria-invalid="true"${first ? html` autofocus` : ""}`} inputmode="${box.mode ?? "text"}" maxlength="${box.maxlength}" autocapitalize="none" autocomplete="off" spellcheck="false">${wrong === undefined ? "" : html`<p class="hint wrong" id="${name}-wrong">${wrong}</p>`}<p class="hint" id="${name}-hint">${hint}</p></div>`;
}

/** What became of a rule that was tried. */
const ruled = (language: Language, { good, title, line }: Trial) =>
	html`<section class="verdict ${good ? "good" : "bad"}" aria-labelledby="trial"><h2 id="trial">${title}</h2><p>${line}</p><p>${CHECK[language].trial.only}</p></section>`;

/** Where a line of that mode belongs. */
const placeOf = (mode: Mode | undefined): "anywhere" | "button" | "inline" => (mode === "button" || mode === "inline" ? mode : "anywhere");

function said(language: Language, verdict: Verdict, ask: Asked, publicUrl: string) {
	const texts = CHECK[language];
	const snippet = new URLSearchParams({ handle: ask.handle, ...(ask.embed ? { embed: ask.embed } : {}), lang: language });
	const instead = verdict.instead
		? html`<p><a href="/check?${queryOf(ask, { site: verdict.instead, lang: language })}">${texts.secure(verdict.instead)}</a></p>`
		: "";
	return html`<section class="verdict ${verdict.shows ? "good" : "bad"}" aria-labelledby="verdict">
<h2 id="verdict">${verdict.title}</h2>
${verdict.lines.map((line) => html`<p>${line}</p>`)}
${verdict.todo ? html`<h3>${texts.todo}</h3><p>${verdict.todo}</p>` : ""}
${verdict.command ? html`<pre>${verdict.command}</pre>` : ""}${verdict.also ? html`<p>${verdict.also.text}</p><pre>${verdict.also.command}</pre>` : ""}${instead}
${
	verdict.shows
		? html`<h3>${texts.line}</h3><p>${texts.lineHow[placeOf(verdict.mode)]}</p><pre>${tagLine(publicUrl, { handle: ask.handle, embed: ask.embed || undefined })}</pre><p><a href="/snippet?${snippet}">${texts.make}</a></p>`
		: ""
}
</section>
<section><h2>${texts.looked}</h2><ol class="steps">${verdict.steps.map(({ state, text }) => html`<li class="${state}"><span class="mark">${texts.states[state]}</span> ${text}</li>`)}</ol></section>`;
}
