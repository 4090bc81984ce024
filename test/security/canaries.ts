/**
 * Words that nobody else may ever be shown: each is known by whose it is, and everything that somebody is given, in whatever form, is
 * looked at for those that are not theirs. Secrets that the product makes (keys, tokens, sessions) are watched like planted words.
 */
import { createHash } from "node:crypto";

const PLANTED = /canary[a-z]{12}/g;
/** Texts in which something else may stand, unreadable at sight. */
const BASE64 = /[\w+/-]{24,}={0,2}/g;
const ESCAPED = /\\u([0-9a-f]{4})/gi;

/** Who may be shown something. */
export type Readers = (reader: string) => boolean;
export const nobody: Readers = () => false;
export const only =
	(...names: string[]): Readers =>
	(reader) =>
		names.includes(reader);

interface Canary {
	/** What it is, for whoever reads a finding. */
	what: string;
	/** Whether somebody may be shown it, by their name. */
	may: Readers;
}

/** A text as it is, and as it would read once decoded: percent signs, escapes of JSON, base64. */
function readings(text: string): string[] {
	const all = [text];
	if (text.includes("\\u")) all.push(text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));
	if (text.includes("%")) all.push(text.replace(/%[0-9a-f]{2}/gi, (sign) => String.fromCharCode(Number.parseInt(sign.slice(1), 16))));
	const packed = text.match(BASE64);
	if (packed) all.push(packed.map((run) => Buffer.from(run, "base64").toString("latin1")).join("\n"));
	return all;
}

export class Canaries {
	/** Who was shown what of whom, and where: empty when all is well. */
	readonly findings: string[] = [];
	private readonly planted = new Map<string, Canary>();
	private readonly secrets = new Map<string, Canary>();
	private readonly shown = new Map<string, Set<string>>();
	private readonly of = new Map<string, string>();

	/** A new word, which stands for `what`. */
	plant(what: string, may: Readers): string {
		const digest = createHash("sha256").update(String(this.planted.size)).digest();
		const word = `canary${[...digest.subarray(0, 12)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("")}`;
		this.planted.set(word, { what, may });
		return word;
	}

	/** The word that was planted for another, as what belongs to it. */
	foundFor(word: string): string | undefined {
		return this.of.get(word);
	}

	/** A secret that somebody else made, at least 16 characters long. */
	guard(secret: string, what: string, may: Readers): void {
		if (secret.length < 16) throw new Error(`${what} is too short to be told from other words.`);
		this.secrets.set(secret, { what, may });
	}

	/** A new word for what comes of another: for the same readers. */
	plantFor(word: string, what: string): string {
		const made = this.plant(`${what} ${word}`, this.planted.get(word)?.may ?? nobody);
		this.of.set(word, made);
		return made;
	}

	/** Every watched word in a text. */
	in(text: string): string[] {
		const found = new Set<string>();
		for (const reading of readings(text)) {
			for (const [word] of reading.matchAll(PLANTED)) if (this.planted.has(word)) found.add(word);
			for (const secret of this.secrets.keys()) if (reading.includes(secret)) found.add(secret);
		}
		return [...found];
	}

	/** Looks at something that `reader` was given. `where`: how, for a finding. */
	look(reader: string, text: string, where: string): void {
		for (const word of this.in(text)) {
			const { what, may } = (this.planted.get(word) ?? this.secrets.get(word)) as Canary;
			if (may(reader)) this.shown.set(reader, (this.shown.get(reader) ?? new Set()).add(word));
			else this.findings.push(`${reader} was shown ${what}: ${where}`);
		}
	}

	/** Whether a reader has been shown one of theirs. Where nothing was, nothing was looked at. */
	wasShown(reader: string, word: string): boolean {
		return this.shown.get(reader)?.has(word) ?? false;
	}
}
