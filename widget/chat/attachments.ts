/**
 * Pictures that the visitor has put beside the words they are writing: each is sent up at once, so that it is there when the message
 * goes. Holds how far each has come; how one is sent up is `upload.ts`'s.
 */
import { LIMITS } from "../../shared/limits.js";
import type { Picture } from "./outbox.js";
import type { Unfit, Upload } from "./upload.js";

/** Why a picture cannot be sent; each has its own words. `many`: as many as a message may have are there. */
export type PictureProblem = Unfit | "many";

export interface Attached {
	id: number;
	/** What it is called at the visitor's. */
	name: string;
	/** An address of this document's, for showing it. */
	preview: string;
	state: "sending" | "ready" | "failed";
	/** 0 to 1. */
	progress: number;
	problem?: PictureProblem;
	picture?: Picture;
}

export interface Attachments {
	readonly list: readonly Attached[];
	/** One more than a message may have was left out. */
	readonly tooMany: boolean;
	/** A message has gone without those that are here: they could not be sent up. */
	readonly left: boolean;
	add(files: Iterable<File>): void;
	retry(id: number): void;
	/** Takes one away; what is under way of it stops. */
	remove(id: number): void;
	/** Those that are there, for a message. What could not be sent up stays. */
	take(): Picture[];
}

export interface AttachmentsParts {
	/** The guest's token; undefined while there is no connection. */
	token(): string | undefined;
	/** Where pictures are sent to. */
	address: string;
	upload: Upload;
	changed(): void;
	preview(file: File): string;
	release(preview: string): void;
}

/** Characters of a name that are kept. */
const NAME_CHARS = 80;

export function createAttachments({ token, address, upload, changed, preview, release }: AttachmentsParts): Attachments {
	let list: (Attached & { file: File; stop: AbortController })[] = [];
	let tooMany = false;
	let left = false;
	let made = 0;

	const change = (id: number, to: Partial<Attached>): void => {
		list = list.map((one) => (one.id === id ? { ...one, ...to } : one));
		changed();
	};

	async function send(id: number): Promise<void> {
		const one = list.find((a) => a.id === id);
		if (!one) return;
		left = false;
		change(id, { state: "sending", progress: 0, problem: undefined });
		try {
			const { url, mediaType } = await upload({
				file: one.file,
				address,
				token: token(),
				signal: one.stop.signal,
				onProgress: (progress) => change(id, { progress }),
			});
			change(id, { state: "ready", progress: 1, picture: { url, mediaType, filename: one.name } });
		} catch (error) {
			change(id, { state: "failed", problem: (error as { unfit?: Unfit }).unfit ?? "trouble" });
		}
	}

	return {
		get list() {
			return list;
		},
		get tooMany() {
			return tooMany;
		},
		get left() {
			return left;
		},
		add(files) {
			tooMany = false;
			for (const file of files) {
				if (list.length >= LIMITS.picturesPerMessage) {
					tooMany = true;
					break;
				}
				const id = ++made;
				const name = [...file.name.replace(/\p{C}/gu, "")].slice(0, NAME_CHARS).join("");
				list = [...list, { id, name, preview: preview(file), state: "sending", progress: 0, file, stop: new AbortController() }];
				void send(id);
			}
			changed();
		},
		retry: (id) => void send(id),
		remove(id) {
			const one = list.find((a) => a.id === id);
			list = list.filter((a) => a.id !== id);
			tooMany = left = false;
			one?.stop.abort();
			if (one) release(one.preview);
			changed();
		},
		take() {
			const taken = list.filter(({ picture }) => picture);
			list = list.filter(({ picture }) => !picture);
			tooMany = false;
			left = list.length > 0;
			for (const one of taken) release(one.preview);
			changed();
			return taken.map(({ picture }) => picture as Picture);
		},
	};
}
