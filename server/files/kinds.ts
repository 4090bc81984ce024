/**
 * What a file is by its first bytes, and never by what it is called: one of the three kinds of pictures that are taken, or something that
 * the refusal can name. Looks at the beginning alone, so the server itself may ask it of whatever comes. Pure.
 */
import { DeskError } from "../../shared/errors.js";

export type Kind = "png" | "jpeg" | "webp";

const TAKEN = "This desk takes PNG, JPEG and WebP pictures";

const notTaken = (what: string): DeskError => new DeskError("content_type_not_supported", `${what} ${TAKEN}: save it as one of these.`);

export const latin = (bytes: Uint8Array, from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString("latin1");

/** Bytes at the beginning that are looked at to name what is no picture of ours. */
const HEAD = 1024;

/** What a file is that is no picture of ours, by how it begins. No pattern may have two ways to read the same bytes: a stranger chose them. */
const OTHERS: readonly [begins: RegExp, name: string][] = [
	[/^GIF8/, "This is a GIF."],
	[/^(?:II\*\0|MM\0\*|II\+\0|MM\0\+)/, "This is a TIFF."],
	[/^BM/, "This is a BMP."],
	[/^%PDF/, "This is a PDF."],
	[/^PK/, "This is an archive."],
	[/^....ftyp/s, "This is a HEIC, AVIF or a film."],
];

function nameOf(head: string): string {
	const known = OTHERS.find(([begins]) => begins.test(head));
	if (known) return known[1];
	const text = head.replace(/^ï»¿/, "").trimStart().toLowerCase();
	if (!text.startsWith("<")) return "This is no picture.";
	// A declaration and comments may stand before the first element.
	return /^<(?:svg|\?xml|!--)/.test(text) && text.includes("<svg") ? "This is an SVG." : "This is a web page.";
}

/** The kind by the first bytes; undefined for anything else. */
export function kindOf(bytes: Uint8Array): Kind | undefined {
	const head = latin(bytes, 0, 12);
	if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
	if (head.startsWith("\xff\xd8\xff")) return "jpeg";
	if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "webp";
	return undefined;
}

const named = (kind: Kind): string => (kind === "png" ? "a PNG" : kind === "jpeg" ? "a JPEG" : "a WebP");

/**
 * The kind of what came, where it is one that is taken. `said`: the media type that its sender gave it; another than its own is refused.
 * Throws `content_type_not_supported`.
 */
export function takenKind(bytes: Uint8Array, said: string | undefined): Kind {
	const kind = kindOf(bytes);
	if (!kind) throw notTaken(nameOf(latin(bytes, 0, HEAD)));
	if (said !== undefined && said !== `image/${kind}`) throw notTaken(`This is called ${said.slice(0, 60)} and is ${named(kind)}.`);
	return kind;
}
