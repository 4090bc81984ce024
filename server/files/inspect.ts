/**
 * Looks through the bytes of a picture before anything decodes it: is it whole, and does nothing else hide in it. A stranger chose the
 * bytes, so this runs in the process that makes pictures anew, and goes through them once, however they are. Pure.
 */
import { LIMITS } from "../../shared/limits.js";
import { type Kind, latin } from "./kinds.js";

/**
 * Why a picture is not decoded at all. `broken`: damaged or cut off · `pieces`: made of too many · else what is inside of it: `more` is
 * whatever stands behind its end.
 */
export type Unfit = "broken" | "pieces" | "archive" | "pdf" | "page" | "more";

/** The bytes of a picture that may be decoded, without what need not be read (texts of a PNG); or why it may not. */
export function essentialsOf(kind: Kind, bytes: Uint8Array): Uint8Array | Unfit {
	const hidden = stowawayIn(bytes);
	if (hidden) return hidden;
	if (kind === "png") return pngOf(bytes);
	if (kind === "webp") return riffFault(bytes) ?? bytes;
	return bytes;
}

/** What browsers would run. None is found in packed bytes by chance: the shortest has five letters. */
const PAGE = /<(?:html|script|!doctype|iframe|svg|body)/i;
/** Whoever opens an archive looks for its end in the last bytes of a file (APPNOTE 4.3.16). */
const ARCHIVE_END = Buffer.from("PK\x05\x06", "latin1");
const ARCHIVE_TAIL = 64 * 1024 + 22;
/** Readers of PDF take one that begins within so many bytes. */
const PDF_HEAD = 1024;

function stowawayIn(bytes: Uint8Array): Unfit | undefined {
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (all.subarray(-ARCHIVE_TAIL).includes(ARCHIVE_END)) return "archive";
	if (all.subarray(0, PDF_HEAD).includes("%PDF-")) return "pdf";
	return PAGE.test(all.toString("latin1")) ? "page" : undefined;
}

/** A chunk's type as it stands in the file, four letters in a number. */
const typeOf = (name: string): number => Buffer.from(name, "latin1").readUInt32BE();
const [IEND, ICCP] = [typeOf("IEND"), typeOf("iCCP")];
/** Chunks of a PNG that its picture is made of, its colours among them. Texts go unread, packed or not; so does what animates it. */
const PNG_CHUNKS = new Set(["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "eXIf"].map(typeOf));

/** A PNG again, of its essential chunks. `broken`: it does not end; `more`: it goes on after its end. */
function pngOf(bytes: Uint8Array): Uint8Array | Unfit {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const kept: Uint8Array[] = [bytes.subarray(0, 8)];
	for (let at = 8, chunks = 0; at + 12 <= bytes.byteLength; ) {
		if (++chunks > LIMITS.pictureChunks) return "pieces";
		const length = view.getUint32(at);
		const type = view.getUint32(at + 4);
		const end = at + 12 + length;
		if (end > bytes.byteLength) return "broken";
		const isEssential = PNG_CHUNKS.has(type);
		if (!isEssential && !/^[A-Za-z]{4}$/.test(latin(bytes, at + 4, at + 8))) return "broken";
		// A profile of colours is packed.
		if (isEssential && !(type === ICCP && length > LIMITS.pictureProfileBytes)) kept.push(bytes.subarray(at, end));
		if (type === IEND) return end === bytes.byteLength ? Buffer.concat(kept) : "more";
		at = end;
	}
	return "broken";
}

/** A WebP says how long it is: it must be all there, and nothing after it. */
function riffFault(bytes: Uint8Array): Unfit | undefined {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const length = view.getUint32(4, true) + 8;
	const padded = length + (length % 2);
	if (bytes.byteLength < length) return "broken";
	return bytes.byteLength > padded ? "more" : undefined;
}
