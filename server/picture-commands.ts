/** The commands about pictures that visitors sent, and what they ask: how much room they take, and taking some away for everybody. */
import { type Command, InvalidArgumentError } from "commander";
import { z } from "zod";
import { DeskError } from "../shared/errors.js";
import { LIMITS } from "../shared/limits.js";
import { name, operation } from "./admin-parts.js";
import { type Commands, countOf, day } from "./command-parts.js";
import { plain } from "./log.js";

const moment = z.int().min(0);
const choice = z.union([
	z.object({ uids: z.array(name).min(1).max(LIMITS.listedPictures) }),
	z.object({ from: name.optional(), since: moment, until: moment }),
]);

/** A part of the table of admin.ts. */
export const PICTURE_OPERATIONS = {
	pictures: operation(z.tuple([name]), (desk, handle) => desk.engine.pictures.list(handle)),
	removePictures: operation(z.tuple([name, choice]), (desk, handle, which) => desk.engine.pictures.remove(handle, which)),
};

const MEGABYTE = 1024 * 1024;
const sizeOf = (bytes: number): string =>
	bytes < MEGABYTE ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / MEGABYTE).toFixed(bytes < 10 * MEGABYTE ? 1 : 0)} MB`;

/** A moment as these commands print it, in UTC; a day alone is its beginning. */
function momentOf(text: string): number {
	const at = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d)?$/.test(text)
		? Date.parse(`${text.replace(" ", "T")}${text.length > 10 ? "Z" : ""}`)
		: Number.NaN;
	if (Number.isNaN(at)) throw new InvalidArgumentError('Write a time as 2026-03-24 or "2026-03-24 09:30", in UTC.');
	return at;
}

interface RemoveOptions {
	since?: number;
	until?: number;
	from?: string;
}

/** Adds `pictures …` to the program. */
export function addPictureCommands(earthonline: Command, { withDesk, print, complain, self }: Commands): void {
	const pictures = earthonline.command("pictures").description("pictures that visitors sent");
	pictures
		.command("list <handle>")
		.description(`how much room they take, and the newest ${LIMITS.listedPictures}`)
		.action((handle: string) =>
			withDesk(async (admin) => {
				const { room, newest } = await admin.pictures(handle);
				print(
					`${countOf(room.pictures, "picture", "pictures")} of ${LIMITS.picturesPerDesk}, ${sizeOf(room.bytes)} of ${sizeOf(LIMITS.pictureBytesPerDesk)}`,
				);
				for (const { uid, at, bytes, width, height, sent, from } of newest)
					print(`${uid}\t${day(at)}\t${sizeOf(bytes)}\t${width} × ${height}\t${sent ? "sent" : "not sent"}\t${plain(from)}`);
				if (newest.length > 0) complain(`Take some away: ${self} pictures remove ${handle} <id>, or --since, --until, --from; see --help.`);
			}),
		);
	pictures
		.command("remove <handle> [ids...]")
		.description("take pictures away for everybody: those named, or all of a time or of a guest")
		.option("--since <time>", "those that came at this time or later, UTC", momentOf)
		.option("--until <time>", "those that came before this time, UTC", momentOf)
		.option("--from <guest>", "those of this guest alone, as the list names it")
		.action((handle: string, uids: string[], { since, until, from }: RemoveOptions) =>
			withDesk(async (admin) => {
				const isSpan = since !== undefined || until !== undefined || from !== undefined;
				if (uids.length > 0 === isSpan)
					throw new DeskError(
						"invalid_params",
						`Say which: their ids, or --since, --until or --from. See them: ${self} pictures list ${handle}`,
					);
				const which = isSpan
					? { since: since ?? 0, until: until ?? Number.MAX_SAFE_INTEGER, ...(from === undefined ? {} : { from }) }
					: { uids };
				const removed = await admin.removePictures(handle, which);
				print(`${countOf(removed, "picture is", "pictures are")} gone.`);
			}),
		);
}
