/** ListTasks' page tokens: sealed and encrypted, bound to who asked and to what was asked; anything else reads as one and the same refusal (reliability.md 95). */
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { DeskError } from "../../shared/errors.js";
import type { Random } from "./ports.js";

const LIFE_MS = 24 * 60 * 60 * 1000;

export interface PagePosition {
	statusAt: number;
	id: number;
}

export class PageTokens {
	private readonly key: Buffer;
	constructor(
		secret: string,
		private readonly random: Random,
	) {
		this.key = createHash("sha256").update(`page ${secret}`).digest();
	}

	/** `scope` names the caller, the desk and the filters: a token is good for nothing else. */
	write(scope: string, position: PagePosition, now: number): string {
		const iv = Buffer.from(this.random.bytes(12));
		const cipher = createCipheriv("aes-256-gcm", this.key, iv);
		cipher.setAAD(Buffer.from(scope));
		const body = Buffer.concat([cipher.update(JSON.stringify([position.statusAt, position.id, now + LIFE_MS])), cipher.final()]);
		return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
	}

	read(scope: string, token: string, now: number): PagePosition {
		const refused = new DeskError("invalid_params", "This pageToken is not good here. Ask for the first page again, without one.", {
			violations: [{ field: "pageToken", description: "Not a token of this listing." }],
		});
		const bytes = Buffer.from(token, "base64url");
		if (bytes.length < 29) throw refused;
		try {
			const decipher = createDecipheriv("aes-256-gcm", this.key, bytes.subarray(0, 12), { authTagLength: 16 });
			decipher.setAAD(Buffer.from(scope));
			decipher.setAuthTag(bytes.subarray(12, 28));
			const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
			const [statusAt, id, until] = JSON.parse(text) as [number, number, number];
			if (until <= now) throw refused;
			return { statusAt, id };
		} catch {
			throw refused;
		}
	}
}
