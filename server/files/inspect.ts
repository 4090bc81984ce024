/**
 * Looks at the bytes of what came as a picture before anything decodes it: is it one of the three kinds that are taken, by its first
 * bytes and never by what it is called, is it whole, and does nothing else hide in it. Pure.
 */
import { DeskError } from "../../shared/errors.js";

export type Kind = "png" | "jpeg" | "webp";

const TAKEN = "This desk takes PNG, JPEG and WebP pictures";

const notTaken = (what: string): DeskError => new DeskError("content_type_not_supported", `${what} ${TAKEN}: save it as one of these.`);
const broken = (): DeskError =>
	new DeskError("invalid_params", "This picture is damaged or not whole. Open it, save it again, and send that.", {
		violations: [{ field: "picture", description: "Damaged or cut off." }],
	});
const stowaway = (what: string): DeskError =>
	new DeskError("invalid_params", `This picture has ${what} inside. Open it, save it again as a picture, and send that.`, {
		violations: [{ field: "picture", description: `Has ${what} inside.` }],
	});

const latin = (bytes: Uint8Array, from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString("latin1");

/** What a file is that is no picture of ours, as far as its beginning says it, so that the refusal can name it. */
const OTHERS: readonly [begins: RegExp, name: string][] = [
	[/^GIF8/, "This is a GIF."],
	[/^(?:II\*\0|MM\0\*|II\+\0|MM\0\+)/, "This is a TIFF."],
	[/^BM/, "This is a BMP."],
	[/^%PDF/, "This is a PDF."],
	[/^PK/, "This is an archive."],
	[/^....ftyp/s, "This is a HEIC, AVIF or a film."],
	[/^(?:\uFEFF|ï»¿)?\s*(?:<\?xml.*?)?(?:<!--.*?-->\s*)*<svg/is, "This is an SVG."],
	[/^(?:\uFEFF|ï»¿)?\s*</, "This is a web page."],
];

/** The kind by the first bytes; undefined for anything else. */
export function kindOf(bytes: Uint8Array): Kind | undefined {
	const head = latin(bytes, 0, 12);
	if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
	if (head.startsWith("\xff\xd8\xff")) return "jpeg";
	if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "webp";
	return undefined;
}

/**
 * The kind of a picture that may be decoded, and its bytes without what need not be read (texts of a PNG). `said`: the media type that
 * its sender gave it; another than its own is refused. Throws `content_type_not_supported` and `invalid_params`.
 */
export function inspect(bytes: Uint8Array, said: string | undefined): { kind: Kind; bytes: Uint8Array } {
	const kind = kindOf(bytes);
	if (!kind) {
		const head = latin(bytes, 0, 1024);
		throw notTaken(OTHERS.find(([begins]) => begins.test(head))?.[1] ?? "This is no picture.");
	}
	if (said !== undefined && said !== `image/${kind}`) throw notTaken(`This is called ${said.slice(0, 60)} and is ${named(kind)}.`);
	refuseStowaways(bytes);
	if (kind === "png") return { kind, bytes: essentialsOf(bytes) };
	if (kind === "webp") checkRiff(bytes);
	return { kind, bytes };
}

const named = (kind: Kind): string => (kind === "png" ? "a PNG" : kind === "jpeg" ? "a JPEG" : "a WebP");

/** What browsers would run. None is found in packed bytes by chance: the shortest has five letters. */
const PAGES = ["<html", "<script", "<!doctype", "<iframe", "<svg", "<body"];
/** Whoever opens an archive looks for its end in the last bytes of a file (APPNOTE 4.3.16). */
const ARCHIVE_END = Buffer.from("PK\x05\x06", "latin1");
const ARCHIVE_TAIL = 64 * 1024 + 22;
/** Readers of PDF take one that begins within so many bytes. */
const PDF_HEAD = 1024;

function refuseStowaways(bytes: Uint8Array): void {
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (all.subarray(-ARCHIVE_TAIL).includes(ARCHIVE_END)) throw stowaway("an archive");
	if (all.subarray(0, PDF_HEAD).includes("%PDF-")) throw stowaway("a PDF");
	for (let at = all.indexOf("<"); at >= 0; at = all.indexOf("<", at + 1)) {
		const word = all.toString("latin1", at, at + 9).toLowerCase();
		if (PAGES.some((page) => word.startsWith(page))) throw stowaway("a web page");
	}
}

/** Chunks of a PNG that its picture is made of, its colours among them. Texts go unread, packed or not; so does what animates it. */
const PNG_CHUNKS = new Set(["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "eXIf"]);
/** A profile of colours is packed: a larger one is left out. */
const PROFILE_BYTES = 64 * 1024;

/** A PNG again, of its essential chunks. Throws where it does not end, or goes on after its end. */
function essentialsOf(bytes: Uint8Array): Uint8Array {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const kept: Uint8Array[] = [bytes.subarray(0, 8)];
	for (let at = 8; at + 12 <= bytes.byteLength; ) {
		const length = view.getUint32(at);
		const end = at + 12 + length;
		const type = latin(bytes, at + 4, at + 8);
		if (end > bytes.byteLength || !/^[A-Za-z]{4}$/.test(type)) throw broken();
		const large = type === "iCCP" && length > PROFILE_BYTES;
		if (PNG_CHUNKS.has(type) && !large) kept.push(bytes.subarray(at, end));
		if (type === "IEND") {
			if (end !== bytes.byteLength) throw stowaway("something");
			return Buffer.concat(kept);
		}
		at = end;
	}
	throw broken();
}

/** A WebP says how long it is: it must be all there, and nothing after it. */
function checkRiff(bytes: Uint8Array): void {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const length = view.getUint32(4, true) + 8;
	const padded = length + (length % 2);
	if (bytes.byteLength < length) throw broken();
	if (bytes.byteLength > padded) throw stowaway("something");
}
