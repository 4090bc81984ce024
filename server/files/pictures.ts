/**
 * The hand that holds pictures: has what came looked through and made anew in another process, and keeps it below one folder under the
 * name that it is given, readable by nobody else on this machine. What it has said is kept, is on disk; what could not be kept leaves
 * nothing there.
 */
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PictureHand } from "../engine/ports.js";
import { encoderProcess } from "./encoder-process.js";
import { takenKind } from "./kinds.js";

export interface OpenedPictures extends PictureHand {
	/** Ends the process that makes them. */
	close(): void;
}

/** Bytes of a picture that are in memory while its reader takes it. */
const PIECE = 64 * 1024;

/** `dir` is made when the first comes. `encoder`: see `encoderProcess`. */
export function openPictures({ dir, encoder }: { dir: string; encoder: URL }): OpenedPictures {
	const process = encoderProcess(encoder);
	// Folders by the first letters: none grows so large that looking into it is slow.
	const fileOf = (uid: string): string => join(dir, uid.slice(0, 2), uid);
	/** Folders that are sure to be found again after a power cut. Not every one that is there is: whoever made it may not have come so far. */
	const sure = new Map<string, Promise<void>>();

	async function prepare(folder: string): Promise<void> {
		// Somebody may have taken it away meanwhile.
		if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) sure.delete(folder);
		let syncing = sure.get(folder);
		if (!syncing) {
			syncing = sync(dir).then(() => sync(dirname(dir)));
			sure.set(folder, syncing);
			syncing.catch(() => sure.delete(folder));
		}
		await syncing;
	}

	return {
		async make(given, { said, network }) {
			const made = await process.make(takenKind(given, said), given, network);
			return { bytes: made.bytes, mediaType: `image/${made.kind}`, width: made.width, height: made.height };
		},
		async put(uid, bytes) {
			const file = fileOf(uid);
			const partial = `${file}.partial`;
			await prepare(dirname(file));
			try {
				const to = await open(partial, "w", 0o600);
				await to
					.writeFile(bytes)
					.then(() => to.sync())
					.finally(() => to.close());
				await rename(partial, file);
				await sync(dirname(file));
			} catch (error) {
				// A full disk is no fuller for it.
				for (const left of [partial, file]) await rm(left, { force: true }).catch(() => undefined);
				throw error;
			}
		},
		async open(uid) {
			const file = fileOf(uid);
			const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
				if (error.code === "ENOENT") return undefined;
				throw error;
			});
			return found && { bytes: found.size, read: (ended) => readerOf(file, ended) };
		},
		async remove(uid) {
			for (const file of [fileOf(uid), `${fileOf(uid)}.partial`]) await rm(file, { force: true });
		},
		close: () => process.close(),
	};
}

/** What a folder holds is on disk. */
async function sync(folder: string): Promise<void> {
	const handle = await open(folder, "r");
	await handle.sync().finally(() => handle.close());
}

/** A file a piece at a time, each read when it is asked for. The file is open from the first piece on, and closed when `ended` is called. */
function readerOf(file: string, ended: () => void): ReadableStream<Uint8Array> {
	let opening: Promise<FileHandle> | undefined;
	let over = false;
	const end = async (): Promise<void> => {
		if (over) return;
		over = true;
		try {
			await (await opening)?.close();
		} finally {
			ended();
		}
	};
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					opening ??= open(file, "r");
					const piece = new Uint8Array(PIECE);
					const { bytesRead } = await (await opening).read(piece, 0, PIECE);
					if (bytesRead > 0) return controller.enqueue(bytesRead < PIECE ? piece.subarray(0, bytesRead) : piece);
					await end();
					controller.close();
				} catch (error) {
					await end().catch(() => undefined);
					throw error;
				}
			},
			cancel: end,
		},
		{ highWaterMark: 0 },
	);
}
