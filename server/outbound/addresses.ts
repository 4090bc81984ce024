/**
 * Which addresses of a network belong to everybody, told from their bytes: whatever spelling somebody typed has been read
 * before (reliability.md F15, 69, 70). What is not known to be public is not. Pure.
 */
import { parse } from "ipaddr.js";

/** Why an address may not be dialled. `never`: by nobody, whatever an operator says (metadata services, groups, what stands for no host). */
export type Reach = "public" | "private" | "never";

/** First bytes, how many bits of them count, and what they are. */
type Block = readonly [bytes: readonly number[], bits: number, reach: Exclude<Reach, "public">];

const V4: readonly Block[] = [
	[[0], 8, "never"],
	[[10], 8, "private"],
	[[100, 64], 10, "private"],
	[[127], 8, "private"],
	// Link-local; the metadata of most clouds.
	[[169, 254], 16, "never"],
	[[172, 16], 12, "private"],
	[[192, 0, 0], 24, "never"],
	[[192, 0, 2], 24, "never"],
	[[192, 88, 99], 24, "never"],
	[[192, 168], 16, "private"],
	[[198, 18], 15, "never"],
	[[198, 51, 100], 24, "never"],
	[[203, 0, 113], 24, "never"],
	[[224], 4, "never"],
	[[240], 4, "never"],
];

/** Of these alone is IPv6 public: 2000::/3, without what is carved out of it. */
const V6_PUBLIC: Block = [[0x20], 3, "never"];
const V6: readonly Block[] = [
	// Teredo, benchmarks, ORCHID and more of the registry's own.
	[[0x20, 0x01, 0x00], 23, "never"],
	[[0x20, 0x01, 0x0d, 0xb8], 32, "never"],
	// 6to4: an IPv4 address inside.
	[[0x20, 0x02], 16, "never"],
	[[0x3f, 0xff, 0x00], 20, "never"],
];
/** Outside of it and yet somebody's own network. The metadata address of one cloud lies in the second, and is nobody's to dial. */
const V6_PRIVATE: readonly Block[] = [
	[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, "private"],
	[[0xfd, 0x00, 0x0e, 0xc2], 32, "never"],
	[[0xfc], 7, "private"],
];

/** Whether the first bits are a block's. A byte that neither has is 0. */
function within(bytes: ArrayLike<number>, [block, bits]: Block): boolean {
	for (let i = 0; i < bits; i += 8) {
		const mask = bits - i >= 8 ? 0xff : (0xff << (8 - (bits - i))) & 0xff;
		if (((bytes[i / 8] ?? 0) & mask) !== ((block[i / 8] ?? 0) & mask)) return false;
	}
	return true;
}

/** How far an address reaches: 4 bytes of IPv4 or 16 of IPv6. Anything else is `never`. */
export function reachOf(bytes: ArrayLike<number>): Reach {
	if (bytes.length === 4) return V4.find((block) => within(bytes, block))?.[2] ?? "public";
	if (bytes.length !== 16) return "never";
	if (!within(bytes, V6_PUBLIC)) return V6_PRIVATE.find((block) => within(bytes, block))?.[2] ?? "never";
	return V6.find((block) => within(bytes, block))?.[2] ?? "public";
}

/**
 * The bytes of an address as a resolver or a socket writes it: four decimal numbers, or IPv6 without a scope. Undefined for every other
 * spelling; what people typed has passed through `URL`, which knows the old ones.
 */
export function bytesOf(address: string): number[] | undefined {
	const isV4 = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(address);
	if (!isV4 && !/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address)) return undefined;
	try {
		return parse(address).toByteArray();
	} catch {
		return undefined;
	}
}

/** How far an address in text reaches; `never` for what is none. */
export const reachOfText = (address: string): Reach => reachOf(bytesOf(address) ?? []);

/** One spelling for one address. */
export const sameAddress = (a: string, b: string): boolean => {
	const [x, y] = [bytesOf(a), bytesOf(b)];
	return x !== undefined && y !== undefined && x.length === y.length && x.every((byte, i) => byte === y[i]);
};
