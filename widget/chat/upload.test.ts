// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { type Unfit, upload } from "./upload.js";

const HEADS = { "image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff\xe0", "image/webp": "RIFF\0\0\0\0WEBP" };
const bytes = (text: string, size: number): Uint8Array<ArrayBuffer> => {
	const all = new Uint8Array(size);
	all.set(Uint8Array.from(text, (char) => char.charCodeAt(0)));
	return all;
};
/** A file that begins as `type` does, of so many bytes. */
const file = (type: keyof typeof HEADS = "image/png", size = 100): File => new File([bytes(HEADS[type], size)], "cup");

/** What was asked of the server, and the server's side of it. */
class Request {
	upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
	onload = (): void => undefined;
	onerror = (): void => undefined;
	onabort = (): void => undefined;
	status = 0;
	response: unknown;
	headers: Record<string, string> = {};
	body: Blob | undefined;
	aborted = false;
	open(method: string, address: string): void {
		asked.push(this);
		this.headers.line = `${method} ${address}`;
	}
	setRequestHeader(name: string, value: string): void {
		this.headers[name] = value;
	}
	send(body: Blob): void {
		this.body = body;
	}
	abort(): void {
		this.aborted = true;
		this.onabort();
	}
	answer(status: number, response?: object): void {
		this.status = status;
		this.response = response;
		this.onload();
	}
}
let asked: Request[] = [];
/** The request, once the picture is on its way. */
const sent = (): Promise<Request> =>
	vi.waitFor(() => {
		expect(asked[0]?.body).toBeDefined();
		return asked[0] as Request;
	});

/** What a browser makes of the file: how large the picture is, and how many bytes a smaller one of it has. */
let picture: { width: number; height: number; close(): void } | undefined;
let drawn: { width: number; height: number; type: string } | undefined;
let made = 50;
let unpacked = 0;

beforeEach(() => {
	asked = [];
	picture = { width: 80, height: 60, close: vi.fn() };
	drawn = undefined;
	made = 50;
	vi.stubGlobal("XMLHttpRequest", Request);
	unpacked = 0;
	vi.stubGlobal("createImageBitmap", async () => {
		unpacked++;
		if (!picture) throw new DOMException("", "InvalidStateError");
		return picture;
	});
	vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
	vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation(function (this: HTMLCanvasElement, done, type = "") {
		drawn = { width: this.width, height: this.height, type };
		done(new Blob([new Uint8Array(made)], { type }));
	});
});
afterEach(() => {
	vi.restoreAllMocks();
	vi.unstubAllGlobals();
});

/** Sends a file up; how it ends is a promise, and one that fails gives why. */
function send(of: File, more: { token?: string; signal?: AbortSignal; progress?: number[] } = {}) {
	const { signal = new AbortController().signal, progress = [] } = more;
	const token = "token" in more ? more.token : "eolg_x";
	const parts = { file: of, address: "/@mira/files", token, signal, onProgress: (to: number) => void progress.push(to) };
	return upload(parts).catch((error: { unfit?: Unfit }) => error.unfit ?? "aborted");
}

test("a picture goes up as what its bytes say it is, with the guest's token, and says how far it is", async () => {
	const progress: number[] = [];
	const ends = send(file("image/jpeg"), { progress });
	const request = await sent();
	expect(request.headers).toEqual({ line: "POST /@mira/files", Authorization: "Bearer eolg_x", "Content-Type": "image/jpeg" });
	request.upload.onprogress?.({ loaded: 25, total: 100 });
	request.answer(201, { url: "https://desk/f/1", mediaType: "image/jpeg" });
	expect(await ends).toEqual({ url: "https://desk/f/1", mediaType: "image/jpeg" });
	expect(progress).toEqual([0.25]);
});

test.each(Object.keys(HEADS) as (keyof typeof HEADS)[])("%s is known by its first bytes", async (type) => {
	void send(file(type));
	expect((await sent()).headers["Content-Type"]).toBe(type);
});

test.each<[number, Unfit]>([
	[400, "broken"],
	[413, "size"],
	[415, "type"],
	[429, "fast"],
	[401, "trouble"],
	[500, "trouble"],
])("an answer of %i means %s", async (status, why) => {
	const ends = send(file());
	(await sent()).answer(status);
	expect(await ends).toBe(why);
});

test("a connection that fails, and a guest who is not known yet, are trouble that may pass", async () => {
	const ends = send(file());
	(await sent()).onerror();
	expect(await ends).toBe("trouble");
	expect(await send(file(), { token: undefined })).toBe("trouble");
	expect(asked).toHaveLength(1);
});

test("what is no picture, and what no shrinking makes small enough, is not sent", async () => {
	expect(await send(new File(["GIF89a"], "cup.png"))).toBe("type");
	picture = undefined;
	expect(await send(file("image/png", LIMITS.pictureBytes + 1))).toBe("size");
	expect(asked).toEqual([]);
	void send(file("image/png", LIMITS.pictureBytes));
	await sent();
});

describe("a picture that is taken away is not sent, and goes no further", () => {
	/** Holds one step until it is let go. */
	const hold = () => {
		let letGo = (): void => undefined;
		let reached = (): void => undefined;
		const here = new Promise<void>((done) => {
			reached = done;
		});
		const held = new Promise<void>((done) => {
			letGo = done;
		});
		return {
			here,
			letGo: () => letGo(),
			async step<T>(result: T): Promise<T> {
				reached();
				await held;
				return result;
			},
		};
	};

	test.each<[string, (step: <T>(result: T) => Promise<T>) => File]>([
		[
			"while it is read",
			(step) => {
				const of = file();
				const whole = of.slice.bind(of);
				of.slice = (...args) => {
					const part = whole(...args);
					const read = part.arrayBuffer.bind(part);
					part.arrayBuffer = async () => await step(await read());
					return part;
				};
				return of;
			},
		],
		[
			"while it is unpacked",
			(step) => {
				vi.stubGlobal("createImageBitmap", () => {
					unpacked++;
					return step(picture);
				});
				return file();
			},
		],
		[
			"while it is made smaller",
			(step) => {
				vi.mocked(HTMLCanvasElement.prototype.toBlob).mockImplementation((done) => void step(new Blob(["x"])).then(done));
				picture = { width: 8_000, height: 6_000, close: () => undefined };
				return file();
			},
		],
	])("%s", async (when, make) => {
		const { here, letGo, step } = hold();
		const stop = new AbortController();
		const ends = send(make(step), { signal: stop.signal });
		await here;
		stop.abort();
		letGo();
		expect(await ends).toBe("aborted");
		expect([asked, unpacked]).toEqual([[], when === "while it is read" ? 0 : 1]);
	});

	test("while it is on its way", async () => {
		const stop = new AbortController();
		const ends = send(file(), { signal: stop.signal });
		const request = await sent();
		stop.abort();
		expect(request.aborted).toBe(true);
		expect(await ends).toBe("trouble");
	});
});

describe("a large picture is made smaller first", () => {
	const MEGABYTE = 1024 * 1024;
	const megapixels = (size: { width: number; height: number } | undefined): number =>
		((size?.width ?? 0) * (size?.height ?? 0)) / 1_000_000;

	test("as a file: a photograph of many bytes becomes one of fewer", async () => {
		picture = { width: 1_200, height: 900, close: vi.fn() };
		made = 1_000;
		void send(file("image/jpeg", 3 * MEGABYTE));
		expect((await sent()).body?.size).toBe(1_000);
		expect(drawn).toEqual({ width: 1_200, height: 900, type: "image/jpeg" });
		expect(picture.close).toHaveBeenCalled();
	});

	test("by its sides: 20 megapixels in few bytes, which the server would refuse, though the smaller one is the larger file", async () => {
		picture = { width: 5_000, height: 4_000, close: vi.fn() };
		made = 2 * MEGABYTE;
		void send(file("image/png", MEGABYTE));
		expect((await sent()).body?.size).toBe(2 * MEGABYTE);
		expect((await sent()).headers["Content-Type"]).toBe("image/webp");
		expect(drawn).toEqual({ width: 2_000, height: 1_600, type: "image/webp" });
	});

	test("and never beyond what the server takes, however long and narrow: its words can still be read", async () => {
		picture = { width: 1_000, height: 40_000, close: vi.fn() };
		void send(file("image/png", MEGABYTE));
		await sent();
		expect(megapixels(drawn)).toBeLessThanOrEqual(LIMITS.picturePixels / 1_000_000);
		expect(drawn?.height).toBeLessThanOrEqual(16_383);
		expect(drawn?.width).toBeGreaterThan(400);
	});

	test("but not one that is small already, nor into more bytes than it had, nor one that cannot be read here", async () => {
		void send(file("image/png", 100));
		expect((await sent()).body?.size).toBe(100);
		expect(drawn).toBeUndefined();
		asked = [];
		made = 4 * MEGABYTE;
		void send(file("image/png", 3 * MEGABYTE));
		expect((await sent()).body?.size).toBe(3 * MEGABYTE);
		asked = [];
		picture = undefined;
		void send(file("image/png", 2 * MEGABYTE));
		expect((await sent()).body?.size).toBe(2 * MEGABYTE);
	});
});
