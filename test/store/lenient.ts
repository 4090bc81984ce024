/** The rules that `lenient-writer.ts` can forget, and the variable that says which. */
export const LENIENT = [
	"pinned",
	"begun anew",
	"now",
	"site",
	"any site",
	"guests",
	"embed",
	"elsewhere",
	"ended",
	"cut off",
	"decided",
	"expired",
	"contradicted",
] as const;
export type LenienceName = (typeof LENIENT)[number];
export const LENIENCE = "LENIENCE";
