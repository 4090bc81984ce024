/**
 * The kind of fact a question asks for: a price, a time, how long, where, how big, how many. A note without such a fact does
 * not answer it, however many of its words it shares. Regular expressions only, linear in their text.
 */

export type Need = "price" | "when" | "duration" | "where" | "size" | "weight" | "count" | "year" | "sale";

const NUMBER = "(?:\\d[\\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|half|[一二两三四五六七八九十百半几]+)";

interface Kind {
	need: Need;
	/** In a question. */
	asks: RegExp;
	/** In a note. */
	says: RegExp;
}

const KINDS: readonly Kind[] = [
	{
		need: "duration",
		asks: /\bhow (?:long|much time|many (?:minutes|hours|days|weeks|months|years))\b|多久|多长时间|几天|几周|几个(?:月|小时|星期)|多少(?:天|周|小时|分钟|年)/iu,
		says: new RegExp(
			`${NUMBER}(?:\\s?(?:-|~|to|or|到|至)\\s?${NUMBER})?[\\s-]*(?:(?:working|business|calendar)\\s)?(?:minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?|个?工作日|分钟|个?小时|天|周|星期|个月|年|日)|since \\d{4}|\\d{4} ?年|\\d{1,2}:\\d{2}`,
			"iu",
		),
	},
	{
		need: "price",
		asks: /\bhow much(?=\s*(?:is|are|was|do|does|did|would|will|should|for|to|it|the|an?|per|each|\p{P}|$)(?![\p{L}]))|\bhow expensive\b|\bwhat (?:does|do|would|will|is|are) .{0,60}\b(?:cost|prices?|fees?)\b|多少钱|几块|几欧|怎么卖|怎么收费|什么价|价格是|价位/iu,
		says: /[€$£¥￥₩]\s?\d|\d\s?(?:€|£|\$|eur\b|euros?\b|usd\b|dollars?\b|pounds?\b|rmb\b|yuan\b|元|块|欧|美元|英镑|人民币|镑)|\d\s?%|\b(?:free|no charge|included in the price)\b|免费|免运费|包邮|\d折|[一二三四五六七八九]折/iu,
	},
	{
		need: "size",
		asks: /\bhow (?:big|large|small|tall|high|wide|deep|thick)\b|\bwhat (?:sizes?|dimensions)\b|\b(?:size|dimensions|diameter|capacity) (?:of|is|are)\b|多大|多高|多宽|多深|尺寸|多少(?:毫升|厘米)|容量/iu,
		says: /\d\s?(?:cm|mm|m|inch(?:es)?|in|ml|l|cl|oz)(?![\p{L}])|\d\s?(?:厘米|毫米|公分|米|毫升|升|寸)|\bA[2-6]\b/iu,
	},
	{
		need: "weight",
		asks: /\bhow heavy\b|\bweighs?\b|\bweight of\b|多重|重量|多少(?:公斤|克|斤)/iu,
		says: /\d\s?(?:kg|g|grams?|kilos?|lbs?|pounds?)(?![\p{L}])|\d\s?(?:公斤|千克|克|斤)/iu,
	},
	{
		need: "count",
		asks: /\bhow many\b|多少(?:个|人|位|件|种|张|名|只)|几(?:个(?!月|小时|星期)|人|件|种|张|位|名|只)/iu,
		// A figure that is no time, date, price or measure.
		says: /(?<![a-z\d:.,€$£¥-])(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|both|alone|[一二两三四五六七八九十]+)(?![\d:.,%°€$£¥+-]|\s?(?:%|°|€|£|am\b|pm\b|ml|cm|mm|kg|g\b|l\b|days?|weeks?|months?|hours?|minutes?|years?|欧|元|块|毫升|厘米|度|点|月|日|年|号|周|天|小时|分|折|楼))/iu,
	},
	{
		need: "where",
		asks: /(?:^|[,.;!?]\s*|\b(?:and|or|so|but|know|me)\s+)(?:from )?where(?:'s|abouts)?\b|哪里|哪儿|在哪|什么地方|何处|哪个(?:城市|国家|地方)|哪条[街路]|几[楼层]/iu,
		says: /\b(?:address|street|road|avenue|square|lane|rua|floor|located|station|stop|online|website|map)\b|\b(?:in|at|from|on|near|to) (?:\p{Lu}|the |our |my |a )|https?:|@|在|位于|地址|路|街|楼|站|附近|来自|产自|的炻土|区/u,
	},
	{
		need: "when",
		asks: /(?:^|[,.;!?]\s*|\b(?:and|or|so|but|know|me|since|until|till|by)\s+)when(?:'s)?\b|\b(?:what|which) (?:time|day|days|date|dates|month|hours)\b|\bhow (?:early|late|soon|often)\b|几点|什么时[候间]|何时|哪[天日]|几号|哪几天|多早|多晚|几月|(?:周|星期|礼拜)几/iu,
		says: /\d{1,2}[:：]\d{2}|\d\s?(?:am|pm)\b|\d\s?点|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:in|until|from|by|of) May\b|\b(?:daily|weekdays?|weekends?|mornings?|afternoons?|evenings?|by appointment|spring|summer|autumn|winter)\b|(?:days?|weeks?|months?|hours?) (?:before|after|later|ahead|in advance|of|from)|\b(?:within|after|before|takes?|ready) .{0,30}\b(?:days?|weeks?|months?|hours?)\b|[周星期礼拜][一二三四五六日天末]|每[天周月]|\d\s?[月日号]|[一二三四五六七八九十]月|上午|下午|晚上|[天周月]前|[天周月]后|工作日|since \d{4}|\d{4}/iu,
	},
	{
		need: "year",
		asks: /\bwhen (?:did|was|were)\b|\b(?:what|which) year\b|哪一?年|什么时[候间].{0,6}(?:开|成立|创办|出生|毕业|开始)的/iu,
		says: /(?<!\d)(?:19|20)\d{2}(?!\d)/u,
	},
	{
		need: "sale",
		asks: /(?:^|\b(?:do|can|could|may|does) (?:you|i|we|she|he|they|\p{Lu}\p{L}+) )(?:also |still |even )?(?:buy|sell|purchase)\b|卖|(?:能|可以|能不能|可不可以|能否).{0,3}买(?![了的])/iu,
		says: /[€$£¥￥]\s?\d|\d\s?(?:€|£|eur\b|euros?\b|usd\b|dollars?\b|元|块|欧|美元|英镑)|\b(?:sell|sells|sold|sale|buy|purchase|wholesale|stock)\b|卖|售|买|购|批发|供货/iu,
	},
];

/** Every kind of fact that a question asks for. "How many weeks" is how long, not how many. */
export function needsOf(question: string): Need[] {
	const needs = KINDS.filter((kind) => kind.asks.test(question)).map((kind) => kind.need);
	return needs.includes("duration") ? needs.filter((need) => need !== "count") : needs;
}

/** Every kind of fact that a note's own text states. */
export const factsOf = (note: string): Need[] => KINDS.filter((kind) => kind.says.test(note)).map((kind) => kind.need);

const ADDRESS =
	/\b(?:address|street|road|avenue|square|lane|rua|calle|via)\b|\p{Lu}\p{L}+(?:gasse|strasse|straße|platz|weg|gade|gatan) \d|(?<!\d)\d{4,6} \p{Lu}\p{Ll}|[路街道]\s?\d+\s?号|位于|地址/u;

/** Whether a note names a place as an address does, whatever it calls it. */
export const namesPlace = (note: string): boolean => ADDRESS.test(note);

/** Whether a note says that something is not done or not to be had: then there is no price, time or place of it either. */
export const denies = (note: string): boolean =>
	/\b(?:do|does|can|may|will|is|are)(?: ?not|n't)\b|\bcannot\b|\bno longer\b|不(?!含|过|同|要)|没有/iu.test(note);

/** Words that only say which kind of fact is meant: "how big" asks for no big thing, "what days" for no days. */
const ASKING =
	/\bhow (?:big|large|small|heavy|long|much|many|often|early|late|soon|expensive|quickly|fast)\b|\b(?:what|which) (?:times?|days?|hours?)\b|(?:周|星期|礼拜)几/giu;
/** How long it takes, and the moment from which that is counted. */
const TAKES = /(\bhow long\b.{0,200})\btakes?\b/giu;
const FROM_ORDER =
	/\b(?:after|from|since) (?:(?:i|we|you) )?(?:(?:the|an?|my|your) )?(?:order(?:ing|ed)?|pay(?:ing|ment)?|paid|purchase)\b|(?:付款|付钱|下单|订购|购买|买)了?(?:之后|以后|后)/giu;

/** A question without the words that only say which kind of fact it asks for. */
export function withoutAsking(question: string): string {
	const rest = question.replace(ASKING, " ").replace(TAKES, "$1");
	return needsOf(question).includes("duration") ? rest.replace(FROM_ORDER, " ") : rest;
}
