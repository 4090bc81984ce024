/**
 * Which extensions a request turns on (a2a.md 1.9): those that it names and we know. The rest is ignored, as the protocol
 * asks. One table says which there are; a card lists it and a door echoes what of it was turned on.
 */
import { EXTENSIONS } from "../../shared/extensions.js";
import type { RequestLike } from "../callers.js";

export interface Extension {
	uri: string;
	description: string;
}

/** Those that any binding may turn on. A row stands here once the engine keeps its promise: a card says nothing that is not so. */
export const HTTP_EXTENSIONS: readonly Extension[] = [];

/** Those of the WebSocket binding alone, listed in a desk's own card. */
export const SOCKET_EXTENSIONS: readonly Extension[] = [
	{ uri: EXTENSIONS.chat, description: "Typing, seen, presence and who speaks, as methods and events of the WebSocket binding." },
];

/** How many URIs of one request are looked at. */
const MAX = 32;

/** The URIs of a list of a header's that are in `known`, in order, each once. */
export function activated(header: string | undefined, known: readonly Extension[]): string[] {
	if (header === undefined || known.length === 0) return [];
	const wanted = header.split(",", MAX).map((uri) => uri.trim());
	return [...new Set(wanted)].filter((uri) => known.some((extension) => extension.uri === uri));
}

/** The extensions that an HTTP request turns on; older clients say it with an `X-`. */
export const requestedExtensions = (request: RequestLike): string[] =>
	activated(request.header("a2a-extensions") ?? request.header("x-a2a-extensions"), HTTP_EXTENSIONS);

/** The header that tells the caller which were turned on; undefined for none. */
export const echoHeader = (extensions: readonly string[]): Record<string, string> | undefined =>
	extensions.length > 0 ? { "a2a-extensions": extensions.join(", ") } : undefined;
