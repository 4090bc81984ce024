/**
 * The HTTP+JSON binding (a2a.md 1.11, section 11): verbs and paths below a desk's address, google.rpc.Status for what is
 * refused, in whichever of the two JSON types the caller speaks.
 */
import { DeskError } from "../../shared/errors.js";
import { readBody } from "./body.js";
import { answer, type Codec, contextOf, type DoorParts, deskAt, refusal } from "./call.js";
import { restError } from "./errors.js";
import { type Exchange, restResponse, restType } from "./http.js";
import { isStreaming, type MethodName, QueryParams } from "./operations.js";

type Verb = "GET" | "POST" | "DELETE";

/** A path that is known: what each verb does there, and what the path itself names. */
export interface RestRoute {
	verbs: Partial<Record<Verb, MethodName>>;
	path: Record<string, string>;
}

const SEND: RestRoute = { verbs: { POST: "SendMessage" }, path: {} };
const STREAM: RestRoute = { verbs: { POST: "SendStreamingMessage" }, path: {} };
const LIST: RestRoute = { verbs: { GET: "ListTasks" }, path: {} };
const EXTENDED_CARD: RestRoute = { verbs: { GET: "GetExtendedAgentCard" }, path: {} };

/** The verbs after the colon of a task. Both GET and POST subscribe (a2a.md C4). */
const TASK_VERBS: Record<string, RestRoute["verbs"]> = {
	cancel: { POST: "CancelTask" },
	subscribe: { GET: "SubscribeToTask", POST: "SubscribeToTask" },
};

/** What stands at a path below a desk's address, given by its undecoded segments; undefined: nothing. Throws `invalid_params` for one that cannot be decoded. */
export function routeOf(segments: readonly string[]): RestRoute | undefined {
	const [first = "", second, third, fourth] = segments;
	if (segments.length === 1) {
		switch (decode(first)) {
			case "message:send":
				return SEND;
			case "message:stream":
				return STREAM;
			case "tasks":
				return LIST;
			case "extendedAgentCard":
				return EXTENDED_CARD;
		}
		return undefined;
	}
	if (first !== "tasks" || second === undefined || second === "") return undefined;
	if (segments.length === 2) return taskRoute(second);
	if (third !== "pushNotificationConfigs") return undefined;
	const taskId = decode(second);
	if (segments.length === 3)
		return { verbs: { POST: "CreateTaskPushNotificationConfig", GET: "ListTaskPushNotificationConfigs" }, path: { taskId } };
	if (segments.length !== 4 || fourth === undefined || fourth === "") return undefined;
	return {
		verbs: { GET: "GetTaskPushNotificationConfig", DELETE: "DeleteTaskPushNotificationConfig" },
		path: { taskId, id: decode(fourth) },
	};
}

function taskRoute(segment: string): RestRoute | undefined {
	const colon = segment.lastIndexOf(":");
	if (colon >= 0) {
		const verbs = verbsNamed(segment.slice(colon + 1));
		return verbs && { verbs, path: { id: decode(segment.slice(0, colon)) } };
	}
	// Some clients write the colon as %3A. A foreign id may hold one too: only a verb that exists is one.
	const id = decode(segment);
	const verbs = verbsNamed(id.slice(id.lastIndexOf(":") + 1));
	if (verbs && id.includes(":")) return { verbs, path: { id: id.slice(0, id.lastIndexOf(":")) } };
	return { verbs: { GET: "GetTask" }, path: { id } };
}

const verbsNamed = (name: string): RestRoute["verbs"] | undefined => (Object.hasOwn(TASK_VERBS, name) ? TASK_VERBS[name] : undefined);

function decode(segment: string): string {
	if (!segment.includes("%")) return segment;
	try {
		return decodeURIComponent(segment);
	} catch {
		throw new DeskError("invalid_params", "The path cannot be decoded. Write ids in it as UTF-8 with percent signs.", {
			violations: [{ field: "id", description: "Not valid percent-encoding." }],
		});
	}
}

/** Answers one request below a desk's address. Never throws. */
export async function answerRest(
	parts: DoorParts,
	exchange: Exchange,
	network: string,
	handle: string,
	segments: readonly string[],
): Promise<Response> {
	const codec = restCodec(exchange);
	try {
		const desk = await deskAt(parts, handle);
		const route = routeOf(segments);
		if (!route)
			throw new DeskError("method_not_found", "There is nothing at this path. The desk's card is at card, below the desk's address.");
		const { method: verb } = exchange;
		// HEAD asks what GET would; of a stream there is nothing to say beforehand.
		const method = route.verbs[(verb === "HEAD" ? "GET" : verb) as Verb];
		if (!method || (verb === "HEAD" && isStreaming(method))) return wrongVerb(exchange, route);
		const context = await contextOf(parts, exchange, network, desk);
		const params =
			verb === "POST"
				? withPath(await readBody(exchange, "rest", canBeEmpty(method)), route.path)
				: new QueryParams(new URLSearchParams(exchange.query), route.path);
		return await answer(parts, exchange, context, method, params, codec);
	} catch (thrown) {
		return refusal(parts, thrown, codec);
	}
}

/** An answer on this binding refused before its path was looked at. */
export const restRefusal = (parts: DoorParts, exchange: Exchange, thrown: unknown): Response => refusal(parts, thrown, restCodec(exchange));

/** The path is known and the verb is not: 405, with those there are. */
export function wrongVerb(exchange: Exchange, { verbs }: Pick<RestRoute, "verbs">): Response {
	const allowed = [...Object.keys(verbs), "OPTIONS"].join(", ");
	const { status, text } = restError(new DeskError("method_not_found", `This path takes ${Object.keys(verbs).join(" and ")}.`), 405);
	return restResponse(restType(exchange), status, text, { allow: allowed });
}

function restCodec(exchange: Exchange): Codec {
	return {
		answer: (json, headers) => restResponse(restType(exchange), 200, json, headers),
		refuse(error, headers) {
			const { status, text } = restError(error);
			return restResponse(restType(exchange), status, text, headers);
		},
		stream: { event: (json) => json, error: (error) => restError(error).text },
	};
}

/** Cancel and subscribe say everything in their path (a2a.md 1.11). */
const canBeEmpty = (method: MethodName): boolean => method === "CancelTask" || method === "SubscribeToTask";

/** The params of a POST: its body, in which what the path names wins. A body that is no object is left for the schema to refuse. */
function withPath(body: unknown, path: Record<string, string>): unknown {
	if (body === undefined || body === null) return { ...path };
	return typeof body === "object" && !Array.isArray(body) ? { ...body, ...path } : body;
}
