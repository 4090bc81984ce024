/** The rules that `lenient-writer.ts` can forget, and the variable that says which. */
export const LENIENT = ["pinned", "now", "site", "elsewhere", "decided", "contradicted"] as const;
export type LenienceName = (typeof LENIENT)[number];
export const LENIENCE = "LENIENCE";
