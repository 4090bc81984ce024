/** What a suite of this folder is: a name, what it shows, and checks that it makes one after another, each with a deadline. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Seeded, seeded } from "../seeded.js";
import type { MutantName } from "./broken.js";
import { type Breach, summary } from "./checker.js";
import { lately, type NodeOptions, Place } from "./node.js";
import { within } from "./time.js";

export interface Suite {
	name: string;
	/** One line: what is shown, and for which guarantee. */
	what: string;
	run(trial: Trial): Promise<void>;
}

/** One run of one suite. */
export class Trial {
	passed = 0;
	failed = 0;
	readonly random: Seeded;
	private readonly ends: (() => unknown)[] = [];
	private folders = 0;
	readonly folder = mkdtempSync(join(tmpdir(), "chaos-"));

	constructor(
		readonly suite: Suite,
		readonly entry: string,
		readonly long: boolean,
		readonly seed: number,
	) {
		this.random = seeded(seed);
	}

	/** A number for a person. */
	say(line: string): void {
		console.log(`    ${line}`);
	}

	/** Makes one check. Its failure is told with the seed, and the next one is made. */
	async check(name: string, deadlineMs: number, body: () => Promise<void>): Promise<void> {
		const began = Date.now();
		lately.length = 0;
		try {
			await within(deadlineMs, "the end of the check", body());
			this.passed++;
			console.log(`  ✓ ${name} (${((Date.now() - began) / 1_000).toFixed(1)} s)`);
		} catch (error) {
			this.failed++;
			console.log(
				`  ✗ ${name} (seed ${this.seed}, ${this.folder})\n${indent(error instanceof Error ? (error instanceof Breached ? error.message : (error.stack ?? error.message)) : String(error))}`,
			);
			for (const line of lately) console.log(indent(`a server said: ${line.split("\n", 2).join(" ")}`));
		} finally {
			for (const end of this.ends.splice(0).reverse()) await Promise.resolve(end()).catch?.(() => undefined);
		}
	}

	/** Called when the check that is being made has ended, however. */
	onEnd(end: () => unknown): void {
		this.ends.push(end);
	}

	/** A folder of its own. */
	newFolder(): string {
		const path = join(this.folder, String(++this.folders));
		mkdirSync(path, { mode: 0o700 });
		return path;
	}

	/** A place for servers, closed at the end of the check. */
	place(options: NodeOptions): Place {
		const place = new Place(this.entry, options);
		this.onEnd(() => place.close());
		return place;
	}

	/** Removes what it made, unless something failed. */
	end(): void {
		if (this.failed === 0) rmSync(this.folder, { recursive: true, force: true });
	}
}

const indent = (text: string): string =>
	text
		.split("\n")
		.map((line) => `      ${line}`)
		.join("\n");

class Breached extends Error {}

/** Throws where something was found. */
export function none(found: readonly Breach[]): void {
	if (found.length > 0) throw new Breached(summary(found));
}

/** Throws where a broken server was not found out, or by another rule than it breaks. */
export function caught(mutant: MutantName, found: readonly Breach[], rules: readonly string[]): void {
	if (!found.some(({ rule }) => rules.includes(rule))) {
		throw new Breached(
			`a server that "${mutant}" was not found out by ${rules.join(" or ")}${found.length > 0 ? `, only by:\n${summary(found)}` : ""}`,
		);
	}
}
