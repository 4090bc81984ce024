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
		noEmbed: "Not here any more",
		noEmbedLine: (name: string) => `${name}'s chat was taken off this website.`,
		greeting: (name: string) => `Hi! Ask me about ${name} 👋`,
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
		askTitle: (name: string) => `Ask ${name}`,
		askBox: "Your question",
		askHere: "Or ask here, without a chat",
		askSend: "Ask",
		askMore: "Ask more",
		askTry: "For example",
		you: "You",
		askStates: {
			answered: () => "Answered.",
			asks: (name: string) => `${name} asks you something: answer below.`,
			authorise: (name: string) => `${name} needs something from you before it can go on: answer below.`,
			working: () => "The answer is on its way. Look again in a moment.",
			kept: (name: string) =>
				`Nobody is there to answer right now. Your question is kept for ${name}'s owner; looking again in a few seconds will not help.`,
			failed: () => "This could not be answered. Ask again, or in other words.",
			expired: () => "This question has expired: nobody went on with it for a day. You can ask again.",
			ended: (name: string) => `${name} has ended this conversation. What you write here now wakes nobody.`,
			silent: (name: string) => `${name} has read this and has nothing to say to it.`,
			elsewhere: (name: string) =>
				`Somebody else who asked the same went on with ${name} from here, in a conversation of their own. Ask again below, with everything that belongs to your question, and you get an answer of your own.`,
		},
		askEarlier: "Earlier words are left out.",
		lookAgain: "Look again",
		linkTitle: "Your private link",
		linkLine: "Open it to read the answer again or to ask more. Whoever has it can do the same, so keep it to yourself.",
		linkDays: (days: number) => `It ends by itself ${days} days after you last asked with it.`,
		linkEnd: "End this link now",
		linkEnded: "The link has ended",
		linkEndedLine: "Nobody can read the conversation with it any more.",
		linkGone: "This private link has ended, or it was never one. You can ask again.",
		askRobots: "Crawlers and link previews ask nothing here. Open the address yourself to ask.",
		askElsewhere: "A question is asked by opening its address, not by loading it as part of another page.",
		askPrefetch: "Nothing was asked yet: this was only a look ahead.",
		askLong: (most: number) => `A question in an address has at most ${most} characters. Shorten it, or ask in the chat or over A2A.`,
		askBroken: "The question could not be read. Encode it as UTF-8 and then for a URL, as encodeURIComponent does.",
		example: "This is an example",
		exampleLine: "@example stands for somebody's handle in the guide. It answers nothing: put the handle that you were given in its place.",
		agentCard: "Agent Card",
		askLink: "Ask by a link",
		forAgentsPage: "This page for agents",
		guide: "The guide",
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
		noEmbed: "已不在这里",
		noEmbedLine: (name: string) => `${name} 的聊天已从这个网站撤下。`,
		greeting: (name: string) => `你好！想了解 ${name}，都可以问我 👋`,
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
		askTitle: (name: string) => `向 ${name} 提问`,
		askBox: "你的问题",
		askHere: "也可以不开聊天，直接在这里问",
		askSend: "提问",
		askMore: "继续提问",
		askTry: "例如",
		you: "你",
		askStates: {
			answered: () => "已回答。",
			asks: (name: string) => `${name} 有问题要问你，请在下面回答。`,
			authorise: (name: string) => `${name} 需要你先做一件事才能继续，请在下面回答。`,
			working: () => "正在回答，请稍后再看。",
			kept: (name: string) => `现在没有人能马上回答。你的问题已经留给 ${name} 的主人，几秒后再看不会有变化。`,
			failed: () => "这个问题没能得到回答。请再问一次，或换个说法。",
			expired: () => "这个问题已过期：一天之内没有继续。你可以再问一次。",
			ended: (name: string) => `${name} 已结束这次对话，再写下的内容不会有人看到。`,
			silent: (name: string) => `${name} 看过了，没有要回复的。`,
			elsewhere: (name: string) =>
				`提过同一问题的另一个人已在自己的对话里与 ${name} 继续。请在下面把问题完整地再问一次，你会得到自己的回答。`,
		},
		askEarlier: "更早的内容已省略。",
		lookAgain: "再看一次",
		linkTitle: "你的私人链接",
		linkLine: "打开它可以再次阅读回答或继续提问。拿到链接的人都能这样做，请不要转给别人。",
		linkDays: (days: number) => `最后一次用它提问 ${days} 天后，链接自动失效。`,
		linkEnd: "立即停用此链接",
		linkEnded: "链接已停用",
		linkEndedLine: "再也没有人能用它阅读这次对话。",
		linkGone: "这个私人链接已失效，或从未存在。你可以重新提问。",
		askRobots: "爬虫和链接预览不会在这里提问。请自己打开这个地址来提问。",
		askElsewhere: "提问要直接打开地址，不能作为其他网页的一部分来加载。",
		askPrefetch: "还没有提问：这只是浏览器的预先加载。",
		askLong: (most: number) => `网址里的问题最多 ${most} 个字符。请缩短，或在聊天里、通过 A2A 提问。`,
		askBroken: "无法读取问题。请先用 UTF-8、再按 URL 编码，例如 encodeURIComponent。",
		example: "这是一个示例",
		exampleLine: "@example 在指南里代表某个人的名称，它不回答任何问题：请换成别人给你的名称。",
		agentCard: "智能体名片（Agent Card）",
		askLink: "用链接提问",
		forAgentsPage: "给智能体的本页内容",
		guide: "指南",
	},
} as const;

/** Attributes of the tag that say how the chat looks, without `data-`. */
export type Attribute = "mode" | "theme" | "lang" | "accent" | "size" | "greeting" | "height" | "z";

const USE = {
	en: {
		mode: "floating, pet, button or inline",
		theme: "light, dark or auto",
		lang: "en or zh",
		accent: "a colour such as #a8532b",
		size: "small, medium or large",
		greeting: "a line of at most 120 characters",
		height: "a number of pixels such as 600",
		z: "a whole number such as 10",
	},
	zh: {
		mode: "floating、pet、button 或 inline",
		theme: "light、dark 或 auto",
		lang: "en 或 zh",
		accent: "#a8532b 这样的颜色",
		size: "small、medium 或 large",
		greeting: "最多 120 个字符的一行文字",
		height: "600 这样的像素数",
		z: "10 这样的整数",
	},
} as const satisfies Record<Language, Record<Attribute, string>>;

/** Lines for the console of a site's owner: what stops the chat, and what to do. */
export const HELP = {
	en: {
		unlisted: (handle: string, site: string) =>
			`${site} is not on the list of sites where ${handle} may show. To allow it: npx earthonline sites add ${handle} ${site}`,
		blocked: (handle: string, site: string) =>
			`${handle}'s owner has blocked ${site}. To allow it: npx earthonline sites add ${handle} ${site}`,
		guests_off: (handle: string) =>
			`${handle} takes no questions from visitors at the moment, so the chat does not show. Its owner can turn guests on.`,
		no_such_embed: (handle: string, _site: string, number: string) =>
			`${handle} has no embed ${number} (any more), so nothing shows. Its owner can make another, whose line then goes in this one's place: npx earthonline embed save ${handle} --mode floating`,
		no_such_desk: (handle: string) => `There is no desk "${handle}" on this server. Look at data-handle in the tag.`,
		malformed_site: () =>
			"The chat shows on pages of a website that is served over https. Open the page from its site, not from a file or inside a sandboxed frame.",
		not_https: (site: string) => `${site} is not served over https, and there the chat does not show.`,
		local: (site: string) => `${site} is a site on this machine. To try the chat there, start the server with ALLOW_LOCALHOST_SITES=on.`,
		value: (name: Attribute, value: string) => `data-${name}="${value}" is not known. Use ${USE.en[name]}.`,
		address: (site: string) =>
			`Browsers do not let the chat be tied to ${site}. Open the site by its name instead of its address; a name with an underscore cannot be tied either.`,
	},
	zh: {
		unlisted: (handle: string, site: string) =>
			`${site} 不在 ${handle} 允许显示的网站列表里。要允许它，请运行：npx earthonline sites add ${handle} ${site}`,
		blocked: (handle: string, site: string) =>
			`${handle} 的主人屏蔽了 ${site}。要允许它，请运行：npx earthonline sites add ${handle} ${site}`,
		guests_off: (handle: string) => `${handle} 目前不接受访客提问，所以聊天不会显示。它的主人可以打开访客提问。`,
		no_such_embed: (handle: string, _site: string, number: string) =>
			`${handle} 没有编号为 ${number} 的嵌入（或已删除），所以不会显示。它的主人可以新建一个，用新的那一行替换这一行：npx earthonline embed save ${handle} --mode floating`,
		no_such_desk: (handle: string) => `这台服务器上没有名为 “${handle}” 的前台。请检查标签里的 data-handle。`,
		malformed_site: () => "聊天只在通过 https 提供的网站页面上显示。请从网站打开页面，不要从文件或沙箱框架中打开。",
		not_https: (site: string) => `${site} 没有使用 https，聊天不会在那里显示。`,
		local: (site: string) => `${site} 是本机上的网站。想在那里试用聊天，请用 ALLOW_LOCALHOST_SITES=on 启动服务器。`,
		value: (name: Attribute, value: string) => `data-${name}="${value}" 无法识别。请使用 ${USE.zh[name]}。`,
		address: (site: string) => `浏览器不允许把聊天绑定到 ${site}。请用网站的域名打开，不要用 IP 地址；带下划线的域名也不行。`,
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
