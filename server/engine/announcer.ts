/** Tells several listeners one thing. `on` gives what ends the listening. */
export class Announcer<T> {
	private readonly listeners = new Set<(what: T) => void>();

	on(listener: (what: T) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	tell(what: T): void {
		for (const listener of this.listeners) listener(what);
	}
}
