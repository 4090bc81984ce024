/** T-UPLOAD (reliability.md 4.2, 97): of what a stranger sends as a picture nothing is kept but the picture. */
import { mkdir, mkdtemp, readdir, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import * as some from "../../test/pictures.js";
import type { PictureHand } from "../engine/ports.js";
import { faultOf } from "./encode.js";
import { encoderProcess } from "./encoder-process.js";
import { essentialsOf } from "./inspect.js";
import { takenKind } from "./kinds.js";
import { type OpenedPictures, openPictures } from "./pictures.js";

const ENCODER = new URL("../encoder.js", import.meta.url);
let dir: string;
let pictures: OpenedPictures;

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "pictures-"));
	pictures = openPictures({ dir: join(dir, "files"), encoder: ENCODER });
});
afterAll(async () => {
	pictures.close();
	await rm(dir, { recursive: true, force: true });
});

/** What a picture tells of whoever made it. */
async function told(bytes: Uint8Array): Promise<string[]> {
	const { exif, icc, xmp, iptc, orientation = 1 } = await sharp(bytes).metadata();
	const found = Object.entries({ exif, icc, xmp, iptc, turned: orientation === 1 ? undefined : orientation }).filter(
		([, value]) => value !== undefined,
	);
	return [...found.map(([name]) => name), ...["Ada Secret", "Camera Works", "Exif"].filter((word) => Buffer.from(bytes).includes(word))];
}

/** A WebP of two pictures, 8 × 8, one after the other. */
async function moving(): Promise<Buffer> {
	const frames = await Promise.all(
		["red", "blue"].map((background) =>
			sharp({ create: { width: 8, height: 8, channels: 3, background } })
				.png()
				.toBuffer(),
		),
	);
	return await sharp(frames, { join: { animated: true } })
		.webp()
		.toBuffer();
}

/** The same that says it is so wide. */
async function widelySaid(width: number): Promise<Buffer> {
	const film = await moving();
	film.writeUIntLE(width - 1, film.indexOf("VP8X") + 12, 3);
	return film;
}

/** As a chat sends it. */
const renewed = (bytes: Uint8Array, said: string | undefined, network = "192.0.2.0") => pictures.make(bytes, { said, network });

const text = (words: string): Buffer => Buffer.from(words, "latin1");

describe("a picture that comes", () => {
	it.each([
		["image/png", some.png],
		["image/jpeg", some.jpeg],
		["image/webp", some.webp],
	])("is made anew as %s", async (type, make) => {
		const came = await make(40, 30);
		const made = await renewed(came, type);
		expect(made).toMatchObject({ mediaType: type, width: 40, height: 30 });
		expect(Buffer.from(made.bytes).equals(came)).toBe(false);
		expect((await sharp(made.bytes).metadata()).format).toBe(type.slice("image/".length));
	});

	it("is turned as its camera said, and says nothing of where it was or whose it is", async () => {
		const came = await some.fromCamera();
		const made = await renewed(came, "image/jpeg");
		expect(made).toMatchObject({ width: 6, height: 8 });
		expect(await told(made.bytes)).toEqual([]);
	});

	it("would be found out where it were kept as it came", async () => {
		const careless: PictureHand["make"] = async (bytes) => ({ bytes, mediaType: "image/jpeg", width: 8, height: 6 });
		expect(await told((await careless(await some.fromCamera(), { said: "image/jpeg", network: "" })).bytes)).toEqual(
			expect.arrayContaining(["exif", "turned", "Ada Secret", "Camera Works", "Exif"]),
		);
	});

	it("keeps its colours where it is clear", async () => {
		const clear = await sharp({ create: { width: 4, height: 4, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0.5 } } })
			.png()
			.toBuffer();
		expect((await sharp((await renewed(clear, "image/png")).bytes).metadata()).hasAlpha).toBe(true);
	});

	it("is the first of those that move", async () => {
		const film = await moving();
		expect((await sharp(film).metadata()).pages).toBe(2);
		const made = await renewed(film, "image/webp");
		expect((await sharp(made.bytes).metadata()).pages ?? 1).toBe(1);
		expect(made).toMatchObject({ width: 8, height: 8 });
	});

	it("may have as many pixels as are allowed, and one more is too many", async () => {
		expect(await renewed(await some.png(4_000, 4_000), "image/png")).toMatchObject({ width: 4_000, height: 4_000 });
		await expect(renewed(await some.png(4_001, 4_000), "image/png")).rejects.toMatchObject({ code: "too_large" });
	});
});

describe("what is refused by what it is, not by what it is called", () => {
	const svg = text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
	it.each<[string, () => Buffer | Promise<Buffer>, string]>([
		["an SVG", () => svg, "This is an SVG."],
		["a bare SVG", () => text("  <svg></svg>"), "This is an SVG."],
		["a GIF", some.gif, "This is a GIF."],
		["a GIFAR", async () => Buffer.concat([await some.gif(), some.archive()]), "This is a GIF."],
		["a TIFF", some.tiff, "This is a TIFF."],
		["a web page", () => text("<!doctype html><script>alert(1)</script>"), "This is a web page."],
		["a PDF", () => text("%PDF-1.7\n"), "This is a PDF."],
		["an archive", some.archive, "This is an archive."],
		["a HEIC", () => text("\0\0\0\x18ftypheic\0\0\0\0"), "This is a HEIC, AVIF or a film."],
		["nothing", () => Buffer.alloc(0), "This is no picture."],
		["zeros", () => Buffer.alloc(1_000), "This is no picture."],
	])("%s", async (_, make, says) => {
		for (const said of ["image/png", "image/jpeg", "image/webp"]) {
			await expect(renewed(await make(), said)).rejects.toMatchObject({
				code: "content_type_not_supported",
				message: `${says} This desk takes PNG, JPEG and WebP pictures: save it as one of these.`,
			});
		}
	});

	it("a picture that is called another kind than it is", async () => {
		await expect(renewed(await some.jpeg(), "image/png")).rejects.toMatchObject({
			code: "content_type_not_supported",
			message: "This is called image/png and is a JPEG. This desk takes PNG, JPEG and WebP pictures: save it as one of these.",
		});
	});
});

describe("what hides in a picture", () => {
	it.each<[string, () => Promise<Buffer>, string]>([
		["a page in a PNG's text", () => some.pngWith(some.chunk("tEXt", text("Comment\0<html><script>alert(1)</script>"))), "a web page"],
		["a page after a PNG", async () => Buffer.concat([await some.png(), text("<ScRiPt src=x></script>")]), "a web page"],
		[
			"a page in a JPEG's comment",
			async () =>
				Buffer.concat([(await some.jpeg()).subarray(0, 2), text("\xff\xfe\0\x10<iframe src=x>"), (await some.jpeg()).subarray(2)]),
			"a web page",
		],
		["an archive after a JPEG", async () => Buffer.concat([await some.jpeg(), some.archive()]), "an archive"],
		["an archive after a PNG", async () => Buffer.concat([await some.png(), some.archive()]), "an archive"],
		["a PDF within the first bytes", () => some.pngWith(some.chunk("tEXt", text("Comment\0%PDF-1.4"))), "a PDF"],
		["anything after a PNG", async () => Buffer.concat([await some.png(), text("more")]), "something"],
		["anything after a WebP", async () => Buffer.concat([await some.webp(), text("more")]), "something"],
	])("is found: %s", async (_, make, what) => {
		const bytes = await make();
		const said = bytes[0] === 0x89 ? "image/png" : bytes[0] === 0xff ? "image/jpeg" : "image/webp";
		await expect(renewed(bytes, said)).rejects.toMatchObject({
			code: "invalid_params",
			message: expect.stringContaining(`has ${what} inside`),
		});
	});

	it("and what follows a JPEG unseen, as telephones write it, does not stay", async () => {
		const made = await renewed(Buffer.concat([await some.jpeg(), text("MotionPhoto_Data Ada Secret")]), "image/jpeg");
		expect(Buffer.from(made.bytes).includes("Ada Secret")).toBe(false);
	});
});

describe("what would take the server down", () => {
	it("a PNG that says it has 20,000 × 20,000 pixels is refused by its head", async () => {
		await expect(renewed(some.enormous(20_000, 20_000), "image/png")).rejects.toMatchObject({
			code: "too_large",
			message: expect.stringContaining("16 megapixels"),
		});
	});

	it.each<[string, () => Buffer | Promise<Buffer>, string]>([
		["PNG of one column of 16,000,000 rows", () => some.enormous(1, 16_000_000), "image/png"],
		["PNG of one row", () => some.enormous(16_000_000, 1), "image/png"],
		["PNG of one row more than is allowed", () => some.png(1, LIMITS.pictureSide + 1), "image/png"],
		["JPEG", () => some.jpeg(1, LIMITS.pictureSide + 1), "image/jpeg"],
	])("a %s whose side is too long is refused by its head, few as its pixels are", async (_, make, said) => {
		await expect(renewed(await make(), said)).rejects.toMatchObject({
			code: "too_large",
			message: expect.stringContaining("more than 16,384 pixels wide or high"),
		});
	});

	it("a WebP that says its side is longer than the format has is refused", async () => {
		await expect(renewed(await widelySaid(LIMITS.pictureSide + 1), "image/webp")).rejects.toMatchObject({ code: "invalid_params" });
	});

	it("a side may be as long as is allowed", async () => {
		const height = LIMITS.pictureSide;
		expect(await renewed(await some.png(2, height), "image/png")).toMatchObject({ width: 2, height });
		expect(await renewed(await some.jpeg(2, height), "image/jpeg")).toMatchObject({ width: 2, height });
	});

	it("a text that unpacks to a hundred megabytes is never unpacked", async () => {
		const came = await some.pngWith(some.bomb(100 * 1024 * 1024));
		expect((essentialsOf("png", came) as Uint8Array).byteLength).toBeLessThan(1_000);
		expect(await renewed(came, "image/png")).toMatchObject({ width: 8, height: 6 });
	});

	it("a profile of colours that is a bomb is left out", async () => {
		const profile = some.chunk("iCCP", Buffer.concat([text("x\0\0"), Buffer.alloc(70_000, 1)]));
		expect((essentialsOf("png", await some.pngWith(profile)) as Uint8Array).byteLength).toBeLessThan(1_000);
	});

	it.each<[string, (size?: number) => Promise<Buffer>, string]>([
		["PNG", some.png, "image/png"],
		["JPEG", some.jpeg, "image/jpeg"],
		["WebP", some.webp, "image/webp"],
	])("a %s that is cut off anywhere is refused, and the next picture is taken", async (_, make, said) => {
		const whole = await make(200);
		for (const part of [0.1, 0.5, 0.9]) {
			const cut = whole.subarray(0, Math.max(16, Math.floor(whole.byteLength * part)));
			await expect(renewed(cut, said)).rejects.toMatchObject({
				code: "invalid_params",
				message: expect.stringContaining("damaged or not whole"),
			});
		}
		expect(await renewed(whole, said)).toMatchObject({ width: 200 });
	});

	it("one that takes too long is given up with its process, and the next one is made by another", async () => {
		const impatient = encoderProcess(ENCODER, 1);
		await expect(impatient.make("png", await some.png(3_000, 3_000), "")).rejects.toMatchObject({
			code: "deadline_exceeded",
			message: expect.stringContaining("takes too long"),
		});
		impatient.close();
		const patient = encoderProcess(ENCODER);
		expect(await patient.make("png", await some.png(), "")).toMatchObject({ width: 8 });
		patient.close();
	});

	it("one whose encoder's own time is over is told the same, and nothing else is", async () => {
		// As sharp writes it.
		const why = new Error('timeout: 100% complete\nVipsImage: killed for image "temp-9"\nwebpsave: unable to encode');
		expect(faultOf(why)).toBe("slow");
		expect(faultOf(new Error("VipsJpeg: premature end of JPEG image"))).toBe("broken");
	});

	it("more than may wait are sent away for a moment", async () => {
		const one = await some.png();
		const all = await Promise.allSettled(Array.from({ length: LIMITS.picturesWaiting + 3 }, () => renewed(one, "image/png")));
		const refused = all.filter((r) => r.status === "rejected");
		expect(refused).toHaveLength(3);
		for (const r of refused) expect(r.reason).toMatchObject({ code: "unavailable", detail: { retryAfterSeconds: 5 } });
	});

	it("a picture of nothing but pieces is refused after so many", async () => {
		const pieces = (n: number) => some.pngWith(Buffer.concat(Array<Buffer>(n).fill(some.chunk("teXt", Buffer.alloc(0)))));
		// Of its own it has a header, its pixels, and an end; what else is added is one too many.
		const own = (await some.png()).toString("latin1").match(/IHDR|pHYs|IDAT|IEND/g)?.length ?? 0;
		expect(essentialsOf("png", await pieces(LIMITS.pictureChunks - own))).toBeInstanceOf(Uint8Array);
		expect(essentialsOf("png", await pieces(LIMITS.pictureChunks - own + 1))).toBe("pieces");
		expect(essentialsOf("png", await pieces(870_000))).toBe("pieces");
		await expect(renewed(await pieces(LIMITS.pictureChunks), "image/png")).rejects.toMatchObject({
			code: "invalid_params",
			message: expect.stringContaining("too many pieces"),
		});
	});

	it("what begins like a page is named at once, however often it could be read anew", () => {
		const began = process.cpuUsage();
		for (const head of [
			"<!---->".repeat(200),
			`<?xml ${"?><!--".repeat(300)}`,
			"<".repeat(10_000),
			" ".repeat(10_000),
			"<!-- --> ".repeat(200),
		])
			expect(() => takenKind(text(head), undefined)).toThrow(/^This is (?:a web page|no picture)\./);
		expect(() => takenKind(text(`<?xml version="1.0"?>${"<!-- -->".repeat(50)}<svg>`), undefined)).toThrow("This is an SVG.");
		// Tried every way, one of them would take longer than anybody lives.
		expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
	});

	it.each<[string, () => Promise<Buffer>, string]>([
		[
			"ten megabytes of what a page begins with",
			async () => Buffer.concat([text("\xff\xd8\xff"), Buffer.alloc(10 * 1024 * 1024 - 3, "<")]),
			"image/jpeg",
		],
		[
			"870,000 empty pieces",
			() => some.pngWith(Buffer.concat(Array<Buffer>(870_000).fill(some.chunk("teXt", Buffer.alloc(0))))),
			"image/png",
		],
	])("%s are looked through elsewhere: everybody else has their turn meanwhile", async (_, make, said) => {
		const came = await make();
		let turns = 0;
		let waits = true;
		const count = (): void => {
			turns++;
			if (waits) setImmediate(count);
		};
		setImmediate(count);
		await expect(renewed(came, said)).rejects.toMatchObject({ code: "invalid_params" });
		waits = false;
		// Looked through here, it would have been refused before anybody's turn.
		expect(turns).toBeGreaterThan(10);
	});
});

/** What is read of a picture, whole. */
async function read(uid: string): Promise<Buffer> {
	const file = await pictures.open(uid);
	return Buffer.from(await new Response(file?.read(() => undefined)).arrayBuffer());
}

describe("a picture that is read", () => {
	const uid = "c".repeat(32);
	const bytes = Buffer.alloc(1024 * 1024 + 7, "0123456789");
	const open = async () => {
		const ended: string[] = [];
		const file = await pictures.open(uid);
		if (!file) throw new Error("it is not there");
		return { file, ended, reader: file.read(() => ended.push("ended")).getReader() };
	};
	/** Files that this process has open of it. */
	const held = async (): Promise<number> => {
		const all = await Promise.all((await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
		return all.filter((path) => path.endsWith(uid)).length;
	};

	beforeAll(() => pictures.put(uid, bytes));

	it("comes a piece at a time, as its reader takes it, and is not held as a whole", async () => {
		const { file, reader, ended } = await open();
		expect(file.bytes).toBe(bytes.byteLength);
		expect(await held()).toBe(0);
		const pieces: Uint8Array[] = [];
		for (let next = await reader.read(); !next.done; next = await reader.read()) {
			pieces.push(next.value);
			expect(await held()).toBe(1);
		}
		expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
		expect(Math.max(...pieces.map((piece) => piece.buffer.byteLength))).toBe(64 * 1024);
		expect(ended).toEqual(["ended"]);
		expect(await held()).toBe(0);
	});

	it("is closed once, whenever its reader gives up", async () => {
		const [unread, begun, inTheMiddle] = [await open(), await open(), await open()];
		await unread.reader.cancel();
		await begun.reader.read();
		await begun.reader.cancel();
		void inTheMiddle.reader.read();
		await inTheMiddle.reader.cancel();
		expect([unread.ended, begun.ended, inTheMiddle.ended]).toEqual([["ended"], ["ended"], ["ended"]]);
		expect(await held()).toBe(0);
	});

	it("is over where it goes away meanwhile", async () => {
		const { reader, ended } = await open();
		await pictures.remove(uid);
		await expect(reader.read()).rejects.toMatchObject({ code: "ENOENT" });
		expect(ended).toEqual(["ended"]);
	});
});

describe("a picture that is kept", () => {
	it("is for this program's user alone, is read back, and goes", async () => {
		const uid = "a".repeat(32);
		await pictures.put(uid, text("bytes"));
		const file = join(dir, "files", "aa", uid);
		expect((await stat(file)).mode & 0o777).toBe(0o600);
		expect((await stat(join(dir, "files", "aa"))).mode & 0o777).toBe(0o700);
		expect(await readdir(join(dir, "files", "aa"))).toEqual([uid]);
		expect(await read(uid)).toEqual(text("bytes"));
		await pictures.remove(uid);
		await pictures.remove(uid);
		expect(await pictures.open(uid)).toBeUndefined();
	});

	it("leaves nothing where it could not be kept", async () => {
		const uid = "b".repeat(32);
		// Something is in its way that no file can take the place of.
		await mkdir(join(dir, "files", "bb", uid, "in the way"), { recursive: true });
		await expect(pictures.put(uid, text("bytes"))).rejects.toThrow();
		expect(await readdir(join(dir, "files", "bb"))).toEqual([uid]);
	});

	it("is never larger than what may come", () => expect(LIMITS.pictureBytes).toBe(10 * 1024 * 1024));
});
