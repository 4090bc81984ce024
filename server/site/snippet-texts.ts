/** What the page that makes a line says, in English and Chinese. It is the guide to the attributes as well. */
import { GREETING_CHARS, type Mode, type Size, type Theme } from "../../shared/embed.js";
import type { WrongField } from "./snippet-line.js";
import type { Language } from "./texts.js";

interface Field {
	label: string;
	hint: string;
}

interface SnippetTexts {
	title: string;
	lead: string;
	other: string;
	handle: Field;
	noHandle: string;
	noDesk: (handle: string) => string;
	failed: string;
	nobody: string;
	embed: Field;
	mode: Field;
	modes: Record<Mode, string>;
	size: Field;
	sizes: Record<Size, string>;
	selector: Field;
	height: Field;
	theme: Field;
	themes: Record<Theme, string>;
	accent: Field;
	lang: Field;
	langs: Record<Language | "", string>;
	greeting: Field;
	greetingText: Field;
	z: Field;
	view: string;
	views: Record<"wide" | "phone", string>;
	page: string;
	pages: Record<"light" | "dark", string>;
	more: string;
	show: string;
	copy: string;
	copied: string;
	wrong: Record<WrongField, string>;
	preview: string;
	previewHow: string;
	line: string;
	lineHow: string;
	check: string;
	keep: string;
	keepHow: string;
	badge: string;
	badgeHow: string;
	badges: { markdown: string; html: string; mail: string; link: string };
	alt: string;
	where: string;
	whereHow: string;
	/** Where to paste the line: a place, how, and `managed` where the line is another one there. */
	places: readonly (readonly [string, string, "managed"?])[];
	ask: string;
}

export const SNIPPET: Record<Language, SnippetTexts> = {
	en: {
		title: "Make your line",
		lead: "Choose how the chat looks, try it in the preview, and copy the line. One line is all that your page needs.",
		other: "中文",
		handle: { label: "Desk", hint: "data-handle: which desk answers." },
		noHandle: "Say which desk: its handle, such as mira. Until then there is no line to copy.",
		noDesk: (handle) => `There is no desk ${handle} on this server that takes questions. Look at its handle again.`,
		failed: "The server did not answer, so there is no line to copy at this moment. Try again:",
		nobody: "No desk has been opened on this server yet. Make one with: npx earthonline owner create anna",
		embed: {
			label: "Number",
			hint: "data-embed: the look is kept at the desk under this number, and changes there. Leave it empty to choose here.",
		},
		mode: { label: "Way of showing", hint: "data-mode" },
		modes: {
			floating: "Floating: a face in the corner",
			pet: "Pet: the agent itself, to be moved",
			button: "Button: where the line stands",
			inline: "Inline: the chat in the page",
		},
		size: { label: "Size", hint: "data-size: of a button, and of the badge below." },
		sizes: { small: "Small", medium: "Medium", large: "Large" },
		selector: {
			label: "Element of your own",
			hint: "data-selector: a button that your page already has, by its id, such as #ask. Then the line shows nothing itself.",
		},
		height: { label: "Height", hint: "data-height: pixels; 600 where it is empty." },
		theme: { label: "Theme", hint: "data-theme" },
		themes: { auto: "Follows your page", light: "Light", dark: "Dark" },
		accent: { label: "Colour", hint: "data-accent: such as #a8532b, for the button and the visitor's words. Text on it stays readable." },
		lang: { label: "Language", hint: "data-lang: of the chat's own words." },
		langs: { "": "The visitor's", en: "English", zh: "中文" },
		greeting: { label: "Greet", hint: "data-greeting: a short hello beside the face after a few seconds, once a visitor." },
		greetingText: { label: "Words of the greeting", hint: `At most ${GREETING_CHARS} characters; the usual ones where it is empty.` },
		z: { label: "Place in the stack", hint: "data-z: a z-index, where something of yours should stand above it." },
		view: "Seen on",
		views: { wide: "a computer", phone: "a phone" },
		page: "Your page is",
		pages: { light: "light", dark: "dark" },
		more: "More",
		show: "Show",
		copy: "Copy",
		copied: "Copied",
		wrong: {
			embed: "There is no embed of that number at this desk. Give one that is there, such as 1.",
			selector: "Give an id with its sign, such as #ask.",
			height: "Give a number of pixels from 200 up, such as 600.",
			accent: "Give a colour such as #a8532b.",
			greeting_text: `Give at most ${GREETING_CHARS} characters.`,
			z: "Give a whole number such as 10.",
		},
		preview: "Preview",
		previewHow: "This is the chat itself: what you ask here is really asked.",
		line: "Your line",
		lineHow: "Paste it just before </body>; for a button or an inline chat, where it shall stand.",
		check: "Check whether it shows on your site",
		keep: "Keep the look at the desk instead",
		keepHow:
			"Then the line holds a number only, and a later change of the look shows without pasting anything again. The desk's owner runs this and gets the number:",
		badge: "Where scripts cannot run",
		badgeHow:
			"In a README, an e-mail, a profile: a picture that leads to the chat. On a page that has the line too it becomes the live button.",
		badges: { markdown: "Markdown, for a README", html: "HTML, for a page", mail: "HTML, for an e-mail (PNG)", link: "Only the link" },
		alt: "Chat with my agent",
		where: "Where to paste it",
		whereHow: "Most builders show custom code on the published page only, and some on a paid plan only.",
		places: [
			[
				"WordPress",
				"Add a Custom HTML block where it shall stand. For every page, put it in the theme's footer part (Appearance, Editor), or use a plugin for footer code.",
			],
			["Webflow", "Site settings, Custom code, Footer code. For one spot on a page, the Code Embed element. Then publish."],
			["Framer", "Site settings, Custom code, End of <body> tag. For one spot, the Embed component with HTML. Then publish."],
			["Squarespace", "Settings, Code injection, Footer. For one spot on a page, a Code block."],
			[
				"Wix",
				"Settings, Custom code, Add custom code, place it in Body - end. Inline does not work in Wix's HTML element, which is a frame of another site.",
			],
			["A tag manager", "A Custom HTML tag. Where it drops data- attributes, take this line, which has them in its address:", "managed"],
			[
				"A page of your own",
				"In the HTML, before </body>. In React, Vue or Svelte: in index.html, once; it stays while your router swaps pages.",
			],
		],
		ask: "Ask who cares for the site, where it is not you, to paste the line.",
	},
	zh: {
		title: "生成你的代码",
		lead: "选择聊天的样子，在预览里试一试，然后复制代码。你的页面只需要这一行。",
		other: "English",
		handle: { label: "前台", hint: "data-handle：由哪个前台回答。" },
		noHandle: "请填写是哪个前台：它的名字，例如 mira。填好之前没有代码可以复制。",
		noDesk: (handle) => `这台服务器上没有接受提问的前台 ${handle}。请再看看它的名字。`,
		failed: "服务器没有回答，所以现在没有代码可以复制。请再试一次：",
		nobody: "这台服务器上还没有前台。用这条命令开一个：npx earthonline owner create anna",
		embed: { label: "编号", hint: "data-embed：外观以这个编号保存在前台，也在那里修改。想在这里选择就留空。" },
		mode: { label: "展示方式", hint: "data-mode" },
		modes: {
			floating: "悬浮：角落里的头像",
			pet: "宠物：智能体自己，可以移动",
			button: "按钮：就在代码所在处",
			inline: "嵌入：聊天就在页面里",
		},
		size: { label: "大小", hint: "data-size：按钮的，以及下面徽章的。" },
		sizes: { small: "小", medium: "中", large: "大" },
		selector: { label: "你自己的元素", hint: "data-selector：页面已有的按钮，用 id 指定，例如 #ask。这时代码本身不显示任何东西。" },
		height: { label: "高度", hint: "data-height：像素；留空为 600。" },
		theme: { label: "主题", hint: "data-theme" },
		themes: { auto: "跟随你的页面", light: "浅色", dark: "深色" },
		accent: { label: "颜色", hint: "data-accent：例如 #a8532b，用于按钮和访客的话。上面的文字始终清晰。" },
		lang: { label: "语言", hint: "data-lang：聊天界面的语言。" },
		langs: { "": "访客的语言", en: "English", zh: "中文" },
		greeting: { label: "问候", hint: "data-greeting：几秒后在头像旁说一句简短的问候，每位访客一次。" },
		greetingText: { label: "问候的话", hint: `最多 ${GREETING_CHARS} 个字符；留空用默认的话。` },
		z: { label: "叠放次序", hint: "data-z：z-index，当你的某个东西应该在它上面时使用。" },
		view: "在哪里看",
		views: { wide: "电脑", phone: "手机" },
		page: "你的页面是",
		pages: { light: "浅色", dark: "深色" },
		more: "更多",
		show: "显示",
		copy: "复制",
		copied: "已复制",
		wrong: {
			embed: "这个前台没有这个编号的嵌入。请填存在的编号，例如 1。",
			selector: "请填带 # 的 id，例如 #ask。",
			height: "请填 200 以上的像素数，例如 600。",
			accent: "请填颜色，例如 #a8532b。",
			greeting_text: `最多 ${GREETING_CHARS} 个字符。`,
			z: "请填整数，例如 10。",
		},
		preview: "预览",
		previewHow: "这就是聊天本身：在这里问的会真的问到。",
		line: "你的代码",
		lineHow: "粘贴在 </body> 之前；按钮和嵌入的聊天则粘贴在它该在的地方。",
		check: "检查它能否在你的网站显示",
		keep: "把外观保存在前台",
		keepHow: "这样代码里只有编号，以后改外观不用重新粘贴。前台的主人运行这条命令就能得到编号：",
		badge: "不能运行脚本的地方",
		badgeHow: "在 README、邮件、个人资料里：一张通往聊天的图片。在也有那行代码的页面上，它会变成实时按钮。",
		badges: { markdown: "Markdown，用于 README", html: "HTML，用于页面", mail: "HTML，用于邮件（PNG）", link: "只要链接" },
		alt: "与我的智能体聊天",
		where: "粘贴在哪里",
		whereHow: "多数建站工具只在发布后的页面上运行自定义代码，有些还需要付费方案。",
		places: [
			["WordPress", "在它该在的地方加一个“自定义 HTML”区块。想每页都有，放进主题的页脚部分（外观，编辑器），或用页脚代码插件。"],
			["Webflow", "Site settings，Custom code，Footer code。只放一处就用 Code Embed 元素。然后发布。"],
			["Framer", "Site settings，Custom code，End of <body> tag。只放一处就用 Embed 组件的 HTML。然后发布。"],
			["Squarespace", "Settings，Code injection，Footer。只放一处就用 Code block。"],
			["Wix", "Settings，Custom code，Add custom code，位置选 Body - end。Wix 的 HTML 元素是另一个网站的框架，嵌入方式在其中不可用。"],
			["代码管理器（Tag manager）", "Custom HTML 标签。如果它会丢掉 data- 属性，请用下面这行，属性写在地址里：", "managed"],
			["自己写的页面", "放在 HTML 的 </body> 之前。用 React、Vue 或 Svelte 时放在 index.html 里，一次即可；路由切换页面时它会留着。"],
		],
		ask: "如果网站不是你在打理，就请打理的人粘贴这一行。",
	},
};
