/** What the pages of this door say, in English and Chinese, and which of the two a reader gets. */
export type Language = "en" | "zh";

/** Texts of pages. A site's owner reads `help` in the console; everything else is read by visitors. */
export const TEXTS = {
	en: {
		chatWith: (name: string) => `Chat with ${name}`,
		online: "Online",
		offline: "Offline: questions are kept",
		askedBy: (owner: string) => `The front desk of ${owner}`,
		start: "Start a chat",
		forAgents: "For agents",
		agentsLine: "Any A2A 1.0 agent reaches this desk at",
		landing: "Front desks on this server",
		landingLine: "Each is somebody's own agent. Ask what you would ask them.",
		nobody: "No desk has been opened here yet. Make one with:",
		ownSite: "On your own website",
		ownSiteLine: "One line shows a desk in the corner of a page:",
		notStarted: "The chat could not start here. Some websites hide where they are from it.",
		openTab: "Open in a tab",
		needsScript: "The chat needs JavaScript. Turn it on for this page, then load it again.",
		notBuilt: "The chat has not been built on this server. Its operator runs npm run build, then starts it again.",
		notOpen: "Not open here yet",
		notOpenLine: (name: string) => `${name}'s chat is not open on this website yet. Its owner can allow it.`,
		guestsOff: "Closed for now",
		guestsOffLine: (name: string) => `${name} takes no questions from visitors at the moment. Please come back later.`,
		neutral: "Nothing to see here",
		neutralLine: "This address shows nothing on its own.",
		missing: "There is nothing here",
		missingLine: "Look at the address again, or start from the front page.",
		onlyRead: "This address can only be read.",
		broken: "Something went wrong on our side",
		brokenLine: "Nothing is lost. Please try again in a moment.",
		busy: "Just a moment",
		home: "Front page",
	},
	zh: {
		chatWith: (name: string) => `与 ${name} 聊天`,
		online: "在线",
		offline: "暂时离线，问题会留下",
		askedBy: (owner: string) => `${owner} 的前台`,
		start: "开始聊天",
		forAgents: "给智能体",
		agentsLine: "任何 A2A 1.0 智能体都可以在此地址联系本前台：",
		landing: "本服务器上的前台",
		landingLine: "每一个都是某个人自己的智能体。想问本人的，都可以问它。",
		nobody: "这里还没有前台。用这条命令开一个：",
		ownSite: "放到你自己的网站",
		ownSiteLine: "一行代码就能让前台出现在页面角落：",
		notStarted: "聊天无法在这里启动：有些网站不让它知道自己在哪里。",
		openTab: "在新标签页中打开",
		needsScript: "聊天需要 JavaScript。请为本页启用后重新加载。",
		notBuilt: "这台服务器还没有构建聊天页面。请管理员运行 npm run build 后重新启动。",
		notOpen: "尚未在此开放",
		notOpenLine: (name: string) => `${name} 的聊天还没有在这个网站开放。它的主人可以允许。`,
		guestsOff: "暂时关闭",
		guestsOffLine: (name: string) => `${name} 目前不接受访客提问，请稍后再来。`,
		neutral: "这里没有内容",
		neutralLine: "这个地址单独打开时不显示任何内容。",
		missing: "这里什么也没有",
		missingLine: "请再看看网址，或从首页开始。",
		onlyRead: "这个地址只能读取。",
		broken: "我们这边出了问题",
		brokenLine: "什么也没有丢失，请稍后再试。",
		busy: "请稍等",
		home: "首页",
	},
} as const;

/** Attributes of the tag that say how the chat looks, without `data-`. */
export type Attribute = "mode" | "theme" | "lang" | "accent" | "height" | "z";

const USE = {
	en: {
		mode: "floating or inline",
		theme: "light, dark or auto",
		lang: "en or zh",
		accent: "a colour such as #a8532b",
		height: "a number of pixels such as 600",
		z: "a whole number such as 10",
	},
	zh: {
		mode: "floating 或 inline",
		theme: "light、dark 或 auto",
		lang: "en 或 zh",
		accent: "#a8532b 这样的颜色",
		height: "600 这样的像素数",
		z: "10 这样的整数",
	},
} as const satisfies Record<Language, Record<Attribute, string>>;

/** Lines for the console of a site's owner: what stops the chat, and what to do. */
export const HELP = {
	en: {
		unlisted: (handle: string, site: string) =>
			`${site} is not on the list of sites where ${handle} may show. To allow it: earthonline sites add ${handle} ${site}`,
		blocked: (handle: string, site: string) =>
			`${handle}'s owner has blocked ${site}. To allow it: earthonline sites add ${handle} ${site}`,
		guests_off: (handle: string) =>
			`${handle} takes no questions from visitors at the moment, so the chat does not show. Its owner can turn guests on.`,
		no_such_desk: (handle: string) => `There is no desk "${handle}" on this server. Look at data-handle in the tag.`,
		malformed_site: () =>
			"The chat shows on pages of a website that is served over https. Open the page from its site, not from a file or inside a sandboxed frame.",
		not_https: (site: string) => `${site} is not served over https, and there the chat does not show.`,
		local: (site: string) => `${site} is a site on this machine. To try the chat there, start the server with ALLOW_LOCALHOST_SITES=on.`,
		value: (name: Attribute, value: string) => `data-${name}="${value}" is not known. Use ${USE.en[name]}.`,
		address: (site: string) => `Browsers do not let the chat be tied to ${site}. Open the site by its name instead of its address.`,
	},
	zh: {
		unlisted: (handle: string, site: string) =>
			`${site} 不在 ${handle} 允许显示的网站列表里。要允许它，请运行：earthonline sites add ${handle} ${site}`,
		blocked: (handle: string, site: string) => `${handle} 的主人屏蔽了 ${site}。要允许它，请运行：earthonline sites add ${handle} ${site}`,
		guests_off: (handle: string) => `${handle} 目前不接受访客提问，所以聊天不会显示。它的主人可以打开访客提问。`,
		no_such_desk: (handle: string) => `这台服务器上没有名为 “${handle}” 的前台。请检查标签里的 data-handle。`,
		malformed_site: () => "聊天只在通过 https 提供的网站页面上显示。请从网站打开页面，不要从文件或沙箱框架中打开。",
		not_https: (site: string) => `${site} 没有使用 https，聊天不会在那里显示。`,
		local: (site: string) => `${site} 是本机上的网站。想在那里试用聊天，请用 ALLOW_LOCALHOST_SITES=on 启动服务器。`,
		value: (name: Attribute, value: string) => `data-${name}="${value}" 无法识别。请使用 ${USE.zh[name]}。`,
		address: (site: string) => `浏览器不允许把聊天绑定到 ${site}。请用网站的域名打开，不要用 IP 地址。`,
	},
} as const;

/** `zh` or `en` as an `Accept-Language` prefers, by its order and weights; the fallback where it names neither. */
export function languageOf(acceptLanguage: string | undefined, fallback: Language = "en"): Language {
	let best: { language: Language; weight: number } | undefined;
	for (const range of (acceptLanguage ?? "").slice(0, 200).split(",")) {
		const [tag = "", ...parameters] = range.trim().toLowerCase().split(";");
		const language = /^(zh|en)(-|$)/.exec(tag)?.[1] as Language | undefined;
		if (!language) continue;
		const q = parameters.map((p) => /^\s*q=([\d.]+)\s*$/.exec(p)?.[1]).find(Boolean);
		const weight = q === undefined ? 1 : Number(q) || 0;
		if (weight > 0 && (!best || weight > best.weight)) best = { language, weight };
	}
	return best?.language ?? fallback;
}
