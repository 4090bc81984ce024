/**
 * A certificate for tests that need real TLS: made at the start of a test, for the names that it gives, and signed by its own key. No
 * program outside Node is asked for it. `spki` is how a browser is told to trust this key and no other.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Certificate {
	/** PEM. */
	key: string;
	cert: string;
	/** Base64 SHA-256 of the public key, as Chromium's `--ignore-certificate-errors-spki-list` takes it. */
	spki: string;
}

/** One value of DER (X.690): tag, length, contents. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
	const body = Buffer.concat(parts);
	const length: number[] = [];
	for (let rest = body.length; rest > 0; rest >>= 8) length.unshift(rest & 255);
	const head = body.length < 128 ? [tag, body.length] : [tag, 128 | length.length, ...length];
	return Buffer.concat([Buffer.from(head), body]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const octets = (bytes: Uint8Array): Buffer => der(0x04, bytes);
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);
const text = (tag: number, words: string): Buffer => der(tag, Buffer.from(words, "ascii"));
/** Object identifiers, already in bytes. */
const ECDSA_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
const DAY_MS = 24 * 60 * 60 * 1000;

/** `20260101000000Z`. */
const time = (at: number): Buffer => text(0x18, `${new Date(at).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`);

/** Makes one for DNS names; a star in front counts as certificates count it. Good for ten days, from the day before `at`. */
export function makeCertificate(names: readonly string[], at = Date.now()): Certificate {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const spki = publicKey.export({ type: "spki", format: "der" });
	const algorithm = sequence(ECDSA_SHA256);
	const serial = randomBytes(16);
	// Another name each: of two that are trusted under one, only the first would be looked at.
	const name = sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, `Certificate of a test ${serial.toString("hex")}`))));
	serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
	const alternatives = sequence(...names.map((dns) => text(0x82, dns)));
	const unsigned = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))),
		der(0x02, serial),
		algorithm,
		name,
		sequence(time(at - DAY_MS), time(at + 9 * DAY_MS)),
		name,
		spki,
		der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, octets(alternatives)))),
	);
	const whole = sequence(unsigned, algorithm, bits(sign("sha256", unsigned, privateKey)));
	const pem = (whole.toString("base64").match(/.{1,64}/g) ?? []).join("\n");
	return {
		key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
		cert: `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`,
		spki: createHash("sha256").update(spki).digest("base64"),
	};
}
