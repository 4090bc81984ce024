/** What must hold after every case of bad input, wherever it went in. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What may stand in no answer: stacks, paths, names of our errors and of the parts that we are made of. */
const INSIDES =
	/\n\s+at |\bat \S+ \(|node_modules|\.(?:ts|js|mjs):\d+|node:internal|\/(?:tmp|home|root|usr|work|var)\/|SQLITE|Sqlite|better-sqlite|ZodError|TypeError|RangeError|SyntaxError|ReferenceError|is not a function|Cannot read prop|Unexpected token|select \w+ from|\[object Object\]/;

/** The part of an answer that tells of our insides, or undefined. */
export const insidesIn = (text: string): string | undefined => INSIDES.exec(text)?.[0];

const OWN = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype, Promise.prototype];
const shape = (): string => OWN.map((prototype) => Reflect.ownKeys(prototype).length).join();
const SHAPE = shape();

/** Whether what came in has got into the prototypes that everything shares. Takes it out again, so that the next case is not blamed. */
export function polluted(): boolean {
	const hit = shape() !== SHAPE || "polluted" in {};
	if (hit) {
		for (const prototype of OWN) {
			for (const key of Reflect.ownKeys(prototype))
				if (Object.getOwnPropertyDescriptor(prototype, key)?.enumerable) Reflect.deleteProperty(prototype, key);
		}
	}
	return hit;
}

/** Milliseconds that this process has worked. */
export function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap in use, after everything was collected that can be. */
export function heapBytes(): number {
	for (let i = 0; i < 3; i++) collect();
	return process.memoryUsage().heapUsed;
}
