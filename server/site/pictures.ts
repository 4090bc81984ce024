/**
 * Pictures over HTTP: a visitor's chat uploads one with its guest's token and learns its address, `/f/<id>`; whoever was given that address
 * gets the picture and nothing else. It is always sent as a file to keep: browsers draw it where one of our own pages asks for it
 * as a picture, and never open it as a page (reliability.md 4.2, 97). Neither a slow sender nor a slow reader costs anybody else anything.
 */
import { type Context, Hono } from "hono";
import { DeskError, type ErrorCode } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { credentialOf, cutOff, refuseTokenInQuery, unknownCredential } from "../callers.js";
import type { PictureRow } from "../engine/pictures-operations.js";
import type { SiteParts } from "./door.js";
import { COMMON, NO_STORE } from "./headers.js";

const STATUS: Partial<Record<ErrorCode, 400 | 401 | 403 | 404 | 413 | 415 | 429 | 503>> = {
	invalid_request: 400,
	invalid_params: 400,
	unauthenticated: 401,
	forbidden: 403,
	not_found: 404,
	too_large: 413,
	content_type_not_supported: 415,
	rate_limited: 429,
	unavailable: 503,
	deadline_exceeded: 503,
};

/** Of the picture that comes; a browser's guess by a file's name is none of our business, so chats say what the bytes are. */
const SAID = /^image\/(?:png|jpeg|webp)$/;

/** Headers of a picture: no page may be made of it, nobody else's page may show it, no cache keeps it. */
const PICTURE = {
	...COMMON,
	"cache-control": "private, no-store",
	"content-security-policy": "default-src 'none'; sandbox",
	"cross-origin-resource-policy": "same-origin",
	"x-robots-tag": "noindex",
} as const;

type Coming = ReturnType<SiteParts["takePicture"]>;

export function pictures(parts: SiteParts): Hono {
	const { engine, config, log } = parts;
	const app = new Hono();

	const refuse = async (c: Context, error: unknown): Promise<Response> => {
		const known = error instanceof DeskError ? STATUS[error.code] : undefined;
		if (!known) log("error", { err: error, path: c.req.path }, "A picture could not be taken.");
		const told = known
			? (error as DeskError)
			: new DeskError("internal", "Something went wrong on our side. Please try again in a moment.");
		const retry = told.detail.retryAfterSeconds;
		if (retry !== undefined) c.header("retry-after", String(retry));
		// A browser that is cut off while it sends never reads why: what comes is heard to its end, and dropped, if it is not too much.
		if (c.req.raw.bodyUsed || told.code === "too_large") c.header("connection", "close");
		else await eachChunk(c, () => undefined).catch(() => undefined);
		return c.json({ error: { code: told.code, message: told.message } }, known ?? 500, { ...COMMON, ...NO_STORE });
	};

	/** One that comes, from its headers to the disk. */
	const take = async (c: Context, at: string, coming: Coming): Promise<PictureRow> => {
		const desk = await parts.deskAt(at.slice(1));
		if (!desk) throw new DeskError("not_found", "There is no desk at this address.");
		const credential = credentialOf({ header: (name) => c.req.header(name), target: "" }, false);
		if (credential === undefined)
			throw new DeskError("unauthenticated", "Send the token of the guest whose picture it is as Authorization: Bearer.");
		const principal = await engine.identify(credential, desk);
		if (!principal) throw unknownCredential();
		if (!desk.settings.guests && principal.kind !== "account") throw new DeskError("forbidden", "This desk takes no guests.");
		const said = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
		if (!SAID.test(said))
			throw new DeskError(
				"content_type_not_supported",
				"Send the picture itself with its Content-Type: image/png, image/jpeg or image/webp.",
			);
		if (Number(c.req.header("content-length") ?? 0) > LIMITS.pictureBytes) throw tooLarge();
		await engine.pictures.mayTake(principal, desk);
		const row = await engine.pictures.take(principal, desk, await bodyOf(c, coming.grow), { said, network: coming.network });
		coming.kept(row.bytes);
		return row;
	};

	app.post("/:at{@[^/]+}/files", async (c) => {
		let coming: Coming | undefined;
		try {
			refuseTokenInQuery(c.req.url);
			// Its place is taken before anything is asked of the store, and held for as long as it is sent.
			coming = parts.takePicture(c);
			const { uid, mediaType, width, height, bytes } = await take(c, c.req.param("at"), coming);
			return c.json({ url: `${config.publicUrl}/f/${uid}`, mediaType, width, height, bytes }, 201, { ...COMMON, ...NO_STORE });
		} catch (error) {
			// Whoever is still sending is heard out before their place is given back.
			return await refuse(c, error);
		} finally {
			coming?.end();
		}
	});

	app.get("/f/:id", async (c) => {
		const end = parts.readPicture(c);
		let body: ReadableStream<Uint8Array> | null = null;
		try {
			const found = await engine.pictures.open(c.req.param("id"));
			if (!found) return c.text("There is no such picture (any more).\n", 404, { ...COMMON, ...NO_STORE });
			const { mediaType } = found.row;
			// Whoever asks for the headers alone reads no body.
			if (c.req.method !== "HEAD") body = found.file.read(end);
			return new Response(body, {
				headers: {
					...PICTURE,
					"content-type": mediaType,
					"content-length": String(found.file.bytes),
					// What it was called at its sender's is a label in the conversation, never a name here.
					"content-disposition": `attachment; filename="picture.${mediaType === "image/jpeg" ? "jpg" : mediaType.slice("image/".length)}"`,
				},
			});
		} finally {
			// A body gives the place back itself, when it has been read or given up.
			if (!body) end();
		}
	});

	return app;
}

const tooLarge = (): DeskError =>
	new DeskError("too_large", `A picture has at most ${LIMITS.pictureBytes / 1024 / 1024} MiB. Make it smaller and send it again.`);

/** The body, as far as a picture may be large; what its sender said of its length is not believed. `grow`: there are so many more bytes of it. */
async function bodyOf(c: Context, grow: (bytes: number) => void): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	await eachChunk(c, (chunk) => {
		grow(chunk.byteLength);
		chunks.push(chunk);
	});
	return Buffer.concat(chunks);
}

/** Throws `too_large`, and `invalid_request` where the sender goes away; whatever it throws, the rest is not waited for. */
async function eachChunk(c: Context, take: (chunk: Uint8Array) => void): Promise<void> {
	let bytes = 0;
	const reader = c.req.raw.body?.getReader();
	if (!reader) return;
	const next = () =>
		reader.read().catch(() => {
			throw cutOff();
		});
	try {
		for (let read = await next(); !read.done; read = await next()) {
			bytes += read.value.byteLength;
			if (bytes > LIMITS.pictureBytes) throw tooLarge();
			take(read.value);
		}
	} catch (error) {
		await reader.cancel().catch(() => undefined);
		throw error;
	}
}
