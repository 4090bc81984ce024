/** The owner's pages as HTML text, in the desk's language. Everything that somebody wrote is escaped by `hono/html`. */
import { html } from "hono/html";
import { tagLine } from "../../shared/embed.js";
import { LIMITS } from "../../shared/limits.js";
import type { ShownDesk } from "./door.js";

type Html = ReturnType<typeof html>;

/** Takes the secret out of the link's fragment, which no server and no log has seen, and out of the address bar. */
export const SIGN_IN_SCRIPT = `const show = (id) => {
	for (const part of document.querySelectorAll("[role=status] > *")) part.hidden = part.id !== id;
};
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
if (!secret) show("none");
else
	fetch("/sign-in", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ secret }) })
		.then((answer) => {
			if (answer.ok) location.replace("/agent");
			else show(answer.status === 401 ? "used" : "gone");
		})
		.catch(() => show("gone"));
`;

/** Signs out, and says so where that did not go through. */
export const AGENT_SCRIPT = `const button = document.getElementById("sign-out");
const state = document.getElementById("state");
button.addEventListener("click", () => {
	button.disabled = true;
	fetch("/sign-out", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })
		.then(async (answer) => {
			if (!answer.ok) throw new Error((await answer.json()).error.message);
			location.replace("/sign-in");
		})
		.catch((error) => {
			button.disabled = false;
			state.textContent = error instanceof TypeError ? button.dataset.gone : error.message;
		});
});
`;

const shell = (language: "en" | "zh", title: string, body: Html): Html => html`<!doctype html>
<html lang="${language}" data-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/site.css">
</head>
<body>${body}</body>
</html>
`;

/** For whoever is not known yet, and so neither is their language: one sentence in both. */
const both = (en: string, zh: string): Html => html`${en} <span lang="zh">${zh}</span>`;

/** The command that makes a link, after the words that lead to it. */
const makeLink = (command: string, en: string, zh: string): Html =>
	html`<p>${both(en, zh)}</p><pre>${command} owner link &lt;handle&gt;</pre>`;

const LINK_MINUTES = LIMITS.signInLinkMs / 60_000;

export const signInPage = (brand: string, command: string): Html =>
	shell(
		"en",
		`Sign in · ${brand}`,
		html`<main class="quiet owner"><div role="status">
<div id="going"><h1>${both("Signing you in", "正在登录")}</h1></div>
<div id="none" hidden><h1>${both("Open your sign-in link", "请打开你的登录链接")}</h1>${makeLink(
			command,
			`It is made on the server, and works once within ${LINK_MINUTES} minutes:`,
			`链接在服务器上生成，${LINK_MINUTES} 分钟内有效，只能用一次：`,
		)}</div>
<div id="used" hidden><h1>${both("This link has been used or has run out", "这个链接已用过或已过期")}</h1>${makeLink(
			command,
			"Make a new one on the server:",
			"请在服务器上生成新的链接：",
		)}</div>
<div id="gone" hidden><h1>${both("The server did not answer", "服务器没有回应")}</h1><p>${both(
			"Open the link again in a moment.",
			"请稍后再打开链接。",
		)}</p></div>
</div></main>
<script src="/sign-in.js" type="module"></script>`,
	);

/** One sentence: for what cannot be shown. */
export const refusalPage = (brand: string, line: string): Html =>
	shell("en", brand, html`<main class="quiet"><h1>${brand}</h1><p>${line}</p></main>`);

export const notSignedInPage = (brand: string, command: string): Html =>
	shell(
		"en",
		`Sign in · ${brand}`,
		html`<main class="quiet owner"><h1>${both("You are not signed in", "你还没有登录")}</h1>${makeLink(
			command,
			"Make a sign-in link on the server and open it here:",
			"请在服务器上生成登录链接，再在这里打开：",
		)}</main>`,
	);

const TEXTS = {
	en: {
		paste: "Put the chat on your website",
		pasteHow: "One line, anywhere in the page. It shows on the sites listed below and nowhere else.",
		sites: "Sites",
		noSites: "No site may show the chat yet.",
		state: { allowed: "allowed", blocked: "blocked", pending: "waits for you" },
		add: (handle: string) => `sites add ${handle} https://your-site.com`,
		memory: "What your agent knows",
		noMemory: "Nothing yet. Give it notes to answer from:",
		put: (handle: string) => `memory put ${handle} hours.md`,
		gaps: "What it could not answer",
		noGaps: "Nothing: every question so far was answered.",
		keysTitle: "Keys",
		signOut: "Sign out",
		gone: "The server did not answer. Try again in a moment.",
		keys: (n: number) => (n === 0 ? "No key is in use." : n === 1 ? "1 key is in use." : `${n} keys are in use.`),
		online: "Online",
		offline: "Offline",
		chat: "Open the chat",
	},
	zh: {
		paste: "把聊天放到你的网站上",
		pasteHow: "只要一行，放在页面任何位置。它只在下面列出的网站上显示。",
		sites: "网站",
		noSites: "还没有网站可以显示聊天。",
		state: { allowed: "已允许", blocked: "已屏蔽", pending: "等你决定" },
		add: (handle: string) => `sites add ${handle} https://your-site.com`,
		memory: "你的智能体知道什么",
		noMemory: "还没有内容。给它可以据以回答的笔记：",
		put: (handle: string) => `memory put ${handle} hours.md`,
		gaps: "它没能回答的问题",
		noGaps: "没有：到现在为止的问题都回答了。",
		keysTitle: "密钥",
		signOut: "退出登录",
		gone: "服务器没有回应，请稍后再试。",
		keys: (n: number) => (n === 0 ? "没有正在使用的密钥。" : `正在使用 ${n} 个密钥。`),
		online: "在线",
		offline: "离线",
		chat: "打开聊天",
	},
};

/** `command`: how a shell reaches this server, up to the command itself. */
export function agentPage(config: { publicUrl: string; brandName: string; command: string }, desks: ShownDesk[]): Html {
	const language = desks[0]?.desk.row.language ?? "en";
	return shell(
		language,
		desks[0] ? `${desks[0].desk.row.name} · ${config.brandName}` : config.brandName,
		html`${desks.map((d) => deskSection(config, d))}
<footer><button type="button" id="sign-out" data-gone="${TEXTS[language].gone}">${TEXTS[language].signOut}</button> <span id="state" role="status"></span></footer>
<script src="/agent.js" type="module"></script>`,
	);
}

function deskSection(config: { publicUrl: string; command: string }, { desk, sites, memory, gaps, keys }: ShownDesk): Html {
	const { handle, name, about, language } = desk.row;
	const t = TEXTS[language];
	return html`<main>
<div class="person"><img class="face" src="${desk.face.face}" width="96" height="96" alt=""><h1>${name}</h1>
${about === "" ? "" : html`<p class="about">${about}</p>`}
<p class="state${desk.face.online ? " on" : ""}">${desk.face.online ? t.online : t.offline}</p>
<a class="go" href="/@${handle}/chat">${t.chat}</a></div>
<h2>${t.paste}</h2><p>${t.pasteHow}</p>
<pre>${tagLine(config.publicUrl, { handle })}</pre>
<h2>${t.sites}</h2>
${sites.length === 0 ? html`<p>${t.noSites}</p>` : html`<ul>${sites.map((s) => html`<li><strong>${s.rule}</strong> · ${t.state[s.state]}</li>`)}</ul>`}
<pre>${config.command} ${t.add(handle)}</pre>
<h2>${t.memory}</h2>
${memory.length === 0 ? html`<p>${t.noMemory}</p>` : html`<ul>${memory.map((f) => html`<li><strong>${f.path}</strong></li>`)}</ul>`}
<pre>${config.command} ${t.put(handle)}</pre>
<h2>${t.gaps}</h2>
${gaps.length === 0 ? html`<p>${t.noGaps}</p>` : html`<ul>${gaps.map((g) => html`<li>${g.question}</li>`)}</ul>`}
<h2>${t.keysTitle}</h2>
<p>${t.keys(keys.length)}</p>
</main>`;
}
