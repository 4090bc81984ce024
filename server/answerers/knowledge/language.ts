/** Which of the two languages a text is in. Pure. */

export type Language = "en" | "zh";

/** Chinese characters against words of other scripts; null where there are neither (signs, figures). Japanese and Korean get English. */
export function languageOf(text: string): Language | null {
	if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return "en";
	const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
	const words = text.match(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2,}/gu)?.length ?? 0;
	if (han === 0 && words === 0) return null;
	return han >= words ? "zh" : "en";
}
