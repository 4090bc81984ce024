/**
 * What a message may be made of, by the desk's setting `parts` (requirements.md A2A-7): kinds of parts, their media types,
 * how many, how long. The media types let through are exactly those of the card (`INPUT_MODES`). Looks at messages that
 * the schema has read; changes nothing.
 */
import type { Message, Part } from "../../shared/a2a.schema.js";
import { DeskError, type FieldViolation } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { DeskSettings } from "../engine/settings.js";
import { INPUT_MODES, OUTPUT_MODES } from "./card.js";

/** Throws `content_type_not_supported` for a part that this desk does not take, `invalid_params` for too many or too much. */
export function checkMessage(message: Message, parts: DeskSettings["parts"]): void {
	const violations: FieldViolation[] = [];
	if (message.parts.length > LIMITS.messageParts)
		violations.push({ field: "message.parts", description: `Give at most ${LIMITS.messageParts} parts.` });
	let textBytes = 0;
	for (const [i, part] of message.parts.entries()) {
		const fault = checkPart(part, parts, `message.parts[${i}]`);
		if (fault) violations.push(fault);
		// A quick look first: no text has fewer bytes than characters.
		if (part.text !== undefined) textBytes += part.text.length > LIMITS.messageTextBytes ? part.text.length : Buffer.byteLength(part.text);
	}
	if (textBytes > LIMITS.messageTextBytes) {
		violations.push({
			field: "message.parts",
			description: `Give at most ${LIMITS.messageTextBytes} bytes of text in all; send the rest as another message.`,
		});
	}
	const { raw, rest } = bytesOf(message);
	if (rest > LIMITS.messageBytes) {
		violations.push({ field: "message", description: `Give at most ${LIMITS.messageBytes} bytes in all, data and metadata included.` });
	}
	if (raw > LIMITS.messageRawBytes) {
		violations.push({
			field: "message.parts",
			description: `Give at most ${LIMITS.messageRawBytes} bytes of pictures in all; name larger ones by url.`,
		});
	}
	if (violations.length > 0) {
		throw new DeskError("invalid_params", `${violations[0]?.field}: ${violations[0]?.description}`, {
			violations: violations.slice(0, LIMITS.violations),
		});
	}
}

/** Bytes of a message as the log will hold it: those of its pictures, and of everything else. */
function bytesOf(message: Message): { raw: number; rest: number } {
	let raw = 0;
	for (const part of message.parts) raw += part.raw?.length ?? 0;
	return { raw: Math.floor((raw * 3) / 4), rest: Buffer.byteLength(JSON.stringify(message)) - raw };
}

function checkPart(part: Part, parts: DeskSettings["parts"], field: string): FieldViolation | undefined {
	const type = part.mediaType === undefined ? undefined : baseType(part.mediaType);
	if (part.text !== undefined) {
		if (type !== undefined && !/^text\/(?:plain|markdown)$/.test(type)) throw notTaken(field, part.mediaType, parts);
		return undefined;
	}
	if (part.data !== undefined) {
		if (parts === "text" || (type !== undefined && type !== "application/json"))
			throw notTaken(field, part.mediaType ?? "application/json", parts);
		return undefined;
	}
	if (parts !== "all") throw notTaken(field, part.mediaType ?? "a file", parts);
	if (part.url !== undefined) {
		if (type !== undefined && !(INPUT_MODES.all as readonly string[]).includes(type)) throw notTaken(field, part.mediaType, parts);
		return isWebAddress(part.url) ? undefined : { field: `${field}.url`, description: "Give an absolute http or https address." };
	}
	const picture = pictureType(part.raw ?? "");
	if (picture === undefined || (type !== undefined && type !== picture))
		throw notTaken(field, part.mediaType ?? "bytes that are no picture", parts);
	return undefined;
}

function notTaken(field: string, what: string | undefined, parts: DeskSettings["parts"]): DeskError {
	const shown = (what ?? "").slice(0, 100);
	return new DeskError(
		"content_type_not_supported",
		`${field}: this desk does not take ${shown}. It takes ${INPUT_MODES[parts].join(", ")}${parts === "all" ? "; raw bytes must be the picture that they say" : ""}.`,
	);
}

const baseType = (mediaType: string): string => (mediaType.split(";")[0] as string).trim().toLowerCase();

function isWebAddress(url: string): boolean {
	if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
	return new URL(url).hostname !== "";
}

/** The type of a picture by its first bytes, from their base64; undefined for anything else. */
export function pictureType(base64: string): "image/png" | "image/jpeg" | "image/webp" | undefined {
	// 16 characters are 12 bytes: the longest mark, RIFF????WEBP.
	const head = Buffer.from(base64.slice(0, 16), "base64").toString("latin1");
	if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
	if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
	if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp";
	return undefined;
}

/**
 * Whether a caller takes anything that an answer is made of. Throws `content_type_not_supported` where it named types
 * and none of ours is among them (A2A-14). Ranges count: a type with a star takes what it covers.
 */
export function checkOutputModes(accepted: readonly string[] | undefined): void {
	if (accepted === undefined || accepted.length === 0) return;
	const takes = accepted.some((mode) => {
		const wanted = baseType(mode);
		return wanted === "*/*" || OUTPUT_MODES.some((ours) => wanted === ours || wanted === `${ours.split("/")[0]}/*`);
	});
	if (takes) return;
	throw new DeskError(
		"content_type_not_supported",
		`Answers come as ${OUTPUT_MODES.join(" and ")}: accept one of them, or leave acceptedOutputModes out.`,
	);
}
