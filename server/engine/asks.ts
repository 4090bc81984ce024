/**
 * Decides from its words whether a reply asks the caller something, which makes its task INPUT_REQUIRED (requirements.md
 * A2A-8; design.md, "INPUT_REQUIRED"). Pure. It reads a reply as a person sees it, markdown undone: the last sentence
 * must end in ? or ？ and be no courtesy. What stands after a question without being a sentence of its own (an emoji, a
 * signature, a thank-you, a bracket, the options to choose from) does not hide it, nor does a courtesy.
 */

/** What a reply is read for: its end. A question further up than this is not what it ends in. */
const TAIL_CHARS = 4_000;
/** Longer sentences are nobody's courtesy. */
const COURTESY_CHARS = 120;

/** A sentence as it is seen. `title`: a heading or a line all bold; `item`: of a list; `other`: quoted from elsewhere, a table, code. */
interface Sentence {
	text: string;
	kind: "prose" | "title" | "item" | "other";
}

/**
 * @param reply a whole reply in markdown.
 * @returns whether whoever gets it is being asked something.
 */
export function asksCaller(reply: string): boolean {
	const sentences = sentencesOf(reply);
	let options = false;
	for (let i = sentences.length - 1; i >= 0; i--) {
		const { text, kind } = sentences[i] as Sentence;
		if (kind === "other") return false;
		if (isBeside(text)) continue;
		if (!isQuestion(text)) {
			if (kind !== "item") return false;
			options = true;
			continue;
		}
		if (isCourtesy(text)) continue;
		// Over a list, a title in the form of a question ("What to bring?") is answered by the list itself.
		return !(options && kind === "title") && !isReported(text);
	}
	return false;
}

// Reading markdown ------------------------------------------------------------------------------------------------------

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const SIGNATURE = /^(?:—|–|--|~|～)\s*[^?？.。!！]{1,40}$/u;
const CLOSING =
	/^(?:(?:with )?(?:best|kind|warm|many)?\s*(?:regards|wishes|thanks)|best|cheers|sincerely|warmly|thanks(?: a lot| so much| in advance)?|thank you(?: very much| so much| in advance)?|yours|谢谢您?|谢谢你|感谢|多谢|祝好|此致|敬礼|先谢谢了?)$/i;

function sentencesOf(reply: string): Sentence[] {
	const lines = reply.split(/\r?\n/);
	const seen: Sentence[][] = [];
	let fence = "";
	let chars = 0;
	const isCode: boolean[] = [];
	for (const line of lines) {
		const mark = FENCE.exec(line)?.[1] ?? "";
		if (fence === "" && mark !== "") fence = mark;
		else if (fence !== "" && mark.startsWith(fence) && line.trim() === mark) {
			fence = "";
			isCode.push(true);
			continue;
		}
		isCode.push(fence !== "");
	}
	for (let i = lines.length - 1; i >= 0 && chars < TAIL_CHARS; i--) {
		const line = (lines[i] as string).slice(-TAIL_CHARS);
		chars += line.length + 1;
		if (line.trim() !== "") seen.push(isCode[i] ? [{ text: line, kind: "other" }] : readLine(line));
	}
	return withoutSignature(seen.reverse().flat());
}

function readLine(line: string): Sentence[] {
	const raw = line.trim();
	if (/^(?:>|\|)/.test(raw)) return [{ text: raw, kind: "other" }];
	if (/^(?:[-*_] ?){3,}$/.test(raw)) return [];
	const item = /^(?:[-*+]|\d{1,3}[.)、]|[a-zA-Z][.)])\s+(?:\[[ xX]\]\s+)?/.exec(raw);
	const heading = /^#{1,6}\s+/.exec(raw);
	const body = raw.slice(item?.[0].length ?? heading?.[0].length ?? 0);
	const title = heading !== null || (/^(?:\*\*|__).+(?:\*\*|__)$/.test(body) && !body.slice(2, -2).includes("**"));
	const kind = item ? "item" : title ? "title" : "prose";
	return split(plain(body)).map((text) => ({ text, kind }));
}

/** The words that are seen: link texts without addresses, no images, tags, note marks or emphasis; inline code is one word. */
function plain(markdown: string): string {
	return markdown
		.replace(/`+[^`]*`+/g, "x")
		.replace(/!\[[^\]]{0,500}\]\([^)]{0,500}\)/g, "")
		.replace(/\[([^\]]{0,500})\]\([^)]{0,500}\)/g, "$1")
		.replace(/\[\^?\d{1,3}\]|【\d{1,3}】/g, "")
		.replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, " ")
		.replace(/\bhttps?:\/\/[^\s<>()，。？！]+/g, (url) => `link${/[?!.]*$/.exec(url)?.[0] ?? ""}`)
		.replace(/\*+|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, "")
		.trim();
}

/** Sentences with their own closing quotes and brackets. */
function split(text: string): string[] {
	const sentences: string[] = [];
	let from = 0;
	for (const end of text.matchAll(/(?:[!?！？。…]+|\.+(?=[\s"'”’»)\]）】」』]|$))["'”’»)\]）】」』]*/g)) {
		const to = end.index + end[0].length;
		sentences.push(text.slice(from, to).trim());
		from = to;
	}
	sentences.push(text.slice(from).trim());
	return sentences.filter((s) => s !== "");
}

/** Takes a name from under "Best regards,". */
function withoutSignature(sentences: Sentence[]): Sentence[] {
	const last = sentences.at(-1);
	const before = sentences.at(-2);
	if (!last || !before || last.kind !== "prose") return sentences;
	const isName = last.text.length <= 40 && last.text.split(/\s+/).length <= 4 && !/[?？。.!！]/.test(last.text);
	return isName && CLOSING.test(bare(before.text)) ? sentences.slice(0, -1) : sentences;
}

// Judging a sentence ----------------------------------------------------------------------------------------------------

const QUESTION_END = /[?？]["'”’»)\]）】」』!！?？\s]*$/;
/** An emoji of one code point, or what joins, colours and varies them: the inside of a class, since many are symbols too and a choice between the two could be made in as many ways as there are signs. */
const EMOJI = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}\\u{200d}\\u{fe0f}\\u{20e3}";
const ONLY_SIGNS = new RegExp(`^[\\s\\p{P}\\p{S}${EMOJI}]*$`, "u");
const ONE_EMOJI = new RegExp(`^[~～${EMOJI}]$`, "u");
const EMOTICON = /^[:;=]['-]?[)(DPp3]+$|^\^[_.-]?\^$|^x{2,}$/;

function isQuestion(sentence: string): boolean {
	const signs = [...sentence];
	while (signs.length > 0 && ONE_EMOJI.test(signs.at(-1) as string)) signs.pop();
	return QUESTION_END.test(signs.join(""));
}

/** Not a sentence of its own: signs and emoji, a remark in brackets, a thank-you, a signature. A lone question mark is a sentence. */
function isBeside(sentence: string): boolean {
	if (isQuestion(sentence)) return false;
	return (
		ONLY_SIGNS.test(sentence) ||
		EMOTICON.test(sentence) ||
		/^[(（][^()（）]*[)）][.。]?$/.test(sentence) ||
		SIGNATURE.test(sentence) ||
		CLOSING.test(bare(sentence))
	);
}

/** Lower case, without the punctuation and emoji around it. */
const bare = (sentence: string): string =>
	sentence
		.toLowerCase()
		.replace(/[’`]/g, "'")
		.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

const OPENS_QUESTION =
	/^(?:(?:and|so|but|or|then|also)[ ,]+)*(?:who|what|when|where|which|whose|why|how|do|does|did|is|are|was|were|am|can|could|would|will|shall|should|may|have|has|had)\b|吗|呢|什么|哪|谁|怎|几|多少|是不是|要不要|能不能|是否/i;

/** Somebody else's question, told in quotation marks within a statement: the notes ask “how much?” */
function isReported(sentence: string): boolean {
	const quoted = /^(.*?)(?:["“«「『])[^"“”«»「」『』]*[?？]["”»」』]\W*$/su.exec(sentence);
	if (!quoted) return false;
	const before = bare(quoted[1] as string);
	return before !== "" && !OPENS_QUESTION.test(before);
}

const FOR_YOU =
	"(?: (?:that )?(?:i|we|he|she|\\p{L}+) (?:can|could|may|might|should) (?:help|assist|do|answer|tell|clear|explain|look)\\b.*| (?:that )?you(?:'d| would)? (?:like|want|need|wish)(?: to (?:know|ask|hear|discuss)| help with| from (?:me|us))?(?: about .*)?| on your mind| for you| today| now)?";
const HELP = "(?:help|assist|do for|serve|be of (?:help|service|assistance))";

/** Whole sentences, or the last clause of one. Classes and bounded repeats only: each is tried on at most COURTESY_CHARS characters. */
const COURTESIES: readonly RegExp[] = [
	new RegExp(`^(?:(?:is|was|are) there |do you need |need |can i get you )?(?:anything|something) (?:else|more|further)${FOR_YOU}$`, "u"),
	new RegExp(`^(?:what|how) (?:else )?(?:can|may|could|might|should) (?:i|we) (?:also |else )?${HELP}\\b.*$`),
	/^(?:can|may|could) (?:i|we) (?:help|assist)(?: you)?(?: (?:with|in))?(?: (?:anything|something|any way))?(?: (?:else|more|further|today))*$/,
	/^(?:do(?:es)?|did|has|have) (?:that|this|it|i|we) (?:help(?:ed)?|answer(?:ed)?|ma[dk]e sense|clear(?:ed)?|clarif(?:y|ied))(?: (?:you|your|the|all|questions?|things?|it|that|up|out|at|for))*$/,
	/^(?:is|was|were|are) (?:that|this|it|these|those|everything|all|my answers?) (?:helpful|useful|clear|what you (?:were looking for|needed|wanted|meant)|understandable)(?: (?:to|for) you)?(?: (?:so far|now|enough))?$/,
	/^(?:(?:i )?hope (?:that|this) helps|make sense|makes sense|all clear|everything clear|clear(?: so far)?|got it|understood)$/,
	/^(?:(?:do|did) you (?:still )?have |got |have you )?(?:any |some )?(?:other |more |further )?(?:questions?|doubts)(?: (?:for (?:me|us)|about (?:that|this|it)|so far|i can answer))*$/,
	/^(?:(?:would you like|do you (?:want|need)|want|need|care for|shall i (?:give|tell) you|can i tell you|interested in) )?(?:(?:to (?:know|hear|learn|read|see) )?(?:anything |any |some )?(?:more|further|additional)(?: (?:help|info|information|details?|about (?:that|this|it)))*)$/,
	/^how (?:are you|'?s it going|is it going|do you do|have you been)(?: (?:doing|today|this \p{L}+))*$/u,
	/^(?:who knows|why not|what'?s not to (?:like|love)|how (?:cool|nice|great) is that|isn'?t (?:that|it) (?:great|nice|lovely|wonderful|fun|beautiful)|you (?:know|see)|see)$/,
	// 还有什么可以帮您的吗 · 请问您还需要其他帮助吗 · 有什么我能为您效劳的
	/^(?=.*(?:还|其他|其它|别的|更多|帮|效劳|服务|为[您你]))(?:请问|不知道?|看看|那么?)*[您你]?[还另外]*[有需要想]*[没不]*[什么哪些里啥其他它别的任何更多]+[的问题事情疑需要内容地方信息面是我们可以能够想为帮助到您你忙做了解知道咨询答效劳服务协补充上告诉说明点]*[吗呢么嘛]?$/,
	/^(?:我们?)?还?(?:能|可以|该)?(?:怎么|如何)?(?:为|帮|帮助)(?:到|上)?[您你](?:还)?(?:能|可以)?做?(?:些|点)?(?:什么|啥)?[忙的了吗呢么]*$/,
	/^(?=.*(?:还|其他|其它|别的|问题|疑问))[您你]?还?(?:有没)?有(?:没有)?(?:其他|其它|别的|更多|任何|什么)?的?(?:问题|疑问|事情?|需要)?(?:要问|想问|想了解|想知道)?的?[吗么嘛]?$/,
	/^(?:这样|这|以上|上面|刚才|我)?[些个样的]*(?:回答|解答|解释|信息|说明|内容|说|讲)?[得对能是否有没]*[您你]?的?(?:问题)?(?:有所?帮助|有用|帮到|帮上忙|解决|回答|清楚|明白|懂|理解)(?:了)?[您你]?(?:的?问题)?(?:了)?(?:吗|么|嘛|没有|没)$/,
	/^[您你]?(?:听|看)?(?:清楚|明白|懂|理解)了?(?:吗|么|没有)$/,
	/^[您你]?(?:是否|要不要|想不想)?[还再想要需]*(?:我)?(?:了解|知道|听|看)?(?:一下)?(?:更多|更详细|详细|其他|其它|帮助|帮忙)的?(?:信息|内容|细节|情况|帮助|介绍)?[吗呢么]?$/,
	/^(?:[您你](?:最近)?|最近)(?:好|怎么样|过得好|还好)[吗呀啊]?$/,
];

function isCourtesy(sentence: string): boolean {
	const words = bare(sentence);
	if (words.length > COURTESY_CHARS) return false;
	if (matches(words)) return true;
	const clause = /^(.*)(?:[,;:，；：]|\s[—–-]+\s|——?)(.+)$/su.exec(words);
	if (!clause || !matches(bare(clause[2] as string))) return false;
	return !(clause[1] as string).split(/[,;:，；：]/).some((part) => OPENS_QUESTION.test(bare(part)));
}

function matches(words: string): boolean {
	const english = words.replace(
		/^(?:(?:and|so|but|or|now|well|also|otherwise|then|ok|okay|alright|great|sure|by the way|before you go)[ ,]+)+/,
		"",
	);
	const chinese = words.replace(/\s+/g, "").replace(/^(?:那么?|另外|此外|对了|好的?|嗯)+[，,]?/, "");
	return COURTESIES.some((courtesy) => courtesy.test(english) || courtesy.test(chinese));
}
