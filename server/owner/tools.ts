/**
 * The tools over HTTP (requirements.md TOOL-1): `POST /api/tools/<name>` with an owner's key does one thing for the one desk that
 * the key is for; `GET` of the same addresses gives the schemas. Every answer is `{ok: true, result}` or
 * `{ok: false, error: {code, message}}`. A credential counts in the Authorization header and nowhere else, cookies are not
 * looked at, and no other origin may read an answer: a page in somebody's browser can do nothing here (reliability.md 30, 34).
 */
import { type Context, Hono } from "hono";
import { DeskError, type ErrorCode } from "../../shared/errors.js";
import { readJson, refuseUnstorable } from "../../shared/json-scan.js";
import { LIMITS } from "../../shared/limits.js";
import { definitionOf, type ToolDefinition } from "../../shared/tools.schema.js";
import { credentialOf, readStream, refuseTokenInQuery, tooLarge } from "../callers.js";
import type { Engine } from "../engine/engine.js";
import { accountTools } from "./tools-account.js";
import { embedTools } from "./tools-embeds.js";
import { presetTools } from "./tools-presets.js";
import type { ToolCall, ToolTable } from "./tools-run.js";
import { siteTools } from "./tools-sites.js";

/** Every tool there is, a line a noun. */
const TOOLS: ToolTable = {
	...accountTools,
	...embedTools,
	...siteTools,
	...presetTools,
};

export interface ToolsDoorOptions {
	engine: Pick<Engine, "owner" | "presets">;
	config: { publicUrl: string };
	log: (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string) => void;
}

const HEADERS = {
	"content-type": "application/json",
	"cache-control": "no-store",
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cross-origin-resource-policy": "same-origin",
	"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** What a tool's caller is told; everything that is not here is ours to mend. */
type ToolErrorCode = "invalid_argument" | "unauthenticated" | "forbidden" | "not_found" | "rate_limited" | "unavailable" | "internal";

const CODES: Partial<Record<ErrorCode, { code: ToolErrorCode; status: number }>> = {
	invalid_params: { code: "invalid_argument", status: 400 },
	invalid_request: { code: "invalid_argument", status: 400 },
	parse_error: { code: "invalid_argument", status: 400 },
	unsupported_operation: { code: "invalid_argument", status: 400 },
	too_large: { code: "invalid_argument", status: 413 },
	content_type_not_supported: { code: "invalid_argument", status: 415 },
	idempotency_conflict: { code: "invalid_argument", status: 409 },
	unauthenticated: { code: "unauthenticated", status: 401 },
	forbidden: { code: "forbidden", status: 403 },
	not_found: { code: "not_found", status: 404 },
	method_not_found: { code: "not_found", status: 404 },
	rate_limited: { code: "rate_limited", status: 429 },
	unavailable: { code: "unavailable", status: 503 },
	deadline_exceeded: { code: "unavailable", status: 503 },
};

/** A refusal in words: each wrong field once. */
function wordsOf({ message, detail }: DeskError): string {
	const fields = (detail.violations ?? []).filter(({ description }) => description !== message);
	if (fields.length === 0) return message;
	return fields.map(({ field, description }) => `${field}: ${description}`).join(" ");
}

/** Builds the door; `app.ts` mounts it at the root. */
export function toolsDoor({ engine, config, log }: ToolsDoorOptions): Hono {
	const definitions: ToolDefinition[] = Object.entries(TOOLS).map(([name, { schema }]) => definitionOf(name, schema));
	const app = new Hono();

	const say = (status: number, body: object, headers: Record<string, string> = {}): Response =>
		new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
	const refuse = (thrown: unknown, tool: string): Response => {
		const known = thrown instanceof DeskError ? CODES[thrown.code] : undefined;
		if (!known) {
			log("error", { err: thrown, tool }, "A tool failed.");
			return say(500, { ok: false, error: { code: "internal", message: "Something went wrong on our side. Try again in a moment." } });
		}
		const error = thrown as DeskError;
		const seconds = error.detail.retryAfterSeconds;
		return say(
			known.status,
			{ ok: false, error: { code: known.code, message: wordsOf(error) } },
			{
				...(known.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="tools"' } : {}),
				...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
			},
		);
	};
	const unknown = (name: string): DeskError =>
		new DeskError("not_found", `There is no tool ${JSON.stringify(name.slice(0, LIMITS.idChars))}. GET /api/tools lists those there are.`);
	const wrongVerb = (allow: string) => () =>
		say(405, { ok: false, error: { code: "invalid_argument", message: `This address takes ${allow}.` } }, { allow });

	/** Who calls. Throws `unauthenticated`: whatever is no key that opens a desk is the same. */
	const callOf = async (c: Context): Promise<ToolCall> => {
		const credential = credentialOf({ header: (name) => c.req.header(name), target: "" }, false);
		const found = credential === undefined ? undefined : await engine.owner.deskByKey(credential);
		if (!found) {
			throw new DeskError(
				"unauthenticated",
				"Send an owner's key as Authorization: Bearer eolc_… One is made with: earthonline key create <handle> --name <what it is for>",
			);
		}
		return { owner: engine.owner, presets: engine.presets, ...found, publicUrl: config.publicUrl };
	};

	app.get("/api/tools", () => say(200, { tools: definitions }));
	app.all("/api/tools", wrongVerb("GET, HEAD"));
	app.get("/api/tools/:name", (c) => {
		const name = c.req.param("name");
		const definition = definitions.find((d) => d.name === name);
		return definition ? say(200, definition) : refuse(unknown(name), name);
	});
	app.post("/api/tools/:name", async (c) => {
		const name = c.req.param("name");
		try {
			refuseTokenInQuery(c.req.url);
			// First who calls: nobody without a key makes us read a body.
			const call = await callOf(c);
			const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
			if (!tool) throw unknown(name);
			return say(200, { ok: true, result: await tool.run(call, await argumentsOf(c)) });
		} catch (thrown) {
			return refuse(thrown, name);
		}
	});
	app.all("/api/tools/:name", wrongVerb("GET, HEAD, POST"));
	return app;
}

/** The JSON object of a body; `{}` where there is none. A type that a form of any page can send is refused (reliability.md 30). */
async function argumentsOf(c: Context): Promise<unknown> {
	const declared = c.req.header("content-length");
	if (declared !== undefined && Number(declared) > LIMITS.bodyBytes) throw tooLarge();
	const encoding = c.req.header("content-encoding")?.trim().toLowerCase();
	if (encoding !== undefined && encoding !== "identity")
		throw new DeskError("content_type_not_supported", "Send the body as it is, without Content-Encoding.");
	const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
	if (type !== undefined && type !== "application/json") throw notJson();
	const bytes = await readStream(c.req.raw.body);
	if (bytes.length === 0) return {};
	if (type === undefined) throw notJson();
	const value = readJson(bytes);
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw new DeskError("invalid_params", 'Send the arguments as one JSON object, such as {"id": 3}.');
	refuseUnstorable(value);
	return value;
}

const notJson = (): DeskError => new DeskError("content_type_not_supported", "Send the arguments as Content-Type: application/json.");
