/** What "check my install" says, in English and Chinese: each thing that can stop the chat, why it does, and what to do about it. */
import type { NoRule, NoSite } from "../engine/sites.js";
import type { Language } from "./texts.js";

/** What is said of a site that stops the chat: why, and what to do. */
interface Words {
	why: string;
	todo: string;
}

interface CheckTexts {
	title: string;
	lead: string;
	handle: string;
	handleHint: string;
	site: string;
	siteHint: string;
	embed: string;
	embedHint: string;
	/** A rule that is tried on the site. */
	trial: {
		label: string;
		hint: string;
		covers: (rule: string, site: string) => string;
		misses: (rule: string, site: string) => string;
		/** What a rule with a star and one without cover. */
		below: (rule: string) => string;
		one: (rule: string) => string;
		none: (typed: string) => string;
		why: (no: NoRule) => string;
		only: string;
	};
	submit: string;
	again: string;
	other: string;
	shows: (site: string) => string;
	showsOwn: string;
	showsWhy: (handle: string) => string;
	stops: (site: string) => string;
	stopsHandle: (handle: string) => string;
	todo: string;
	looked: string;
	states: Record<"ok" | "stop" | "open", string>;
	steps: {
		site: (site: string) => string;
		noSite: (typed: string) => string;
		desk: (handle: string) => string;
		noDesk: (handle: string) => string;
		guests: string;
		guestsOff: string;
		allowed: (site: string) => string;
		unlisted: (site: string) => string;
		blocked: (site: string) => string;
		embed: (number: string) => string;
		noEmbed: (number: string) => string;
		open: { guests: string; listed: string; embed: string };
	};
	/** Beside a field that keeps everything from being looked at. */
	wrong: { handle: string; site: string; embed: (typed: string) => string };
	refused: Record<NoSite | "unreadable" | "trailing_dot", (site: string) => Words>;
	noDesk: (handle: string) => Words;
	guestsOff: (handle: string) => Words;
	unlisted: (handle: string, site: string) => Words;
	/** A site that is nearly the same and is allowed. */
	sibling: (site: string, allowed: string, kind: "www" | "apex" | "port") => string;
	wider: string;
	blocked: (handle: string) => Words;
	noEmbed: (number: string, handle: string) => Words;
	secure: (site: string) => string;
	line: string;
	lineHow: Record<"anywhere" | "button" | "inline", string>;
	make: string;
	csp: string;
	cspHow: string;
	unseen: string;
	frames: { title: string; text: string }[];
	console: string;
}

/** In Chinese what the engine says in English of a rule that is none. */
const WRONG_RULE: Record<NoRule["refused"], string> = {
	star: "星号只能有一个，而且只能在最前面。请写完整的网站，如 https://their-site.com；要包含其下所有网站，请写 *.their-site.com。",
	suffix: "任何人都能在这个域名下注册名字。请写属于你自己的域名，如 *.their-site.com。",
	not_https: "网站必须通过 https 提供，http 只用于 localhost。请以 https:// 开头来写规则。",
	address: "浏览器在这里不认数字地址和下划线。请写网站的域名，不要写 IP 地址。",
	local: "本机上的网站没有开放。想在本机试用聊天，请用 ALLOW_LOCALHOST_SITES=on 启动服务器。",
	opaque: "请写完整的网站，如 https://their-site.com；要包含其下所有网站，请写 *.their-site.com。",
	not_canonical:
		"请照浏览器读到的样子写完整的网站，如 https://their-site.com（中文域名写成 xn-- 开头的形式）；要包含其下所有网站，请写 *.their-site.com。",
};

export const CHECK: Record<Language, CheckTexts> = {
	en: {
		title: "Check my install",
		lead: "Say which desk and which page. This says in plain words what would stop the chat there. It visits nothing and keeps nothing.",
		handle: "Handle of the desk",
		handleHint: "What stands in data-handle.",
		site: "Address of your page",
		siteHint: "As your browser shows it, for instance https://www.your-site.com/contact",
		embed: "Number of the embed",
		embedHint: "Only where your line has data-embed.",
		trial: {
			label: "A rule to try",
			hint: "Would it let your page show the chat? For instance https://your-site.com or *.your-site.com",
			covers: (rule, site) => `The rule ${rule} would allow ${site}.`,
			misses: (rule, site) => `The rule ${rule} would not allow ${site}.`,
			below: (rule) =>
				`It covers every site with one or more names in front of ${rule.slice(2)}, over https${/:/.test(rule) ? " and on that port" : ""}, and never https://${rule.slice(2)} itself.`,
			one: (rule) => `It covers ${rule} and nothing else: another port, with or without www., is another site.`,
			none: (typed) => `${typed} is no rule.`,
			why: ({ why }) => why,
			only: "This looks at the rule alone, not at the list of the desk's owner. There, a rule that blocks wins over every one that allows.",
		},
		submit: "Check",
		again: "Check another page",
		other: "中文",
		shows: (site) => `The chat shows on ${site}.`,
		showsOwn: "The chat shows on this server's own pages.",
		showsWhy: (handle) =>
			`Nothing on the side of the desk stops it: put ${handle}'s line in the page. If the page still shows nothing, it is something that only your browser can see; look below.`,
		stops: (site) => `The chat does not show on ${site}.`,
		stopsHandle: (handle) => `The chat of ${handle} does not show.`,
		todo: "What to do",
		looked: "What was looked at",
		states: { ok: "Good", stop: "Stops it", open: "Not looked at" },
		steps: {
			site: (site) => `The page belongs to the site ${site}.`,
			noSite: (typed) => `${typed} is no site that the chat can be tied to.`,
			desk: (handle) => `There is a desk ${handle} on this server.`,
			noDesk: (handle) => `There is no desk ${handle} on this server.`,
			guests: "It takes questions from visitors.",
			guestsOff: "It takes no questions from visitors at the moment.",
			allowed: (site) => `Its owner lets it show on ${site}.`,
			unlisted: (site) => `No rule on its owner's list covers ${site}.`,
			blocked: (site) => `Its owner has blocked ${site}.`,
			embed: (number) => `Embed ${number} is there.`,
			noEmbed: (number) => `There is no embed ${number} at this desk (any more).`,
			open: { guests: "Whether it takes questions.", listed: "Whether it may show on your site.", embed: "Whether the embed is there." },
		},
		wrong: {
			handle: "Say which desk: what stands in data-handle in your line, such as mira.",
			site: "Give the address of your page: copy it from your browser and paste it here.",
			embed: (typed) => `${typed} is no number of an embed. Give one such as 3, or leave this empty.`,
		},
		refused: {
			unreadable: () => ({
				why: "This is no address that a browser would open.",
				todo: "Copy the address of the page from your browser's address bar. It begins with https://.",
			}),
			opaque: () => ({
				why: "A file, a data address or an extension's page belongs to no site, so the chat cannot be tied to one.",
				todo: "Put the page on a website that is served over https, or serve its folder from this machine, and open it from there.",
			}),
			not_canonical: () => ({
				why: "A site's name has letters, digits, hyphens and dots. This one has something else, which browsers read in different ways.",
				todo: "Copy the address from your browser's address bar, where it stands as the browser reads it.",
			}),
			trailing_dot: (site) => ({
				why: "The name ends in a dot. To a browser that is another site than the name without it.",
				todo: `Open the page as ${site}, and link to it that way.`,
			}),
			not_https: (site) => ({
				why: `${site} is not served over https. Anybody on the way could change such a page, so the chat does not show there.`,
				todo: "Turn https on where the site is hosted; nearly every host has it for nothing. Then open the page over https.",
			}),
			address: (site) => ({
				why: `${site} is a number and not a name. Browsers do not let the chat be tied to one.`,
				todo: "Open the site by its name. On your own machine use http://localhost with its port.",
			}),
			local: (site) => ({
				why: `${site} is a site on somebody's own machine, and this server does not show the chat on those.`,
				todo: "To try it there, the server is started with ALLOW_LOCALHOST_SITES=on. On the published site it is not needed.",
			}),
		},
		noDesk: (handle) => ({
			why: `There is no desk ${handle} on this server.`,
			todo: "Look at data-handle in the line: it is written in small letters, without the @.",
		}),
		guestsOff: (handle) => ({
			why: `${handle} takes no questions from visitors at the moment, so the chat shows nowhere.`,
			todo: "The desk's owner turns them on:",
		}),
		unlisted: (handle, site) => ({
			why: `${site} is not on the list of sites where ${handle} may show. Where a page of it has been opened with the line, it waits on that list as pending until the owner allows it.`,
			todo: "The desk's owner allows it; nobody else can. The rule that covers it:",
		}),
		sibling: (site, allowed, kind) =>
			kind === "port"
				? `${allowed} may show the chat. ${site} is another site: the port is a part of it.`
				: `${allowed} may show the chat. ${site} is another site, ${kind === "www" ? "since the www. is a part of its name" : "since it has no www. in its name"}: a rule for the one does not cover the other.`,
		wider: "Or everything below the name, www. and other subdomains, but not the bare name itself:",
		blocked: (handle) => ({
			why: `${handle}'s owner has blocked this site. There the chat shows nothing, and nobody is told on the page.`,
			todo: "If that was a mistake, its owner allows the site:",
		}),
		noEmbed: (number, handle) => ({
			why: `There is no embed ${number} at ${handle} (any more), so a line that carries the number shows nothing.`,
			todo: "Take a number that is there, or leave data-embed away. The owner's embeds:",
		}),
		secure: (site) => `Check ${site} instead`,
		line: "The line",
		lineHow: {
			anywhere: "Anywhere in the page's HTML; just before </body> is a good place.",
			button: "In the page's HTML, at the place where the button shall stand.",
			inline: "In the page's HTML, at the place where the chat shall stand.",
		},
		make: "Choose how it looks",
		csp: "If your page has a Content-Security-Policy",
		cspHow: "Add these to what it already allows. Styles need nothing. If it uses nonces, put yours on the line as well.",
		unseen: "What only your browser can see",
		frames: [
			{
				title: "A preview inside a site builder.",
				text: "The builder shows your page in a frame of its own site, and the chat does not open inside another site's frame. Look at the published page.",
			},
			{
				title: "A sandboxed frame.",
				text: "A frame with sandbox and without allow-same-origin hides which site it is, so nothing can be allowed. Add allow-same-origin and allow-scripts, or put the line in the page itself.",
			},
			{
				title: "The page in a frame elsewhere.",
				text: "Where your page is framed, every site around it must be the same one. The badge and the chat page work everywhere.",
			},
			{
				title: "Something that holds scripts back.",
				text: "A consent banner, a blocker or a caching plugin may hold the line back or change it. Look at the page in a private window.",
			},
		],
		console: "Whatever it is, the browser's console says it in one line that begins with EarthOnline.",
	},
	zh: {
		title: "检查安装",
		lead: "告诉我是哪个前台、哪个页面，就能用大白话说出是什么拦住了聊天。这里不会访问你的网站，也不保存任何东西。",
		handle: "前台的名字",
		handleHint: "data-handle 里写的那个。",
		site: "你的页面地址",
		siteHint: "照浏览器里显示的填，例如 https://www.your-site.com/contact",
		embed: "嵌入编号",
		embedHint: "只有代码里写了 data-embed 时才填。",
		trial: {
			label: "要试的规则",
			hint: "它能让你的页面显示聊天吗？例如 https://your-site.com 或 *.your-site.com",
			covers: (rule, site) => `规则 ${rule} 会允许 ${site}。`,
			misses: (rule, site) => `规则 ${rule} 不会允许 ${site}。`,
			below: (rule) =>
				`它包含 ${rule.slice(2)} 前面还有一级或多级名字的所有 https 网站${/:/.test(rule) ? "（端口相同）" : ""}，但不含 https://${rule.slice(2)} 本身。`,
			one: (rule) => `它只包含 ${rule} 这一个网站：端口不同、多或少一个 www.，都是另一个网站。`,
			none: (typed) => `${typed} 不是规则。`,
			why: ({ refused }) => WRONG_RULE[refused],
			only: "这里只看这条规则本身，不看前台主人的列表。在列表里，屏蔽的规则优先于允许的规则。",
		},
		submit: "检查",
		again: "再查一个页面",
		other: "English",
		shows: (site) => `聊天会在 ${site} 显示。`,
		showsOwn: "聊天会在本服务器自己的页面上显示。",
		showsWhy: (handle) =>
			`前台这边没有任何阻碍：把 ${handle} 的代码放进页面就行。如果页面上还是没有，那就是只有你的浏览器才看得到的原因，请看下面。`,
		stops: (site) => `聊天不会在 ${site} 显示。`,
		stopsHandle: (handle) => `${handle} 的聊天不会显示。`,
		todo: "怎么办",
		looked: "看了什么",
		states: { ok: "没问题", stop: "拦住了", open: "没有看" },
		steps: {
			site: (site) => `这个页面属于网站 ${site}。`,
			noSite: (typed) => `${typed} 不是聊天能绑定的网站。`,
			desk: (handle) => `这台服务器上有前台 ${handle}。`,
			noDesk: (handle) => `这台服务器上没有前台 ${handle}。`,
			guests: "它接受访客提问。",
			guestsOff: "它目前不接受访客提问。",
			allowed: (site) => `它的主人允许在 ${site} 显示。`,
			unlisted: (site) => `主人的列表里没有规则包含 ${site}。`,
			blocked: (site) => `它的主人屏蔽了 ${site}。`,
			embed: (number) => `嵌入 ${number} 存在。`,
			noEmbed: (number) => `这个前台没有嵌入 ${number}（或已删除）。`,
			open: { guests: "它是否接受提问。", listed: "它能否在你的网站显示。", embed: "嵌入是否存在。" },
		},
		wrong: {
			handle: "请填写是哪个前台：代码里 data-handle 写的那个，例如 mira。",
			site: "请填写页面地址：从浏览器复制，粘贴到这里。",
			embed: (typed) => `${typed} 不是嵌入编号。请填编号，例如 3，或者留空。`,
		},
		refused: {
			unreadable: () => ({
				why: "这不是浏览器能打开的地址。",
				todo: "从浏览器地址栏复制页面地址，它以 https:// 开头。",
			}),
			opaque: () => ({
				why: "文件、data 地址或扩展程序的页面不属于任何网站，聊天无处可绑定。",
				todo: "把页面放到通过 https 提供的网站上，或在本机用一个小服务器打开它所在的文件夹，再从那里打开。",
			}),
			not_canonical: () => ({
				why: "网站名由字母、数字、连字符和点组成。这个地址里有别的东西，不同浏览器的读法不同。",
				todo: "从浏览器地址栏复制地址，那里显示的就是浏览器读到的样子。",
			}),
			trailing_dot: (site) => ({
				why: "名字以点结尾。对浏览器来说，它和不带点的是两个网站。",
				todo: `请用 ${site} 打开页面，链接也这样写。`,
			}),
			not_https: (site) => ({
				why: `${site} 没有使用 https。途中任何人都能改动这样的页面，所以聊天不在那里显示。`,
				todo: "在网站托管处打开 https，几乎每家都免费提供。然后用 https 打开页面。",
			}),
			address: (site) => ({
				why: `${site} 是数字而不是名字，浏览器不允许把聊天绑定到它。`,
				todo: "用域名打开网站。在自己的电脑上请用 http://localhost 加端口。",
			}),
			local: (site) => ({
				why: `${site} 是某台电脑自己的网站，这台服务器不在这类网站上显示聊天。`,
				todo: "想在那里试用，请用 ALLOW_LOCALHOST_SITES=on 启动服务器。正式发布的网站不需要它。",
			}),
		},
		noDesk: (handle) => ({
			why: `这台服务器上没有前台 ${handle}。`,
			todo: "看看代码里的 data-handle：全部小写，不带 @。",
		}),
		guestsOff: (handle) => ({
			why: `${handle} 目前不接受访客提问，所以聊天在哪里都不显示。`,
			todo: "前台的主人可以打开：",
		}),
		unlisted: (handle, site) => ({
			why: `${site} 不在 ${handle} 允许显示的网站列表里。如果那里的页面已经带着代码打开过，它会在列表里等待主人允许。`,
			todo: "只有前台的主人能允许它。能包含它的规则：",
		}),
		sibling: (site, allowed, kind) =>
			kind === "port"
				? `${allowed} 可以显示聊天。${site} 是另一个网站：端口也算在内。`
				: `${allowed} 可以显示聊天。${site} 是另一个网站，${kind === "www" ? "因为 www. 是名字的一部分" : "因为它的名字里没有 www."}：给一个的规则不包含另一个。`,
		wider: "或者包含该名字之下的所有网站（www. 和其他子域名，但不含名字本身）：",
		blocked: (handle) => ({
			why: `${handle} 的主人屏蔽了这个网站。聊天在那里什么也不显示，页面上也不会提示。`,
			todo: "如果是误会，主人可以允许它：",
		}),
		noEmbed: (number, handle) => ({
			why: `${handle} 没有嵌入 ${number}（或已删除），带这个编号的代码什么也不显示。`,
			todo: "换成存在的编号，或去掉 data-embed。查看主人的嵌入：",
		}),
		secure: (site) => `改为检查 ${site}`,
		line: "代码",
		lineHow: {
			anywhere: "放在页面 HTML 的任何位置，</body> 之前最合适。",
			button: "放在页面 HTML 里，按钮该在的地方。",
			inline: "放在页面 HTML 里，聊天该在的地方。",
		},
		make: "选择它的样子",
		csp: "如果你的页面有 Content-Security-Policy",
		cspHow: "把这些加到已允许的内容里。样式不需要加。如果用 nonce，也要给这行代码带上。",
		unseen: "只有你的浏览器看得到的",
		frames: [
			{
				title: "建站工具里的预览。",
				text: "建站工具把你的页面放在它自己网站的框架里，而聊天不会在别人的框架里打开。请看发布后的页面。",
			},
			{
				title: "沙箱框架。",
				text: "带 sandbox 而没有 allow-same-origin 的框架会隐藏自己是哪个网站，因此无从允许。请加上 allow-same-origin 和 allow-scripts，或把代码放进页面本身。",
			},
			{
				title: "页面被嵌在别处。",
				text: "页面被嵌入时，外面每一层都必须是同一个网站。徽章和聊天页面在哪里都能用。",
			},
			{
				title: "拦住脚本的东西。",
				text: "同意横幅、拦截器或缓存插件可能拦住或改动这行代码。请用隐私窗口看看页面。",
			},
		],
		console: "不管是什么，浏览器控制台都会用一行以 EarthOnline 开头的话说出来。",
	},
};
