/** The requests of the benches, the same to us and to the peer: JSON-RPC with a version, to us with a key. */
import { post } from "./http-load.js";
import type { Program } from "./programs.js";

const DESK = "/a2a/mira";
const VERSION = { "a2a-version": "1.0" };

/** Ours has a desk's address; the peer is one agent. */
const pathOf = (program: Program): string => (program.key === "" ? "/" : DESK);

export const headersOf = (program: Program): Record<string, string> =>
	program.key === "" ? VERSION : { ...VERSION, authorization: `Bearer ${program.key}` };

const callText = (method: string, params: object): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** A call as the bytes of a POST. */
export const rpc = (program: Program, method: string, params: object, headers: Record<string, string> = {}): string =>
	post(pathOf(program), callText(method, params), { ...headersOf(program), ...headers });

/** To us, from somebody who has no credential yet. */
export const anonymousRpc = (method: string, params: object): string => post(DESK, callText(method, params), VERSION);

let messages = 0;

/** Params of a send with a message of its own. `more`: the task or context it goes on with. */
export const message = (text: string, more: object = {}): { message: object } => ({
	message: { messageId: `m-${++messages}`, role: "ROLE_USER", parts: [{ text }], ...more },
});

/** Turns of one conversation after which the next begins: in the floor as in what is measured against it. */
export const TURNS_EACH = 8;
