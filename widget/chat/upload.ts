/**
 * Sends one picture up. Loaded with the first picture that a visitor puts in, and by itself: it imports nothing that runs, since what it
 * would share with the chat would be there twice.
 */

/** Why the server or this browser takes a picture not. `trouble`: another try may help. */
export type Unfit = "type" | "size" | "broken" | "fast" | "trouble";

export interface UploadParts {
	file: File;
	/** Of our own origin. */
	address: string;
	token: string | undefined;
	signal: AbortSignal;
	/** From 0 to 1. */
	onProgress(progress: number): void;
}
/** Rejects with an error that has `unfit`. */
export type Upload = (parts: UploadParts) => Promise<{ url: string; mediaType: string }>;

/** The same as the server's limit. */
const MOST_BYTES = 10 * 1024 * 1024;
/** A larger one is made smaller here first: on a telephone's line it would take a minute. */
const SHRINK_BYTES = 1.5 * 1024 * 1024;
/** Pixels of the longer side then: no screen shows more of it in a chat. */
const SHRINK_SIDE = 2_560;
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

async function shrunk(file: Blob, type: string): Promise<Blob> {
	const picture = await createImageBitmap(file);
	const scale = Math.min(1, SHRINK_SIDE / Math.max(picture.width, picture.height));
	const canvas = document.createElement("canvas");
	canvas.width = Math.round(picture.width * scale);
	canvas.height = Math.round(picture.height * scale);
	canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
	picture.close();
	const blob = await new Promise<Blob | null>((resolve) =>
		canvas.toBlob(resolve, type === "image/jpeg" ? type : "image/webp", SHRINK_QUALITY),
	);
	return blob && blob.size < file.size ? blob : file;
}

export const upload: Upload = async ({ file, address, token, signal, onProgress }) => {
	let type = await typeOf(file);
	if (!type) throw unfit("type");
	let body: Blob = file;
	// What this browser cannot read the server may still tell in clear words.
	if (file.size > SHRINK_BYTES) body = await shrunk(file, type).catch(() => file);
	if (body.size > MOST_BYTES) throw unfit("size");
	if (body !== file) type = body.type;
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
		request.setRequestHeader("Content-Type", type);
		request.send(body);
	});
};
