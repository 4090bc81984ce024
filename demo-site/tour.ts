/**
 * What the pages of the demo site share, as HTML text: the head, the studio's top and foot, and what leads through them, the
 * bar above every page and the list on the home page. Links are plain links and need no script; the language that a reader chose goes
 * along in them.
 */
import { type Language, type Sites, STOPS, type Stop, TOUR } from "./stops.js";

/** Words of the bar and of the home page's list. */
const BAR = {
	en: {
		tour: "The tour",
		next: "Next",
		back: "Back",
		line: "The line on this page",
		lines: "The lines on this page",
		other: "中文",
		label: "About this page",
	},
	zh: { tour: "导览", next: "下一页", back: "上一页", line: "本页的代码", lines: "本页的代码", other: "English", label: "关于本页" },
} as const;

/** `{{head}}`: what stands in every page's head beside its title. */
export const HEAD = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/site.css">`;

/** The studio's own pages, in its top. */
const PAGES = [
	["/studio.html", "Shop"],
	["/commissions.html", "Commissions"],
	["/kiln.html", "Kiln notes"],
] as const;

/** `{{top}}`: the studio's name and the way to its pages, on the page at a path. */
export const topOf = (at: string): string =>
	`<header class="wrap top"><a class="name" href="/studio.html">Mira Lin</a><nav aria-label="Studio">${PAGES.map(
		([path, name]) => `<a href="${path}"${path === at ? ' aria-current="page"' : ""}>${name}</a>`,
	).join("")}<a href="/zh.html" lang="zh">中文</a></nav></header>`;

/** `{{foot}}` */
export const FOOT = '<footer class="wrap foot">Mira Lin, stoneware and drawings. A fictional studio.</footer>';

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** The address of a stop for a reader on a page of one of the sites. The language is kept where it is not the stop's own. */
function address(stop: Stop, from: Stop | undefined, language: Language, sites: Sites): string {
	const site = stop.site === from?.site ? "" : sites[stop.site ?? "listed"];
	return `${site}${stop.path}${language === (stop.language ?? "en") ? "" : `?lang=${language}`}`;
}

const homeOf = (language: Language): string => (language === "zh" ? "/index.zh.html" : "/");

/** The bar above a page: where it stands in the tour, its two sentences, the lines that its HTML holds, and the way on. */
export function barOf(stop: Stop, language: Language, sites: Sites, lines: readonly string[]): string {
	const words = BAR[language];
	const at = STOPS.indexOf(stop);
	const before = STOPS[at - 1];
	const after = STOPS[at + 1];
	const home = `${stop.site ? sites.listed : ""}${homeOf(language)}`;
	const code = lines.length
		? `<details><summary>${lines.length > 1 ? words.lines : words.line}</summary><pre>${lines.map(escapeHtml).join("\n")}</pre></details>`
		: "";
	const way = (to: Stop | undefined, rel: "prev" | "next", word: string) =>
		to ? `<a rel="${rel}" href="${address(to, stop, language, sites)}">${word}<span>: ${to.title[language]}</span></a>` : "";
	return `<aside class="bar" lang="${language}" dir="ltr" aria-label="${words.label}"><div class="wrap">
<p class="where"><a href="${home}">${words.tour}</a> <span>${at + 1} / ${STOPS.length}</span></p>
<div class="said"><p><strong>${stop.title[language]}.</strong> ${stop.shows[language]} ${stop.look[language]}</p>${code}</div>
<nav class="way" aria-label="${words.tour}">${way(before, "prev", words.back)} ${way(after, "next", words.next)}</nav>
</div></aside>`;
}

/** The list of all pages for the home page. */
export function listOf(language: Language, sites: Sites): string {
	let number = 0;
	return TOUR.map(
		({ title, stops }) =>
			`<h3 class="group">${title[language]}</h3><ol class="tour" start="${number + 1}">${stops
				.map((stop) => {
					number++;
					return `<li><a href="${address(stop, undefined, language, sites)}"><span class="number">${number}</span><h4>${stop.title[language]}</h4><p>${stop.shows[language]}</p></a></li>`;
				})
				.join("")}</ol>`,
	).join("\n");
}
