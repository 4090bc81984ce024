/** Pictures for tests: good ones made here, and files that only pretend to be one (T-UPLOAD). */
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: { r: 168, g: 83, b: 43 } } });

export const png = (width = 8, height = 6): Promise<Buffer> => plain(width, height).png().toBuffer();
export const jpeg = (width = 8, height = 6): Promise<Buffer> => plain(width, height).jpeg().toBuffer();
export const webp = (width = 8, height = 6): Promise<Buffer> => plain(width, height).webp().toBuffer();

/** A JPEG from a camera that was held on its side, with where it was and whose it is. 8 × 6 as it is stored. */
export const fromCamera = (): Promise<Buffer> =>
	plain(8, 6)
		.withExif({
			IFD0: { Make: "Camera Works", Artist: "Ada Secret" },
			IFD3: { GPSLatitudeRef: "N", GPSLatitude: "38/1 42/1 3000/100", GPSLongitudeRef: "W", GPSLongitude: "9/1 8/1 0/100" },
		})
		.withMetadata({ orientation: 6 })
		.jpeg()
		.toBuffer();

/** One chunk of a PNG. */
export function chunk(type: string, data: Uint8Array): Buffer {
	const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(data.byteLength);
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}

const MARK = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

const header = (width: number, height: number): Buffer => {
	const data = Buffer.alloc(13);
	data.writeUInt32BE(width, 0);
	data.writeUInt32BE(height, 4);
	data.set([8, 0, 0, 0, 0], 8);
	return chunk("IHDR", data);
};

/** A PNG that says it is that large, of a single packed row. */
export const enormous = (width: number, height: number): Buffer =>
	Buffer.concat([MARK, header(width, height), chunk("IDAT", deflateSync(Buffer.alloc(width + 1))), chunk("IEND", Buffer.alloc(0))]);

/** A good PNG with more chunks after its first. */
export async function pngWith(...chunks: Buffer[]): Promise<Buffer> {
	const good = await png();
	const afterHeader = 8 + 25;
	return Buffer.concat([good.subarray(0, afterHeader), ...chunks, good.subarray(afterHeader)]);
}

/** A text of zeros that unpacks to so many bytes. */
export const bomb = (bytes: number): Buffer =>
	chunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0", "latin1"), deflateSync(Buffer.alloc(bytes), { level: 9 })]));

/** An archive of one file, small, as `jar` and `zip` write it. */
export const archive = (): Buffer => {
	const end = Buffer.alloc(22);
	end.write("PK\x05\x06", 0, "latin1");
	return Buffer.concat([Buffer.from("PK\x03\x04META-INF/MANIFEST.MF", "latin1"), end]);
};

export const gif = (): Promise<Buffer> => plain(8, 6).gif().toBuffer();
export const tiff = (): Promise<Buffer> => plain(8, 6).tiff().toBuffer();
