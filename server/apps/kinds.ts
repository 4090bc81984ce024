/** The kinds of app, by the name that an owner types. Data only: whoever names them need not load what reaches them. */

export interface KindFacts {
	/** What an owner gives: the address of what is reached, or a key of the service. */
	needs: "address" | "key";
	/** Whoever has what is given may read what the desk may: it stands in a file, not in a shell's history. */
	secret: boolean;
}

export const KINDS = {
	ical: { needs: "address", secret: true },
	searxng: { needs: "address", secret: false },
	brave: { needs: "key", secret: true },
	tavily: { needs: "key", secret: true },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

export const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name);
