/**
 * The operations of A2A, once, for every binding (a2a.md 1.16): what is asked is checked here as far as it is not the
 * engine's to judge, then handed on, and the answer comes back as wire JSON. Knows no HTTP and no frames; a binding reads
 * its request into `params`, says who calls, and writes what it gets.
 */
import {
	CancelTaskRequestSchema,
	fromQuery,
	GetExtendedAgentCardRequestSchema,
	GetTaskRequestSchema,
	ListTasksRequestSchema,
	type Message,
	read,
	SendMessageRequestSchema,
	SubscribeToTaskRequestSchema,
} from "../../shared/a2a.schema.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Caller, Desk, Engine, JsonText, SendOptions, Sent, TaskEvent } from "../engine/engine.js";
import type { PrincipalRow } from "../engine/rows.js";
import type { DeskSettings } from "../engine/settings.js";
import { type Cards, PROTOCOL_VERSION } from "./card.js";
import type { Gate } from "./limits.js";
import { checkMessage, checkOutputModes } from "./parts.js";

/** Everything an operation needs to know of one call. */
export interface CallContext {
	readonly engine: Engine;
	readonly desk: Desk;
	/** With the extensions that the call turned on. */
	readonly caller: Caller;
	/** A credential was shown. Not the same as a known principal: the kit's server knows callers who showed none. */
	readonly authenticated: boolean;
	/** The version that the call named; undefined: none. */
	readonly version: string | undefined;
	/** What limits count as one caller while nobody is known: `networkOf` of its address. */
	readonly network: string;
	readonly gate: Gate;
	readonly cards: Cards;
	/** Aborted when the client has gone: waits and streams end, tasks go on. */
	readonly signal: AbortSignal;
	/** Told of a message as soon as it is taken in, before any answer to it is waited for. */
	onSent?(sent: Sent, message: Message): void;
	/** Says that this call waits from here on: `signal` then also ends it for whoever is shut out, with a DeskError as its reason, and for a server that stops. */
	wait?(): { principal: PrincipalRow | null; close(): void };
}

/** A guest that a send made: its token is told once, here and in the metadata of its first task (A2A-3). */
export interface NewGuest {
	token: string;
	principal: PrincipalRow;
}

export type Outcome = Answer | Stream;

/** An answer as a whole. */
export interface Answer {
	/** Wire JSON of the method's result, the same in every binding. */
	json: JsonText;
	guest?: NewGuest;
	/** HTTP headers besides the usual; bindings without headers drop them. */
	headers?: Record<string, string>;
}

/** An answer event by event. What would have refused the call has been thrown before. */
export interface Stream {
	events: AsyncIterable<TaskEvent>;
	/** Whose stream it is; null: the one caller that all without a credential are. */
	principal: PrincipalRow | null;
	guest?: NewGuest;
}

/** `params`: the JSON value that the caller gave, or a `QueryParams`. Throws DeskError. */
export type Operation = (context: CallContext, params: unknown) => Promise<Outcome>;

/** Params that stand in a path and a query, which have spellings of their own (a2a.md 1.11). */
export class QueryParams {
	constructor(
		readonly query: URLSearchParams,
		/** What the path names wins over the query. */
		readonly path: Record<string, string>,
	) {}
}

type Schema = Parameters<typeof read>[0];

const readParams = <S extends Schema>(schema: S, params: unknown): ReturnType<typeof read<S>> =>
	params instanceof QueryParams ? fromQuery(schema, params.query, params.path) : read(schema, params);

/** An operation over params that were read, after what holds for every call: the version, and the tenant (a2a.md C8). */
function operation<S extends Schema>(
	schema: S,
	run: (context: CallContext, params: ReturnType<typeof read<S>>) => Promise<Outcome>,
): Operation {
	return async (context, given) => {
		checkVersion(context.version, context.desk.settings.missingVersion);
		const params = readParams(schema, given);
		const { tenant } = params as { tenant?: string };
		if (tenant !== undefined && tenant !== context.desk.row.handle) {
			throw new DeskError(
				"invalid_params",
				"tenant: This address is another desk's. Leave tenant out, or call the address of the desk that it names.",
				{
					violations: [{ field: "tenant", description: `Give ${context.desk.row.handle}, or leave it out.` }],
				},
			);
		}
		return run(context, params);
	};
}

/** Throws `version_not_supported`. Only major and minor count: 1.0.1 is 1.0 (a2a.md 1.8). */
export function checkVersion(version: string | undefined, missing: DeskSettings["missingVersion"]): void {
	const named = version?.trim() || missing;
	if (/^(\d+\.\d+)(?:\.\d+)?$/.exec(named)?.[1] === PROTOCOL_VERSION) return;
	const said = version?.trim()
		? "This desk does not speak that version of A2A"
		: "A request without a version is one of A2A 0.3, which this desk does not speak";
	throw new DeskError("version_not_supported", `${said}. Send A2A-Version: ${PROTOCOL_VERSION}.`, {
		metadata: { supportedVersions: PROTOCOL_VERSION },
	});
}

const noPush: Operation = async (context) => {
	checkVersion(context.version, context.desk.settings.missingVersion);
	throw pushNotSupported();
};

const pushNotSupported = (): DeskError =>
	new DeskError(
		"push_notification_not_supported",
		"This desk calls no webhooks. Follow the task with SubscribeToTask, or ask for it with GetTask.",
	);

/** Every method of A2A 1.0 by the name that JSON-RPC gives it. */
export const operations = {
	SendMessage: operation(SendMessageRequestSchema, async (context, { message, configuration }) => {
		const options = checkSend(context, message, configuration);
		if (configuration?.returnImmediately) {
			const sent = await send(context, message, options);
			return { json: sent.message === undefined ? `{"task":${sent.task}}` : `{"message":${sent.message}}`, guest: guestOf(sent) };
		}
		// Before it is taken in: who is shut out meanwhile is not waited with.
		const waits = context.wait?.();
		try {
			const sent = await send(context, message, options);
			if (waits) waits.principal = sent.principal;
			const caller = { ...context.caller, principal: sent.principal };
			const { waitMs } = context.desk.settings;
			const { signal } = context;
			const answered = await context.engine.answer(caller, context.desk, sent, { ...options, waitMs, signal });
			if (signal.reason instanceof DeskError) throw signal.reason;
			return { json: `{"${answered.kind}":${answered.json}}`, guest: guestOf(sent) };
		} finally {
			waits?.close();
		}
	}),

	SendStreamingMessage: operation(SendMessageRequestSchema, async (context, { message, configuration }) => {
		const options = checkSend(context, message, configuration);
		const sent = await send(context, message, options);
		const caller = { ...context.caller, principal: sent.principal };
		const events = context.engine.followSent(caller, context.desk, sent, { ...options, signal: context.signal });
		return { events, principal: sent.principal, guest: guestOf(sent) };
	}),

	GetTask: operation(GetTaskRequestSchema, async ({ engine, desk, caller }, { id, historyLength }) => ({
		json: await engine.getTask(caller, desk, id, historyLength),
	})),

	ListTasks: operation(ListTasksRequestSchema, async ({ engine, desk, caller }, params) => ({
		json: await engine.listTasks(caller, desk, {
			contextId: params.contextId,
			state: params.status,
			statusTimestampAfter: params.statusTimestampAfter === undefined ? undefined : Date.parse(params.statusTimestampAfter),
			pageSize: params.pageSize ?? LIMITS.pageSize,
			pageToken: params.pageToken,
			historyLength: params.historyLength,
			includeArtifacts: params.includeArtifacts ?? false,
		}),
	})),

	CancelTask: operation(CancelTaskRequestSchema, async ({ engine, desk, caller }, { id }) => ({
		json: await engine.cancelTask(caller, desk, id),
	})),

	SubscribeToTask: operation(SubscribeToTaskRequestSchema, async ({ engine, desk, caller, signal }, { id }) => ({
		events: await engine.subscribe(caller, desk, id, { signal }),
		principal: caller.principal,
	})),

	GetExtendedAgentCard: operation(GetExtendedAgentCardRequestSchema, async ({ desk, authenticated, cards }) => {
		if (desk.settings.extendedCard === "credential" && !authenticated) {
			throw new DeskError("unauthenticated", "The extended card needs a guest token or a key, sent as Authorization: Bearer.");
		}
		const card = cards.extendedCard(desk);
		return { json: card.text, headers: { "cache-control": "private, no-store", vary: "Accept, Authorization", etag: card.etag } };
	}),

	CreateTaskPushNotificationConfig: noPush,
	GetTaskPushNotificationConfig: noPush,
	ListTaskPushNotificationConfigs: noPush,
	DeleteTaskPushNotificationConfig: noPush,
} satisfies Record<string, Operation>;

export type MethodName = keyof typeof operations;

/** Whether a method's answer is a stream. */
export const isStreaming = (method: MethodName): boolean => method === "SendStreamingMessage" || method === "SubscribeToTask";

/** The method of that name, or undefined: names are the caller's, and none of them reaches a prototype. */
export const methodNamed = (name: string): MethodName | undefined => (Object.hasOwn(operations, name) ? (name as MethodName) : undefined);

interface Configuration {
	acceptedOutputModes?: string[];
	taskPushNotificationConfig?: unknown;
	historyLength?: number;
	returnImmediately?: boolean;
}

/** What is to be refused before anything is written. */
function checkSend(context: CallContext, message: Message, configuration: Configuration | undefined): SendOptions {
	if (configuration?.taskPushNotificationConfig !== undefined) throw pushNotSupported();
	checkOutputModes(configuration?.acceptedOutputModes);
	checkMessage(message, context.desk.settings.parts);
	return { historyLength: configuration?.historyLength, acceptedOutputModes: configuration?.acceptedOutputModes };
}

async function send(context: CallContext, message: Message, options: SendOptions): Promise<Sent> {
	const { caller, desk, gate } = context;
	const { principal } = caller;
	if (principal === null) gate.guestMessage(`${desk.row.id} at ${context.network}`, null);
	else if (principal.kind === "guest") gate.guestMessage(`${desk.row.id} ${principal.uid}`, retryKey(message, desk.settings.retryScope));
	const sent = await context.engine.send(caller, desk, message, options);
	context.onSent?.(sent, message);
	return sent;
}

/** What makes two messages of one guest the same to the engine's retry keys (a2a.md, before section 0); null: nothing. */
function retryKey({ messageId, taskId, contextId }: Message, scope: DeskSettings["retryScope"]): string | null {
	if (taskId !== undefined) return `task ${taskId} ${messageId}`;
	if (scope === "desk") return `desk ${messageId}`;
	return contextId === undefined ? null : `context ${contextId} ${messageId}`;
}

const guestOf = (sent: Sent): NewGuest | undefined =>
	sent.guestToken === undefined ? undefined : { token: sent.guestToken, principal: sent.principal };
