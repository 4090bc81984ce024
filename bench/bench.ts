/** What a bench is, and what it is given. `run.ts` has the table of them. */
import type { Row } from "./measure.js";
import type { Programs } from "./programs.js";

export interface Bench {
	/** As it is asked for on the command line. */
	name: string;
	run(run: Run): Promise<Row[]>;
}

export interface Run {
	/** How often each side is taken. */
	pairs: number;
	/** The peers are wanted too. */
	peers: boolean;
	programs: Programs;
}
