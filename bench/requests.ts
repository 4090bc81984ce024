/** The requests of the benches, the same to us and to the peer: JSON-RPC with a version, to us with a key. */
import { post } from "./http-load.js";
import type { Program } from "./programs.js";

/** Ours has a desk's address; the peer is one agent. */
export const pathOf = (program: Program): string => (program.key === "" ? "/" : "/a2a/mira");

export const headersOf = (program: Program): Record<string, string> => ({
	"a2a-version": "1.0",
	...(program.key === "" ? {} : { authorization: `Bearer ${program.key}` }),
});

/** A call as the bytes of a POST. */
export const rpc = (program: Program, method: string, params: object, headers: Record<string, string> = {}): string =>
	post(pathOf(program), JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), { ...headersOf(program), ...headers });

let messages = 0;

/** Params of a send with a message of its own. `more`: the task or context it goes on with. */
export const message = (text: string, more: object = {}): { message: object } => ({
	message: { messageId: `m-${++messages}`, role: "ROLE_USER", parts: [{ text }], ...more },
});
