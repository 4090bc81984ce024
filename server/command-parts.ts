/** What the commands of every noun share: how they reach a desk, and how they say a time and a number. */
import type { Admin } from "./admin.js";
import type { Config } from "./config.js";

export interface Commands {
	print(line: string): void;
	complain(line: string): void;
	/** Asks the server that runs on DATA_DIR, or else opens the store for as long as it takes. */
	withDesk(work: (admin: Admin, config: Config) => Promise<void>): Promise<void>;
	/** How whoever reads a hint calls this program. */
	self: string;
}

export const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
export const countOf = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
