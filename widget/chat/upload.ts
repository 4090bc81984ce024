/** Sends one picture up: looks what it is, makes a large one smaller, says how far it has come, and ends when it is told to. */
import { LIMITS } from "../../shared/limits.js";

/** Why the server or this browser takes a picture not. `trouble`: another try may help. */
export type Unfit = "type" | "size" | "broken" | "fast" | "trouble";

export interface UploadParts {
	file: File;
	/** Of our own origin. */
	address: string;
	token: string | undefined;
	/** Whatever it is doing, it goes no further, and nothing is sent that was not on its way. */
	signal: AbortSignal;
	/** From 0 to 1. */
	onProgress(progress: number): void;
}
/** Rejects with an error that has `unfit`; once it is aborted, with any. */
export type Upload = (parts: UploadParts) => Promise<{ url: string; mediaType: string }>;

/** A larger file is made smaller here first: on a telephone's line it would take a minute. */
const SHRINK_BYTES = 1.5 * 1024 * 1024;
/** Pixels of the shorter side then: no screen shows more of it in a chat, and the words in a long picture of a screen can still be read. */
const SHRINK_SIDE = 1_600;
/** Pixels of the longer side that a WebP may have. */
const LONGEST_SIDE = 16_383;
const SHRINK_QUALITY = 0.86;

const unfit = (why: Unfit): Error & { unfit: Unfit } => Object.defineProperty(new Error(why), "unfit", { value: why }) as never;

const STATUS: Record<number, Unfit> = { 400: "broken", 413: "size", 415: "type", 429: "fast" };

/** What it is by its first bytes: its name may say anything. */
async function typeOf(file: Blob): Promise<string | undefined> {
	const head = String.fromCharCode(...new Uint8Array(await file.slice(0, 12).arrayBuffer()));
	if (head.startsWith("\x89PNG")) return "image/png";
	if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
	return /^RIFF.{4}WEBP/s.test(head) ? "image/webp" : undefined;
}

/** The picture itself where it is neither large as a file nor by its sides, else a smaller one of it. */
async function shrunk(file: Blob, type: string): Promise<Blob> {
	const picture = await createImageBitmap(file);
	try {
		const { width, height } = picture;
		const most = Math.sqrt(LIMITS.picturePixels / (width * height));
		const scale = Math.min(1, most, SHRINK_SIDE / Math.min(width, height), LONGEST_SIDE / Math.max(width, height));
		if (scale === 1 && file.size <= SHRINK_BYTES) return file;
		const canvas = document.createElement("canvas");
		canvas.width = Math.floor(width * scale);
		canvas.height = Math.floor(height * scale);
		canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
		const blob = await new Promise<Blob | null>((resolve) =>
			canvas.toBlob(resolve, type === "image/jpeg" ? type : "image/webp", SHRINK_QUALITY),
		);
		// Few bytes may hold more pixels than the server takes: then the smaller picture may be the larger file.
		return blob && (blob.size < file.size || most < 1) ? blob : file;
	} finally {
		picture.close();
	}
}

export const upload: Upload = async ({ file, address, token, signal, onProgress }) => {
	const type = await typeOf(file);
	signal.throwIfAborted();
	if (!type) throw unfit("type");
	// What this browser cannot read the server may still tell in clear words.
	const body = await shrunk(file, type).catch(() => file);
	signal.throwIfAborted();
	if (body.size > LIMITS.pictureBytes) throw unfit("size");
	if (token === undefined) throw unfit("trouble");
	return await new Promise((resolve, reject) => {
		// fetch does not say how far an upload has come.
		const request = new XMLHttpRequest();
		signal.addEventListener("abort", () => request.abort());
		request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
		request.onload = () => {
			if (request.status === 201) resolve(request.response);
			else reject(unfit(STATUS[request.status] ?? "trouble"));
		};
		request.onerror = request.onabort = () => reject(unfit("trouble"));
		request.open("POST", address);
		request.responseType = "json";
		request.setRequestHeader("Authorization", `Bearer ${token}`);
		request.setRequestHeader("Content-Type", body === file ? type : body.type);
		request.send(body);
	});
};
