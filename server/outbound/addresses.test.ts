import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf, reachOf, reachOfText, sameAddress } from "./addresses.js";

/** The registries' special blocks (IANA, 2025): first and last address, written out. None of them may be dialled. */
const SPECIAL: [string, string][] = [
	["0.0.0.0", "0.255.255.255"],
	["10.0.0.0", "10.255.255.255"],
	["100.64.0.0", "100.127.255.255"],
	["127.0.0.0", "127.255.255.255"],
	["169.254.0.0", "169.254.255.255"],
	["172.16.0.0", "172.31.255.255"],
	["192.0.0.0", "192.0.0.255"],
	["192.0.2.0", "192.0.2.255"],
	["192.88.99.0", "192.88.99.255"],
	["192.168.0.0", "192.168.255.255"],
	["198.18.0.0", "198.19.255.255"],
	["198.51.100.0", "198.51.100.255"],
	["203.0.113.0", "203.0.113.255"],
	["224.0.0.0", "239.255.255.255"],
	["240.0.0.0", "255.255.255.255"],
];
const SPECIAL_V6 = [
	"::",
	"::1",
	"::2",
	"::ffff:8.8.8.8",
	"::ffff:127.0.0.1",
	"::8.8.8.8",
	"::ffff:0:8.8.8.8",
	"64:ff9b::8.8.8.8",
	"64:ff9b::7f00:1",
	"64:ff9b:1::8.8.8.8",
	"100::1",
	"100:0:0:1::1",
	"1fff:ffff::1",
	"2001::1",
	"2001:0:4136:e378::1",
	"2001:1::1",
	"2001:2::1",
	"2001:4:112::1",
	"2001:10::1",
	"2001:20::1",
	"2001:1ff:ffff::1",
	"2001:db8::1",
	"2001:db8:ffff:ffff::1",
	"2002::1",
	"2002:7f00:1::1",
	"2002:808:808::1",
	"2002:ffff::1",
	"3fff::1",
	"3fff:fff::1",
	"4000::1",
	"5f00::1",
	"6000::1",
	"8000::1",
	"c000::1",
	"fc00::1",
	"fcff::1",
	"fd00::1",
	"fd00:ec2::254",
	"fdff:ffff::1",
	"fe00::1",
	"fe80::1",
	"febf::1",
	"fec0::1",
	"ff00::1",
	"ff02::1",
	"ff0e::1",
	"ffff::1",
];
const PUBLIC = [
	"1.1.1.1",
	"8.8.8.8",
	"9.255.255.255",
	"11.0.0.0",
	"93.184.216.34",
	"100.63.255.255",
	"100.128.0.0",
	"126.255.255.255",
	"128.0.0.0",
	"169.253.255.255",
	"169.255.0.0",
	"172.15.255.255",
	"172.32.0.0",
	"191.255.255.255",
	"192.0.1.0",
	"192.0.3.0",
	"192.88.98.255",
	"192.88.100.0",
	"192.167.255.255",
	"192.169.0.0",
	"198.17.255.255",
	"198.20.0.0",
	"198.51.99.255",
	"198.51.101.0",
	"203.0.112.255",
	"203.0.114.0",
	"223.255.255.255",
	"2000::1",
	"2001:200::1",
	"2001:4860:4860::8888",
	"2001:db7:ffff::1",
	"2001:db9::1",
	"2003::1",
	"2606:4700::1111",
	"2a00::1",
	"3ffe::1",
	"3fff:1000::1",
];

const number = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const written = (n: number): string => [24, 16, 8, 0].map((shift) => Math.floor(n / 2 ** shift) % 256).join(".");
/** Where `URL` puts what somebody typed; undefined where it takes none of it. */
const typed = (host: string): string | undefined => (URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`).hostname : undefined);

/** Old and foreign spellings of an IPv4 address, all of which a parser reads. */
const spellings = (address: string): string[] => {
	const parts = address.split(".").map(Number) as [number, number, number, number];
	const [a, b, c, d] = parts;
	const whole = number(address);
	return [
		String(whole),
		`0x${whole.toString(16)}`,
		`0${whole.toString(8)}`,
		parts.map((n) => `0x${n.toString(16)}`).join("."),
		parts.map((n) => `0${n.toString(8)}`).join("."),
		`${a}.${b}.${c * 256 + d}`,
		`${a}.${(b * 256 + c) * 256 + d}`,
		address.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
		address.replaceAll(".", "。"),
		`${address}.`,
		address.replace(/\d/g, (digit) => `%3${digit}`),
	];
};

describe("an address", () => {
	const edges = SPECIAL.flatMap(([first, last]) => [first, last, written(Math.floor((number(first) + number(last)) / 2))]);
	const literals = [...edges, ...edges.slice(0, 30).flatMap(spellings), ...SPECIAL_V6.map((address) => `[${address}]`)];

	it("of somebody's own network, or of no host, is found out in all of 300 spellings", () => {
		expect(literals.length).toBeGreaterThanOrEqual(300);
		expect(missedBy((address) => reachOfText(address) === "public")).toEqual([]);
		// They are addresses: a spelling that nothing reads would prove nothing.
		expect(literals.filter((literal) => typed(literal) === undefined)).toEqual([]);
	});

	/** Literals that would be dialled by whoever takes these addresses for public. */
	const missedBy = (isPublic: (address: string) => boolean): string[] =>
		literals.filter((literal) => {
			const address = typed(literal)?.replace(/^\[|\]$/g, "");
			return address !== undefined && isPublic(address);
		});

	it("is not found out by a list of the well-known blocks, which the 300 notice (reliability.md F15)", () => {
		const known = new BlockList();
		for (const [net, bits] of [
			["0.0.0.0", 8],
			["10.0.0.0", 8],
			["127.0.0.0", 8],
			["169.254.0.0", 16],
			["172.16.0.0", 12],
			["192.168.0.0", 16],
		] as const)
			known.addSubnet(net, bits, "ipv4");
		for (const [net, bits] of [
			["::1", 128],
			["fc00::", 7],
			["fe80::", 10],
		] as const)
			known.addSubnet(net, bits, "ipv6");
		const missed = missedBy((address) => !known.check(address, address.includes(":") ? "ipv6" : "ipv4"));
		expect(missed).toEqual(expect.arrayContaining(["[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[::8.8.8.8]", "100.64.0.0"]));
	});

	it("of everybody's is let through, right up to the edges", () => {
		expect(PUBLIC.filter((address) => reachOfText(address) !== "public")).toEqual([]);
	});

	it("may be an operator's own network, never a cloud's metadata, a group or no host", () => {
		for (const address of ["10.1.2.3", "172.16.0.1", "192.168.1.1", "127.0.0.1", "100.64.0.1", "::1", "fd12::1"])
			expect([address, reachOfText(address)]).toEqual([address, "private"]);
		for (const address of [
			"169.254.169.254",
			"fd00:ec2::254",
			"0.0.0.0",
			"255.255.255.255",
			"224.0.0.1",
			"fe80::1",
			"ff02::1",
			"::ffff:10.0.0.1",
			"64:ff9b::a00:1",
		])
			expect([address, reachOfText(address)]).toEqual([address, "never"]);
	});

	it.each([
		"",
		"localhost",
		"1.2.3",
		"01.2.3.4",
		"1.2.3.4.5",
		"256.1.1.1",
		"0x7f.0.0.1",
		"1.2.3.4%eth0",
		"fe80::1%1",
		":::",
		"12345::",
		"1::2::3",
		" 1.1.1.1",
		"1.1.1.1\n",
	])("is not read from %j", (text) => {
		expect(bytesOf(text)).toBeUndefined();
		expect(reachOfText(text)).toBe("never");
	});

	it("is judged as a slow and obvious reading of the registries judges it", { timeout: 180_000 }, () => {
		const inSpecial = (n: number): boolean => SPECIAL.some(([first, last]) => n >= number(first) && n <= number(last));
		const nearEdge = fc
			.constantFrom(...SPECIAL.flat())
			.chain((edge) => fc.integer({ min: -3, max: 3 }).map((d) => (number(edge) + d + 2 ** 32) % 2 ** 32));
		const numRuns = process.env.LONG ? 1_000_000 : 20_000;
		fc.assert(
			fc.property(fc.oneof(fc.nat(2 ** 32 - 1), nearEdge), (n) => (reachOfText(written(n)) === "public") === !inSpecial(n)),
			{ numRuns },
		);
		/** 128 bits as one number, against ranges written as in the registry. */
		const big = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
		const block = (n: bigint, start: bigint, bits: number): boolean => n >> BigInt(128 - bits) === start >> BigInt(128 - bits);
		const at = (hex: string): bigint => BigInt(`0x${hex.padEnd(32, "0")}`);
		const isPublic = (n: bigint): boolean =>
			block(n, at("2000"), 3) &&
			!block(n, at("2001"), 23) &&
			!block(n, at("20010db8"), 32) &&
			!block(n, at("2002"), 16) &&
			!block(n, at("3fff"), 20);
		const heads = [
			"",
			"20",
			"2001",
			"200100",
			"200101",
			"200102",
			"20010db8",
			"2002",
			"3f",
			"3fff",
			"3fff0",
			"3fff1",
			"fd00",
			"fe80",
			"0000",
		];
		const v6 = fc.tuple(fc.constantFrom(...heads), fc.uint8Array({ minLength: 16, maxLength: 16 })).map(([head, tail]) => {
			const rest = Buffer.from(tail).toString("hex");
			return new Uint8Array(Buffer.from(head + rest.slice(head.length), "hex"));
		});
		fc.assert(
			fc.property(v6, (bytes) => (reachOf(bytes) === "public") === isPublic(big(bytes))),
			{ numRuns },
		);
	});

	it("is the same in two spellings", () => {
		expect(sameAddress("2001:DB8::1", "2001:db8:0:0::1")).toBe(true);
		expect(sameAddress("1.1.1.1", "1.1.1.2")).toBe(false);
		expect(sameAddress("", "")).toBe(false);
	});
});
