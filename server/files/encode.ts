/**
 * Looks through a picture, decodes it and encodes it anew: turned as its camera said, in the colours of screens, with nothing else that
 * the file held. Runs in a process of its own (`server/encoder.ts`), since what it reads is a stranger's: only three decoders are there at all.
 */
import sharp from "sharp";
import { LIMITS } from "../../shared/limits.js";
import { essentialsOf, type Unfit } from "./inspect.js";
import type { Kind } from "./kinds.js";

/** From the server to the process that encodes. */
export interface EncodeCall {
	id: number;
	kind: Kind;
	bytes: Uint8Array;
}
export interface Made {
	kind: Kind;
	bytes: Uint8Array;
	width: number;
	height: number;
}
/** Besides what `essentialsOf` says: too many pixels, too long a side, too many bytes, too much work. */
export type EncodeRefusal = Unfit | "pixels" | "side" | "size" | "slow";
/** And back. */
export type EncodeAnswer = { id: number; made: Made } | { id: number; refused: EncodeRefusal };

/** What of a picture eyes miss least. */
const QUALITY = 84;
/** Pixels of the longer side that a WebP may have. */
const WEBP_SIDE = 16_383;

sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadPngBuffer", "VipsForeignLoadJpegBuffer", "VipsForeignLoadWebpBuffer"] });
sharp.cache(false);
sharp.concurrency(1);

const sizeOf = (image: { width: number; height: number }): number => image.width * image.height;

/** Never throws for what the bytes are. */
export async function encode({ kind, bytes: given }: Pick<EncodeCall, "kind" | "bytes">): Promise<Made | EncodeRefusal> {
	const bytes = essentialsOf(kind, given);
	if (typeof bytes === "string") return bytes;
	try {
		// The head alone first: how large it is must be known before memory is taken for it.
		const head = await sharp(bytes, { limitInputPixels: false }).metadata();
		if (sizeOf(head) > LIMITS.picturePixels) return "pixels";
		if (Math.max(head.width, head.height) > LIMITS.pictureSide) return "side";
		const made = await encodeAs(kind, kind, bytes);
		if (made.bytes.byteLength <= LIMITS.pictureBytes) return made;
		// What packs badly as it came.
		if (Math.max(made.width, made.height) > WEBP_SIDE) return "size";
		const smaller = await encodeAs(kind, "webp", bytes);
		return smaller.bytes.byteLength <= LIMITS.pictureBytes ? smaller : "size";
	} catch (error) {
		return faultOf(error);
	}
}

/** What a decoder or encoder that gave up says of the picture. sharp has a text for its time being over, and no code. */
export const faultOf = (error: unknown): "slow" | "broken" =>
	error instanceof Error && /^timeout:/.test(error.message) ? "slow" : "broken";

async function encodeAs(from: Kind, to: Kind, bytes: Uint8Array): Promise<Made> {
	const image = sharp(bytes, { failOn: "error", limitInputPixels: LIMITS.picturePixels, pages: from === "webp" ? 1 : undefined })
		.timeout({ seconds: LIMITS.pictureMakeMs / 1_000 })
		.autoOrient()
		.toColourspace("srgb");
	const packed =
		to === "png" ? image.png({ compressionLevel: 7 }) : to === "jpeg" ? image.jpeg({ quality: QUALITY }) : image.webp({ quality: QUALITY });
	const { data, info } = await packed.toBuffer({ resolveWithObject: true });
	return { kind: to, bytes: data, width: info.width, height: info.height };
}

/** What the process does: one picture after the other, until its server goes. */
export function runEncoder(channel: NodeJS.Process): void {
	let last: Promise<unknown> = Promise.resolve();
	channel.on("message", (call: EncodeCall) => {
		last = last.then(async () => {
			const made = await encode(call);
			const answer: EncodeAnswer = typeof made === "string" ? { id: call.id, refused: made } : { id: call.id, made };
			channel.send?.(answer);
		});
	});
	channel.on("disconnect", () => channel.exit());
}
