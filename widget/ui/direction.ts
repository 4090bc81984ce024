/** Which way words run. By most of their letters and not by the first one, as `dir="auto"` has it: an Arabic sentence often begins with a Latin name. */

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;
const LEFT_TO_RIGHT = /[A-Za-z\u00c0-\u024f\u0370-\u052f\u3040-\u9fff\uac00-\ud7af]/g;

/** For the `dir` of an element that holds these words; undefined where they say nothing about it. */
export function directionOf(words: string): "rtl" | "ltr" | undefined {
	const right = words.match(RIGHT_TO_LEFT)?.length ?? 0;
	const left = words.match(LEFT_TO_RIGHT)?.length ?? 0;
	if (right === 0 && left === 0) return undefined;
	return right >= left ? "rtl" : "ltr";
}
