/** Markdown by a seeded generator, as nobody would write it who means well. */
import type { Seeded } from "../seeded.js";
import { PAYLOADS } from "./payloads.js";

const PIECES = [
	..."*,**,***,_,__,~~,`,``,```,~~~,[,](,](https://a.example),](javascript:alert(1)),![,](//evil.example/i.png),[1]: ,> ,>> ,- ,* ,1. ,12) ,# ,|,|-|-|,:-:,\n,\n\n,  ,    ,\t,<,>,</,/>,<!--,-->,&lt;,&#60;,\\,\\\\,\",',=,(,),https://b.example/,www.c.example,mailto:a@b.example,a@b.example,javascript:,data:text/html\\,x,word,中文。,\u202e,\u200b,😀,\0,\ud800".split(
		",",
	),
	"~~~~json\n",
	"<https://d.example>",
	"<a@b.example>",
];

/** A text of payloads and of pieces that mean something in markdown, in any order. */
export function markdownText(random: Seeded): string {
	let text = "";
	for (let pieces = 1 + random.int(24); pieces > 0; pieces--) {
		text += random.chance(0.25) ? random.pick(PAYLOADS) : random.pick(PIECES);
		if (random.chance(0.15)) text += "\n";
	}
	return random.chance(0.1) ? `> ${text.replaceAll("\n", "\n> ")}` : text;
}
