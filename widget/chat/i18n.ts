/** Every word that the chat itself says, in the visitor's language. A new word is a line in `en`; the types ask for the others. */
import type { Language } from "../../shared/embed.js";
import { LIMITS } from "../../shared/limits.js";
import type { PictureProblem } from "./attachments.js";
import type { Problem } from "./outbox.js";
import type { Closed } from "./session.js";

const en = {
	/** Label of the box, and what stands in it. */
	write: (name: string) => `Write to ${name}`,
	/** The same while nobody is there to answer. */
	leave: (name: string) => `Leave a question for ${name}`,
	addPicture: "Add a picture",
	dropPicture: "Drop pictures to send them",
	picture: "Picture",
	pictures: "Pictures to send",
	picturesReady: (count: number) => (count === 1 ? "1 picture is ready to send" : `${count} pictures are ready to send`),
	/** A message has gone without them. */
	picturesLeft: (count: number) =>
		count === 1
			? "This picture was not sent with it. Remove it or try again."
			: `These ${count} pictures were not sent with it. Remove them or try again.`,
	uploading: (name: string) => `Uploading ${name}`,
	removePicture: (name: string) => `Remove ${name}`,
	unfit: {
		type: "Only PNG, JPEG and WebP pictures can be sent.",
		size: "This picture is too large. Make it smaller first.",
		broken: "This picture cannot be read. Save it again first.",
		fast: "Too many pictures at once. Wait a minute.",
		trouble: "Not uploaded.",
		many: `A message takes at most ${LIMITS.picturesPerMessage} pictures.`,
	} satisfies Record<PictureProblem, string>,
	thumbs: { up: "Helpful", down: "Not helpful" },
	save: "Save the conversation",
	saved: (name: string, when: string) => `Conversation with ${name}, ${when}`,
	/** In the file, and beside the chat. */
	savedPart: "This is not the whole conversation: the connection was lost before its older messages had come. Save it again.",
	notSaved: "The conversation could not be saved. Try again.",
	popOut: "Open in a tab of its own",
	send: "Send",
	stop: "Stop answering",
	menu: "Menu",
	close: "Close the chat",
	begin: "New conversation",
	sound: "Sound",
	on: "On",
	off: "Off",
	forget: "Forget me in this browser",
	forgetSure: "Really forget? Press again",
	online: "Online",
	offline: "Away",
	personHere: (owner: string) => `${owner} is here`,
	transcript: (name: string) => `Conversation with ${name}`,
	you: "You",
	/** Beside the desk's name where a person has spoken too. */
	agent: "agent",
	suggestions: "Suggestions",
	waiting: "Waiting to be sent",
	sending: "Sending",
	sent: "Sent",
	seen: "Seen",
	problems: {
		fast: "Not sent: too many messages at once. Wait a minute, then try again.",
		long: "Not sent: the message is too long. Send it in parts.",
		closed: "Not sent: this chat no longer takes messages from here.",
		trouble: "Not sent. Try again.",
	} satisfies Record<Problem, string>,
	retry: "Try again",
	discard: "Discard",
	tooLong: (over: number) => `${over} characters too long`,
	writing: (name: string) => `${name} is writing`,
	waitingFor: (owner: string) => `Waiting for ${owner}`,
	/** Before a question while nobody is there, and after one; with when somebody will be, where that is known. */
	isAway: (name: string, until: string | undefined) =>
		until === undefined
			? `${name} is away at the moment. You can leave a question: it is kept and answered here.`
			: `${name} is back ${until}. You can leave a question until then: it is kept and answered here.`,
	queued: (name: string, until: string | undefined) =>
		until === undefined
			? `${name} is away. Your question is kept; the answer will be here when you come back.`
			: `Your question is kept. ${name} is back ${until}; the answer will be here.`,
	interrupted: "Interrupted; writing it again",
	stopped: "Stopped",
	failed: "The answer could not be finished. You can send your message again.",
	ended: (name: string) => `${name} ended this conversation.`,
	connecting: "Connecting…",
	reconnecting: "No connection; trying again. What you write is kept and sent then.",
	noNetwork: "You are offline. What you write is kept and sent once you are back.",
	notKept: "This browser keeps nothing for this chat: when you leave this page, the conversation is gone.",
	understood: "OK",
	closed: {
		forbidden: "This chat is not open here.",
		reload: "This chat has been open for a long time, or somewhere else. Load it anew to go on.",
		sandboxed: "This site keeps the chat from being reached. Open it in a tab of its own.",
	} satisfies Record<Closed, string>,
	reload: "Load anew",
	openTab: "Open in a tab",
	older: "Loading older messages",
	olderFailed: "Older messages could not be loaded.",
	newest: "New messages",
	toEnd: "To the newest message",
	poweredBy: (brand: string) => `Powered by ${brand}`,
	copy: "Copy",
	copied: "Copied",
	file: "File",
	today: "Today",
	yesterday: "Yesterday",
};

export type Words = typeof en;

/** Latin letters stand apart from Chinese characters; Chinese names do not. */
const apart = (name: string): string =>
	`${/^[\p{Script=Latin}\d]/u.test(name) ? " " : ""}${name}${/[\p{Script=Latin}\d.]$/u.test(name) ? " " : ""}`;

const zh: Words = {
	write: (name) => `给${apart(name)}写消息`,
	leave: (name) => `给${apart(name)}留言`,
	addPicture: "添加图片",
	dropPicture: "松开即可发送图片",
	picture: "图片",
	pictures: "待发送的图片",
	picturesReady: (count) => `${count} 张图片可以发送了`,
	picturesLeft: (count) => `${count} 张图片没有随消息发出。请移除或重试。`,
	uploading: (name) => `正在上传${apart(name)}`.trim(),
	removePicture: (name) => `移除${apart(name)}`.trim(),
	unfit: {
		type: "只能发送 PNG、JPEG 和 WebP 图片。",
		size: "图片太大。请先缩小。",
		broken: "无法读取这张图片。请重新保存后再发。",
		fast: "图片太多。请稍等一分钟。",
		trouble: "没有上传成功。",
		many: `一条消息最多 ${LIMITS.picturesPerMessage} 张图片。`,
	},
	thumbs: { up: "有帮助", down: "没有帮助" },
	save: "保存对话",
	saved: (name, when) => `与${apart(name)}的对话，${when}`,
	savedPart: "这不是完整的对话：连接中断，更早的消息没有取到。请重新保存。",
	notSaved: "对话没有保存成功。请再试一次。",
	popOut: "在新标签页中打开",
	send: "发送",
	stop: "停止回答",
	menu: "菜单",
	close: "关闭聊天",
	begin: "新对话",
	sound: "提示音",
	on: "开",
	off: "关",
	forget: "在此浏览器中忘记我",
	forgetSure: "确定忘记？请再按一次",
	online: "在线",
	offline: "离开",
	personHere: (owner) => `${apart(owner)}本人在线`.trim(),
	transcript: (name) => `与${apart(name)}的对话`,
	you: "您",
	agent: "智能体",
	suggestions: "建议的问题",
	waiting: "等待发送",
	sending: "正在发送",
	sent: "已发送",
	seen: "已读",
	problems: {
		fast: "未发送：消息太多。请稍等一分钟再试。",
		long: "未发送：消息太长。请分几次发送。",
		closed: "未发送：这里的聊天已不再接收消息。",
		trouble: "未发送。请再试一次。",
	},
	retry: "重试",
	discard: "丢弃",
	tooLong: (over) => `超出 ${over} 个字符`,
	writing: (name) => `${apart(name)}正在输入`.trim(),
	waitingFor: (owner) => `正在等待${apart(owner)}`.trim(),
	isAway: (name, until) =>
		until === undefined
			? `${apart(name)}暂时不在。您可以留下问题，我们会保留并在这里答复。`.trim()
			: `${apart(name)}将于${apart(until)}回来。在此之前您可以留下问题，我们会保留并在这里答复。`.trim(),
	queued: (name, until) =>
		until === undefined
			? `${apart(name)}暂时不在。您的问题已保留，下次打开时可在这里看到答复。`.trim()
			: `您的问题已保留。${apart(name)}将于${apart(until)}回来，答复会出现在这里。`,
	interrupted: "回答中断了，正在重新写",
	stopped: "已停止",
	failed: "这次没能答完。您可以再发一次消息。",
	ended: (name) => `${apart(name)}结束了这次对话。`.trim(),
	connecting: "正在连接…",
	reconnecting: "连接不上，正在重试。您写的内容会保留，连上后发送。",
	noNetwork: "您已离线。您写的内容会保留，恢复网络后发送。",
	notKept: "此浏览器不为这个聊天保存任何内容：离开本页后，对话将会消失。",
	understood: "好的",
	closed: {
		forbidden: "这里的聊天未开放。",
		reload: "这个聊天已打开很久，或在别处打开过。请重新加载后继续。",
		sandboxed: "本站限制了聊天的连接。请在新标签页中打开。",
	},
	reload: "重新加载",
	openTab: "在新标签页中打开",
	older: "正在加载更早的消息",
	olderFailed: "无法加载更早的消息。",
	newest: "新消息",
	toEnd: "到最新消息",
	poweredBy: (brand) => `由${apart(brand)}提供`,
	copy: "复制",
	copied: "已复制",
	file: "文件",
	today: "今天",
	yesterday: "昨天",
};

/** The words, and how times are written. */
export interface Speech {
	language: Language;
	words: Words;
	/** `10:32`, or `Yesterday 10:32`, or a date: as much as `now` makes needed. Milliseconds since the epoch. */
	when(at: number, now: number): string;
	/** A time to come: `at 14:00` of this day, `on Monday at 09:00` within a week, else with its date. */
	until(at: number, now: number): string;
	/** Day, year and time, whatever today is. */
	whole(at: number): string;
}

export function speech(language: Language): Speech {
	const words = language === "zh" ? zh : en;
	const locale = language === "zh" ? "zh-CN" : "en-GB";
	const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
	const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" });
	const dateOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" });
	const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });
	const dayOf = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
	return {
		language,
		words,
		until(at, now) {
			const days = Math.round((dayOf(at) - dayOf(now)) / 86_400_000);
			const day = days <= 0 ? "" : days < 7 ? weekday.format(at) : date.format(at);
			return language === "zh" ? `${day && `${day} `}${time.format(at)}` : `${day && `on ${day} `}at ${time.format(at)}`;
		},
		whole: (at) => `${dateOfYear.format(at)} ${time.format(at)}`,
		when(at, now) {
			const days = Math.round((dayOf(now) - dayOf(at)) / 86_400_000);
			const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
			const day = days <= 0 ? words.today : days === 1 ? words.yesterday : (sameYear ? date : dateOfYear).format(at);
			return `${day} ${time.format(at)}`;
		},
	};
}

/** The visitor's language: what the tag says, else what the browser does. */
export const languageOf = (wanted: Language | undefined, browser: readonly string[]): Language =>
	wanted ??
	(browser
		.find((tag) => /^(?:en|zh)\b/i.test(tag))
		?.toLowerCase()
		.startsWith("zh")
		? "zh"
		: "en");
