/**
 * The stops of the tour: which pages the demo site has, in which order a newcomer walks through them, and the two sentences
 * that each says about itself, in English and Chinese. One table, from which the home page and the bar above every page are
 * made, so that neither can name a page that is not there.
 */

export type Language = "en" | "zh";
type Words = Readonly<Record<Language, string>>;

/** Origins that one server is: the site that the desk allows, one that nobody has listed, and one that the desk's owner has blocked. */
export type Sites = Readonly<Record<"listed" | "unlisted" | "blocked", string>>;

export interface Stop {
	/** Path on the site. */
	path: string;
	/** Which site it stands on, where it is not the listed one. */
	site?: Exclude<keyof Sites, "listed">;
	/** The language that the page itself is written in, where it is not English. */
	language?: Language;
	title: Words;
	/** What it shows. */
	shows: Words;
	/** What to look for. */
	look: Words;
}

export interface Group {
	title: Words;
	stops: readonly Stop[];
}

/** Everything, in the order of the tour. */
export const TOUR: readonly Group[] = [
	{
		title: { en: "Ways to show it", zh: "展示方式" },
		stops: [
			{
				path: "/studio.html",
				title: { en: "Floating", zh: "悬浮" },
				shows: {
					en: "A face at the bottom right opens the chat over the page.",
					zh: "右下角的头像会在页面之上打开聊天。",
				},
				look: {
					en: "Click it and ask what a mug costs; on a phone the chat fills the screen, and Esc closes it.",
					zh: "点开它，问问马克杯多少钱；在手机上聊天会铺满屏幕，按 Esc 关闭。",
				},
			},
			{
				path: "/pet.html",
				title: { en: "Pet", zh: "宠物" },
				shows: {
					en: "The agent itself sits on the page, and visitors may move it.",
					zh: "智能体自己待在页面上，访客可以移动它。",
				},
				look: {
					en: "Drag it anywhere and let go: it settles at the nearer side, clear of the page's own buttons, and a click opens the chat.",
					zh: "把它拖到任何地方再松手：它会停靠到较近的一侧，避开页面自己的按钮；点一下就打开聊天。",
				},
			},
			{
				path: "/greeting.html",
				title: { en: "Greeting", zh: "问候" },
				shows: {
					en: "A few seconds after a visitor arrives, a short hello appears beside the face.",
					zh: "访客到达几秒后，头像旁会出现一句简短的问候。",
				},
				look: {
					en: "You are on your way through the site, so press “Arrive anew” below and wait; close the hello and arrive once more: nobody is greeted twice.",
					zh: "你已经在网站里走动，所以请按下方的 “Arrive anew” 并等几秒；关掉问候再来一次：谁也不会被问候两次。",
				},
			},
			{
				path: "/button.html",
				title: { en: "Button, in three sizes", zh: "按钮，三种大小" },
				shows: {
					en: "The button stands in the text, where the line was pasted.",
					zh: "按钮就在文中，在粘贴代码的地方。",
				},
				look: {
					en: "Its green dot is live and its colours follow the page; each size opens the chat.",
					zh: "绿点是实时的，颜色跟随页面；每种大小都会打开聊天。",
				},
			},
			{
				path: "/commissions.html",
				title: { en: "Inline", zh: "嵌在页面里" },
				shows: {
					en: "The chat itself stands in the page, where the line was pasted.",
					zh: "聊天本身就在页面里，在粘贴代码的地方。",
				},
				look: {
					en: "It loads when you come near it, and never takes the keyboard from you by itself.",
					zh: "靠近时它才加载，而且不会自己抢走键盘焦点。",
				},
			},
			{
				path: "/selector.html",
				title: { en: "An element of your own", zh: "用你自己的元素" },
				shows: {
					en: "A button that the site already had opens the chat, and the line adds nothing to look at.",
					zh: "网站原有的按钮打开聊天，代码本身不显示任何东西。",
				},
				look: {
					en: "Press “Write to Mira” below with the mouse or the keyboard; it is the studio's own button.",
					zh: "用鼠标或键盘按下方的 “Write to Mira”；它是工作室自己的按钮。",
				},
			},
			{
				path: "/two.html",
				title: { en: "Two on one page", zh: "同页两个" },
				shows: {
					en: "Two lines stand on this page, and each is a chat of its own look.",
					zh: "本页有两行代码，各自是一个外观不同的聊天。",
				},
				look: {
					en: "Ask in the page and open the corner: both are the same conversation, and neither disturbs the other.",
					zh: "在页面里提问，再打开角落的那个：是同一段对话，互不打扰。",
				},
			},
			{
				path: "/numbered.html",
				title: { en: "By number", zh: "用编号" },
				shows: {
					en: "The line holds a number and no look; the look is kept at the desk.",
					zh: "代码里只有编号，没有外观；外观保存在前台那边。",
				},
				look: {
					en: "Change it at the desk and load this page again: the new look is here, and nothing was pasted anew.",
					zh: "在前台修改后重新加载本页：新外观已生效，无需重新粘贴。",
				},
			},
		],
	},
	{
		title: { en: "Pages of every kind", zh: "各种各样的页面" },
		stops: [
			{
				path: "/dark.html",
				title: { en: "A dark site", zh: "深色网站" },
				shows: {
					en: "This site is always dark, whatever your system prefers.",
					zh: "这个网站始终是深色，不管你的系统偏好。",
				},
				look: {
					en: "The face, the chat and its scrollbars are dark as well, from the first moment and without a white flash.",
					zh: "头像、聊天和滚动条从一开始就是深色，没有白色闪烁。",
				},
			},
			{
				path: "/kiln.html",
				title: { en: "A site that switches", zh: "切换主题的网站" },
				shows: {
					en: "This page has a switch of its own between dark and light.",
					zh: "本页有自己的深浅色开关。",
				},
				look: {
					en: "Open the chat, press the switch in the text, and watch the chat follow while it stays open.",
					zh: "打开聊天，按文中的开关，看聊天在打开的同时跟着变。",
				},
			},
			{
				path: "/zh.html",
				language: "zh",
				title: { en: "Chinese", zh: "中文" },
				shows: {
					en: "The page, the chat's own words and the answers are Chinese.",
					zh: "页面、聊天界面和回答都是中文。",
				},
				look: {
					en: "Type with an input method: Enter while composing chooses a word and sends nothing.",
					zh: "用输入法打字：选词时按回车只会选词，不会发送。",
				},
			},
			{
				path: "/rtl.html",
				title: { en: "Right to left", zh: "从右到左" },
				shows: {
					en: "This page is written from right to left.",
					zh: "这个页面从右往左书写。",
				},
				look: {
					en: "The face stands at the other corner and the chat opens towards the page.",
					zh: "头像在另一个角落，聊天朝页面内侧打开。",
				},
			},
			{
				path: "/app.html",
				title: { en: "An app with routes", zh: "单页应用" },
				shows: {
					en: "A router swaps the whole body and the address at each step.",
					zh: "路由在每一步都替换整个页面主体和地址。",
				},
				look: {
					en: "Open the chat and press Next a few times: it stays open, there is one of it, and the conversation goes on.",
					zh: "打开聊天，多按几次 Next：它一直开着，只有一个，对话也继续。",
				},
			},
			{
				path: "/slow.html",
				title: { en: "A slow network", zh: "慢速网络" },
				shows: {
					en: "This page's own pictures and scripts come seconds late.",
					zh: "本页自己的图片和脚本会晚几秒才到。",
				},
				look: {
					en: "The face is there before they are, and neither waits for the other.",
					zh: "头像比它们先到，谁也不等谁。",
				},
			},
			{
				path: "/strict.html",
				title: { en: "A strict policy", zh: "严格的策略" },
				shows: {
					en: "This page allows scripts, frames and pictures from named origins alone, and no HTML made from text (Trusted Types).",
					zh: "本页只允许来自指定来源的脚本、框架和图片，并且不许用文本生成 HTML（Trusted Types）。",
				},
				look: {
					en: "The chat works as elsewhere and the browser's console stays empty.",
					zh: "聊天照常工作，浏览器控制台是空的。",
				},
			},
			{
				path: "/nonce.html",
				title: { en: "A policy with nonces", zh: "带 nonce 的策略" },
				shows: {
					en: "This page runs only scripts that carry the number which its server made for this one answer.",
					zh: "本页只运行带有服务器为这一次响应生成的一次性数字的脚本。",
				},
				look: {
					en: "The line carries the nonce like the page's other scripts, and needs nothing more.",
					zh: "这行代码和其他脚本一样带上 nonce 即可，别无他求。",
				},
			},
			{
				path: "/isolated.html",
				title: { en: "Cross-origin isolated", zh: "跨源隔离" },
				shows: {
					en: "This page is cross-origin isolated (COEP): what does not say that it may be loaded here is not.",
					zh: "本页是跨源隔离的（COEP）：没有声明可以被加载的资源一律不加载。",
				},
				look: {
					en: "The line below the heading says that the isolation holds, and the chat opens all the same.",
					zh: "标题下的一行说明隔离有效，而聊天照样能打开。",
				},
			},
			{
				path: "/hostile.html",
				title: { en: "Hostile styles", zh: "不友好的样式" },
				shows: {
					en: "A style sheet resets, shrinks and hides everything that it can reach.",
					zh: "样式表会重置、缩小并隐藏它够得着的一切。",
				},
				look: {
					en: "The page looks broken on purpose, and the chat looks as it does elsewhere.",
					zh: "页面是故意弄坏的，而聊天看起来和别处一样。",
				},
			},
		],
	},
	{
		title: { en: "Where it does not show", zh: "哪里不显示" },
		stops: [
			{
				path: "/unlisted.html",
				site: "unlisted",
				title: { en: "A site that is not listed", zh: "未列入的网站" },
				shows: {
					en: "The same line on a site that Mira has not allowed shows nothing at all.",
					zh: "同一行代码放在 Mira 没有允许的网站上，什么也不显示。",
				},
				look: {
					en: "Open the browser's console: one line says what is missing and how the owner allows it.",
					zh: "打开浏览器控制台：有一行说明缺什么，以及主人怎样允许它。",
				},
			},
			{
				path: "/blocked.html",
				site: "blocked",
				title: { en: "A site that is blocked", zh: "被屏蔽的网站" },
				shows: {
					en: "Mira has blocked this site: the line on it shows nothing, whatever else her list allows.",
					zh: "Mira 屏蔽了这个网站：不管她的列表还允许什么，这里的代码都不显示任何东西。",
				},
				look: {
					en: "Nobody is told on the page; the console says it in one line, and unlike a site that is not listed, this one never waits for Mira's word again.",
					zh: "页面上不会有任何提示，只有控制台里有一行说明；它也不像未列入的网站那样再等 Mira 决定。",
				},
			},
			{
				path: "/stranger.html",
				site: "unlisted",
				title: { en: "A stranger's frame", zh: "陌生人的框架" },
				shows: {
					en: "A site that is not allowed tries to frame the chat, and then a whole page that has it.",
					zh: "一个未被允许的网站试图嵌入聊天，再试图嵌入带聊天的整个页面。",
				},
				look: {
					en: "The browser itself refuses the first, and the second shows the page without the chat.",
					zh: "第一个被浏览器本身拒绝，第二个只显示页面而没有聊天。",
				},
			},
		],
	},
	{
		title: { en: "Where scripts cannot run", zh: "不能运行脚本的地方" },
		stops: [
			{
				path: "/readme.html",
				title: { en: "A badge in a README", zh: "README 里的徽章" },
				shows: {
					en: "This page runs no script: the badge is a picture that links to the chat page.",
					zh: "本页不运行脚本：徽章是一张图片，链接到聊天页面。",
				},
				look: {
					en: "There are three sizes, two themes and two languages, and a click opens the chat as a page of its own.",
					zh: "有三种大小、两种主题、两种语言；点一下，聊天就作为单独页面打开。",
				},
			},
			{
				path: "/live.html",
				title: { en: "A badge that comes alive", zh: "变活的徽章" },
				shows: {
					en: "Where the line is on the page too, the badge becomes the live button.",
					zh: "如果页面上也有那行代码，徽章就会变成实时按钮。",
				},
				look: {
					en: "It gains the green dot and opens the chat here; without JavaScript it stays the picture and the link.",
					zh: "它多了绿点，并就地打开聊天；没有 JavaScript 时仍是图片和链接。",
				},
			},
			{
				path: "/mail.html",
				title: { en: "A badge in an e-mail", zh: "邮件里的徽章" },
				shows: {
					en: "An e-mail shows no SVG and runs no script, so its signature has the badge as a PNG.",
					zh: "邮件不显示 SVG 也不运行脚本，所以签名里的徽章是 PNG。",
				},
				look: {
					en: "The picture is sharp on fine screens, and its link leads to the chat page.",
					zh: "图片在高分辨率屏幕上清晰，链接通往聊天页面。",
				},
			},
		],
	},
	{
		title: { en: "From your own code", zh: "用你自己的代码" },
		stops: [
			{
				path: "/api.html",
				title: { en: "The JavaScript API", zh: "JavaScript 接口" },
				shows: {
					en: "The page's own buttons open, close, send and change the theme.",
					zh: "页面自己的按钮可以打开、关闭、发送、切换主题。",
				},
				look: {
					en: "Press one and read in the list below what the chat said happened.",
					zh: "按一个，在下方列表里看聊天报告了什么。",
				},
			},
		],
	},
];

/** All stops, in order. */
export const STOPS: readonly Stop[] = TOUR.flatMap((group) => group.stops);
