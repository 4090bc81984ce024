/** A short soft sound, made and not loaded. Of several tabs that hear of the same thing one makes it. */

/** Milliseconds for which the tab that makes the sound keeps the others from it. */
const HELD_MS = 2_000;

let context: AudioContext | undefined;

/** Silent where the browser wants the visitor to have touched the page first, or knows no locks to choose a tab by. */
export function ring(name: string): void {
	void navigator.locks?.request(name, { ifAvailable: true }, async (lock) => {
		if (!lock) return;
		play();
		await new Promise((resolve) => setTimeout(resolve, HELD_MS));
	});
}

function play(): void {
	context ??= new AudioContext();
	const at = context.currentTime;
	const volume = context.createGain();
	volume.connect(context.destination);
	volume.gain.setValueAtTime(0, at);
	volume.gain.linearRampToValueAtTime(0.08, at + 0.02);
	volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
	for (const [hertz, delay] of [
		[660, 0],
		[880, 0.12],
	] as const) {
		const tone = context.createOscillator();
		tone.frequency.value = hertz;
		tone.connect(volume);
		tone.start(at + delay);
		tone.stop(at + 0.5);
	}
}
