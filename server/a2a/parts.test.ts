import { describe, expect, it } from "vitest";
import type { Message, Part } from "../../shared/a2a.schema.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { INPUT_MODES } from "./card.js";
import { checkMessage, checkOutputModes, pictureType } from "./parts.js";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64");
const JPEG = Buffer.from("ffd8ffe000104a464946", "hex").toString("base64");
const WEBP = Buffer.from("524946461000000057454250565038", "hex").toString("base64");

const message = (...parts: Part[]): Message => ({ messageId: "m", role: "ROLE_USER", parts });

const refusal = (parts: "all" | "text+data" | "text", ...given: Part[]): DeskError | undefined => {
	try {
		checkMessage(message(...given), parts);
		return undefined;
	} catch (error) {
		return error as DeskError;
	}
};

describe("the parts that a desk takes", () => {
	const taken: Record<string, Part> = {
		text: { text: "hello" },
		"empty text": { text: "" },
		markdown: { text: "*hello*", mediaType: "text/markdown; charset=utf-8" },
		data: { data: { a: 1 } },
		"data of nothing": { data: null },
		"data with its type": { data: [1], mediaType: "application/json" },
		url: { url: "https://example.com/a.png", mediaType: "image/png" },
		"url of unknown type": { url: "https://example.com/a" },
		png: { raw: PNG, mediaType: "image/png" },
		jpeg: { raw: JPEG, mediaType: "IMAGE/JPEG" },
		webp: { raw: WEBP },
	};
	it.each(Object.keys(taken))("%s by default", (name) => expect(refusal("all", taken[name] as Part)).toBeUndefined());
	it.each(["text", "data"])("%s where it takes text and data", (name) => expect(refusal("text+data", taken[name] as Part)).toBeUndefined());
	it.each(["url", "png"])("no %s where it takes text and data", (name) =>
		expect(refusal("text+data", taken[name] as Part)?.code).toBe("content_type_not_supported"),
	);
	it.each(["data", "url", "png"])("no %s where it takes text alone", (name) =>
		expect(refusal("text", taken[name] as Part)?.code).toBe("content_type_not_supported"),
	);

	const refused: Record<string, Part> = {
		"html as text": { text: "<b>", mediaType: "text/html" },
		"xml as data": { data: "<a/>", mediaType: "application/xml" },
		"a pdf by url": { url: "https://example.com/a.pdf", mediaType: "application/pdf" },
		"a gif": { raw: Buffer.from("GIF89a").toString("base64"), mediaType: "image/gif" },
		"an svg that says it is a png": { raw: Buffer.from("<svg xmlns='x'/>").toString("base64"), mediaType: "image/png" },
		"a png that says it is a jpeg": { raw: PNG, mediaType: "image/jpeg" },
		"bytes of nothing": { raw: "" },
	};
	it.each(Object.keys(refused))("never %s", (name) => {
		const error = refusal("all", refused[name] as Part);
		expect(error?.code).toBe("content_type_not_supported");
		expect(error?.message).toContain("message.parts[0]");
	});

	it("names every type of the card when it refuses one", () => {
		const error = refusal("all", { text: "x", mediaType: "text/html" });
		for (const mode of INPUT_MODES.all) expect(error?.message).toContain(mode);
	});

	it.each(["ftp://example.com/a", "javascript:alert(1)", "/a.png", "data:image/png;base64,AA==", "https://", "file:///etc/passwd"])(
		"no url like %s, and says which part",
		(url) => {
			const error = refusal("all", { text: "look" }, { url });
			expect(error?.code).toBe("invalid_params");
			expect(error?.detail.violations?.[0]?.field).toBe("message.parts[1].url");
		},
	);
});

describe("how much a message may be", () => {
	it("is the limit's bytes of text in all its parts, counted as UTF-8", () => {
		const half = "x".repeat(LIMITS.messageTextBytes / 2);
		expect(refusal("all", { text: half }, { text: half })).toBeUndefined();
		expect(refusal("all", { text: half }, { text: `${half}x` })?.code).toBe("invalid_params");
		expect(refusal("all", { text: "字".repeat(Math.floor(LIMITS.messageTextBytes / 3)) })).toBeUndefined();
		expect(refusal("all", { text: "字".repeat(Math.floor(LIMITS.messageTextBytes / 3) + 1) })?.detail.violations?.[0]?.field).toBe(
			"message.parts",
		);
	});

	it("is the limit's number of parts", () => {
		const parts = Array.from({ length: LIMITS.messageParts }, () => ({ text: "x" }));
		expect(refusal("all", ...parts)).toBeUndefined();
		expect(refusal("all", ...parts, { text: "x" })?.code).toBe("invalid_params");
	});
});

describe("the types a caller accepts", () => {
	it.each([undefined, [], ["text/plain"], ["image/png", "application/json"], ["*/*"], ["text/*"], ["Text/Plain; charset=utf-8"]])(
		"may be %j",
		(modes) => expect(() => checkOutputModes(modes)).not.toThrow(),
	);
	it.each([[["image/png"]], [["text/html", "application/pdf"]], [["image/*"]]])("may not be %j alone", (modes) =>
		expect(() => checkOutputModes(modes)).toThrow(DeskError),
	);
});

describe("the type of a picture", () => {
	it("is read from its first bytes", () => {
		expect([PNG, JPEG, WEBP, "", "AA==", Buffer.from("RIFF\0\0\0\0WAVEfmt ").toString("base64")].map(pictureType)).toEqual([
			"image/png",
			"image/jpeg",
			"image/webp",
			undefined,
			undefined,
			undefined,
		]);
	});
});
