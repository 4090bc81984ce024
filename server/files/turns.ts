/**
 * Whose turn it is where one thing at a time is done for many: each sender has a line of its own, and the lines are served in turn, so
 * whoever sends much waits for itself and costs everybody else one piece of work. Pure.
 */

interface Waiting {
	work: () => Promise<void>;
	sendAway: () => void;
}

export class Turns {
	/** By sender, in the order in which they are served; the sender of what is being done stays in it, at the head. */
	private readonly lines = new Map<string, Waiting[]>();
	private isAtWork = false;
	private held = 0;

	/** `most`: so much waits or is being done at a time. `full`: what those are told who are sent away. */
	constructor(
		private readonly most: number,
		private readonly full: () => Error,
	) {}

	/**
	 * Does it when its turn comes, and answers what it answers. Where all places are taken, whoever holds more of them than `sender` would gives
	 * the last one up; where nobody does, this one is sent away. Rejects with `full()` for what is sent away.
	 */
	take<T>(sender: string, work: () => Promise<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			const line = this.lines.get(sender) ?? [];
			if (this.held >= this.most) {
				const longest = [...this.lines.values()].reduce((one, other) => (other.length > one.length ? other : one), line);
				const last = longest.length > line.length + 1 ? longest.pop() : undefined;
				if (!last) return reject(this.full());
				this.held--;
				last.sendAway();
			}
			this.held++;
			const toItsEnd = async (): Promise<void> => {
				try {
					resolve(await work());
				} catch (error) {
					reject(error);
				}
			};
			line.push({ work: toItsEnd, sendAway: () => reject(this.full()) });
			this.lines.set(sender, line);
			void this.serve();
		});
	}

	private async serve(): Promise<void> {
		if (this.isAtWork) return;
		this.isAtWork = true;
		for (let next = this.first(); next; next = this.first()) {
			const { sender, line } = next;
			await line.shift()?.work();
			this.held--;
			// To the end: whoever came meanwhile is served before this sender's next one.
			this.lines.delete(sender);
			if (line.length > 0) this.lines.set(sender, line);
		}
		this.isAtWork = false;
	}

	private first(): { sender: string; line: Waiting[] } | undefined {
		for (const [sender, line] of this.lines) return { sender, line };
		return undefined;
	}
}
