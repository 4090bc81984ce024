/**
 * The hand that holds pictures: looks at what came, has it made anew in another process, and keeps it below one folder under the
 * name that it is given, readable by nobody else on this machine. What it has said is kept, is on disk.
 */
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PictureHand } from "../engine/ports.js";
import { encoderProcess } from "./encoder-process.js";
import { inspect } from "./inspect.js";

export interface OpenedPictures extends PictureHand {
	/** Ends the process that makes them. */
	close(): void;
}

/** `dir` is made when the first comes. `encoder`: see `encoderProcess`. */
export function openPictures({ dir, encoder }: { dir: string; encoder: URL }): OpenedPictures {
	const process = encoderProcess(encoder);
	// Folders by the first letters: none grows so large that looking into it is slow.
	const fileOf = (uid: string): string => join(dir, uid.slice(0, 2), uid);

	return {
		async make(given, said) {
			const { kind, bytes } = inspect(given, said);
			const made = await process.make(kind, bytes);
			return { bytes: made.bytes, mediaType: `image/${made.kind}`, width: made.width, height: made.height };
		},
		async put(uid, bytes) {
			const file = fileOf(uid);
			await mkdir(dirname(file), { recursive: true, mode: 0o700 });
			const partial = `${file}.partial`;
			const to = await open(partial, "w", 0o600);
			try {
				await to.writeFile(bytes);
				await to.sync();
			} finally {
				await to.close();
			}
			await rename(partial, file);
			const folder = await open(dirname(file), "r");
			await folder.sync().finally(() => folder.close());
		},
		async get(uid) {
			return await readFile(fileOf(uid)).catch((error: NodeJS.ErrnoException) => {
				if (error.code === "ENOENT") return undefined;
				throw error;
			});
		},
		async remove(uid) {
			for (const file of [fileOf(uid), `${fileOf(uid)}.partial`]) await rm(file, { force: true });
		},
		close: () => process.close(),
	};
}
