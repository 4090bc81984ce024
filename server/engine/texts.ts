/**
 * The server's own words for a task's status, in English and Chinese (requirements.md A2A-8). They are the only words
 * that stand in `status.message` unless a desk's setting says otherwise: what an answerer wrote never reaches it. A new
 * text is a line in the table.
 */
import type { DeskRow } from "./rows.js";

type Language = DeskRow["language"];

/**
 * `waiting`: the owner decides · `ended`: the do-not-disturb sign went up · `expired`: an interrupted task lay idle ·
 * `authorise`: AUTH_REQUIRED · `failed`: the answerer said so or broke · `parked`: a turn that took its process down
 * three times · `interrupted`: an answer is begun anew · `passedOn`: the desk has no words of its own for a person who wrote.
 */
export type StatusText = "waiting" | "ended" | "expired" | "authorise" | "failed" | "parked" | "interrupted" | "passedOn";

const TEXTS: Record<Language, Record<StatusText, (name: string) => string>> = {
	en: {
		waiting: (name) => `Waiting for ${name}`,
		ended: (name) => `${name}'s agent ended this conversation`,
		expired: () => "Expired: no answer within 24 hours",
		authorise: (name) => `${name}'s agent needs your authorisation to go on`,
		failed: (name) => `The answer could not be finished; ${name} can see your message, and you can also send it again`,
		parked: (name) =>
			`The answer broke off several times and was set aside; ${name} can see your message, and you can also send it again in other words`,
		interrupted: () => "The answer was interrupted and is being written again",
		passedOn: (name) => `I have passed your message on to ${name}`,
	},
	zh: {
		waiting: (name) => `正在等待${name}答复`,
		ended: (name) => `${name}的智能体结束了这次对话`,
		expired: () => "已过期：24 小时内没有答复",
		authorise: (name) => `需要您授权，${name}的智能体才能继续`,
		failed: (name) => `这次没能答完。${name}看得到您的消息；您也可以再发一次`,
		parked: (name) => `回答几次中断，已经搁置。${name}看得到您的消息；您也可以换个说法再发一次`,
		interrupted: () => "回答中断了，正在重新写",
		passedOn: (name) => `您的消息已转给${name}`,
	},
};

/** Where an owner has set no name. */
const OWNER: Record<Language, string> = { en: "the owner", zh: "主人" };

/**
 * The fixed words for a status.
 * @param name the owner's name as people read it; empty: "the owner".
 * @returns one plain sentence without a full stop at its end.
 */
export function statusText(text: StatusText, language: Language, name = ""): string {
	const known = name.trim();
	if (language === "zh") return TEXTS.zh[text](spaced(known || OWNER.zh)).trim();
	const words = TEXTS.en[text](known || OWNER.en);
	return known ? words : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Latin letters stand apart from Chinese characters; Chinese names do not. */
function spaced(name: string): string {
	const before = /^[\p{Script=Latin}\p{N}]/u.test(name) ? " " : "";
	const after = /[\p{Script=Latin}\p{N}.]$/u.test(name) ? " " : "";
	return `${before}${name}${after}`;
}
