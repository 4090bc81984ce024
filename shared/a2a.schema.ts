/**
 * The objects and requests of A2A 1.0 (its `a2a.proto` is the source) as strict zod schemas of their wire JSON, and their
 * types: lowerCamelCase, enums by name, bytes and times as text. This is what we send; what comes from outside is read by
 * `read(schema, value)` or `fromQuery`, which take every spelling that ProtoJSON allows and give this form. The card's own
 * schemas stand in `a2a-card.schema.ts`.
 */
import { z } from "zod";
import {
	bytes,
	callerId,
	explicit,
	int32,
	nullableValue,
	oneOf,
	protoEnum,
	requiredText,
	spelled,
	stated,
	statedText,
	struct,
	timestamp,
} from "./a2a-fields.schema.js";
import { LIMITS } from "./limits.js";
import { TASK_STATES } from "./task-states.js";

export type {
	AgentCapabilities,
	AgentCard,
	AgentCardSignature,
	AgentExtension,
	AgentInterface,
	AgentProvider,
	AgentSkill,
	SecurityRequirement,
	SecurityScheme,
} from "./a2a-card.schema.js";
export type { Struct } from "./a2a-fields.schema.js";
export { fromQuery, read } from "./a2a-read.schema.js";
export type { TaskState } from "./task-states.js";

const text = z.string();
const texts = z.array(text);
const historyLength = explicit(int32(0));

const TaskStateSchema = protoEnum("TASK_STATE", TASK_STATES);

const RoleSchema = protoEnum("ROLE", ["ROLE_USER", "ROLE_AGENT"]);
export type Role = z.infer<typeof RoleSchema>;

/** Exactly one of text, raw, url and data; `data: null` is data. */
export const PartSchema = z
	.strictObject({
		text: explicit(text),
		raw: explicit(bytes),
		url: explicit(requiredText),
		data: nullableValue(),
		metadata: struct.optional(),
		filename: text.optional(),
		mediaType: text.optional(),
	})
	.check(oneOf(["text", "raw", "url", "data"]));
export type Part = z.infer<typeof PartSchema>;

export const MessageSchema = z.strictObject({
	messageId: requiredText,
	contextId: text.optional(),
	taskId: text.optional(),
	role: RoleSchema,
	parts: z.array(PartSchema).min(1),
	metadata: struct.optional(),
	extensions: texts.optional(),
	referenceTaskIds: texts.optional(),
});
export type Message = z.infer<typeof MessageSchema>;

export const ArtifactSchema = z.strictObject({
	artifactId: requiredText,
	name: text.optional(),
	description: text.optional(),
	parts: z.array(PartSchema).min(1),
	metadata: struct.optional(),
	extensions: texts.optional(),
});
export type Artifact = z.infer<typeof ArtifactSchema>;

const TaskStatusSchema = z.strictObject({
	state: TaskStateSchema,
	message: MessageSchema.optional(),
	timestamp: explicit(timestamp),
});
export type TaskStatus = z.infer<typeof TaskStatusSchema>;

export const TaskSchema = z.strictObject({
	id: requiredText,
	contextId: text.optional(),
	status: TaskStatusSchema,
	artifacts: z.array(ArtifactSchema).optional(),
	history: z.array(MessageSchema).optional(),
	metadata: struct.optional(),
});
export type Task = z.infer<typeof TaskSchema>;

export const TaskStatusUpdateEventSchema = z.strictObject({
	taskId: requiredText,
	contextId: requiredText,
	status: TaskStatusSchema,
	metadata: struct.optional(),
});
export type TaskStatusUpdateEvent = z.infer<typeof TaskStatusUpdateEventSchema>;

export const TaskArtifactUpdateEventSchema = z.strictObject({
	taskId: requiredText,
	contextId: requiredText,
	artifact: ArtifactSchema,
	append: z.boolean().optional(),
	lastChunk: z.boolean().optional(),
	metadata: struct.optional(),
});
export type TaskArtifactUpdateEvent = z.infer<typeof TaskArtifactUpdateEventSchema>;

/** Exactly one member is set. */
export const StreamResponseSchema = z
	.strictObject({
		task: TaskSchema.optional(),
		message: MessageSchema.optional(),
		statusUpdate: TaskStatusUpdateEventSchema.optional(),
		artifactUpdate: TaskArtifactUpdateEventSchema.optional(),
	})
	.check(oneOf(["task", "message", "statusUpdate", "artifactUpdate"]));
export type StreamResponse = z.infer<typeof StreamResponseSchema>;

/** Exactly one member is set. */
export const SendMessageResponseSchema = z
	.strictObject({ task: TaskSchema.optional(), message: MessageSchema.optional() })
	.check(oneOf(["task", "message"]));
export type SendMessageResponse = z.infer<typeof SendMessageResponseSchema>;

/** All four members are always there, `nextPageToken` as "" on the last page. */
export const ListTasksResponseSchema = z.strictObject({
	tasks: stated(z.array(TaskSchema), []),
	nextPageToken: statedText,
	pageSize: stated(int32(0), 0),
	totalSize: stated(int32(0), 0),
});
export type ListTasksResponse = z.infer<typeof ListTasksResponseSchema>;

const AuthenticationInfoSchema = z.strictObject({ scheme: requiredText, credentials: text.optional() });
export type AuthenticationInfo = z.infer<typeof AuthenticationInfoSchema>;

export const TaskPushNotificationConfigSchema = z.strictObject({
	tenant: callerId.optional(),
	id: callerId.optional(),
	taskId: callerId.optional(),
	url: requiredText,
	token: text.optional(),
	authentication: AuthenticationInfoSchema.optional(),
});
export type TaskPushNotificationConfig = z.infer<typeof TaskPushNotificationConfigSchema>;

const ListTaskPushNotificationConfigsResponseSchema = z.strictObject({
	configs: z.array(TaskPushNotificationConfigSchema).optional(),
	nextPageToken: text.optional(),
});
export type ListTaskPushNotificationConfigsResponse = z.infer<typeof ListTaskPushNotificationConfigsResponseSchema>;

// Requests. Ids that a caller gives have a length (limits.ts); those of the objects above may be another server's.

/** `blocking: false` of the drafts before 1.0 reads as `returnImmediately` (requirements.md A2A-14), unless that is given itself. */
const SendMessageConfigurationSchema = spelled(
	z.strictObject({
		acceptedOutputModes: texts.optional(),
		taskPushNotificationConfig: TaskPushNotificationConfigSchema.optional(),
		historyLength,
		returnImmediately: z.boolean().optional(),
	}),
	(value) => {
		const given = value as { blocking?: unknown; returnImmediately?: unknown; return_immediately?: unknown } | null;
		if (given?.blocking !== false || (given.returnImmediately ?? given.return_immediately ?? null) !== null) return value;
		return { ...given, returnImmediately: true };
	},
);
export type SendMessageConfiguration = z.infer<typeof SendMessageConfigurationSchema>;

/** A message as a caller may send it: theirs by its role. */
const SentMessageSchema = MessageSchema.extend({
	messageId: callerId,
	contextId: callerId.optional(),
	taskId: callerId.optional(),
	role: protoEnum("ROLE", ["ROLE_USER"]),
	referenceTaskIds: z.array(callerId).optional(),
});

export const SendMessageRequestSchema = z.strictObject({
	tenant: callerId.optional(),
	message: SentMessageSchema,
	configuration: SendMessageConfigurationSchema.optional(),
	metadata: struct.optional(),
});
export type SendMessageRequest = z.infer<typeof SendMessageRequestSchema>;

export const GetTaskRequestSchema = z.strictObject({ tenant: callerId.optional(), id: callerId, historyLength });
export type GetTaskRequest = z.infer<typeof GetTaskRequestSchema>;

export const ListTasksRequestSchema = z.strictObject({
	tenant: callerId.optional(),
	contextId: callerId.optional(),
	status: TaskStateSchema.optional(),
	pageSize: explicit(int32(1, LIMITS.pageSizeMax)),
	pageToken: callerId.optional(),
	historyLength,
	statusTimestampAfter: explicit(timestamp),
	includeArtifacts: explicit(z.boolean()),
});
export type ListTasksRequest = z.infer<typeof ListTasksRequestSchema>;

export const CancelTaskRequestSchema = z.strictObject({ tenant: callerId.optional(), id: callerId, metadata: struct.optional() });
export type CancelTaskRequest = z.infer<typeof CancelTaskRequestSchema>;

export const SubscribeToTaskRequestSchema = z.strictObject({ tenant: callerId.optional(), id: callerId });
export type SubscribeToTaskRequest = z.infer<typeof SubscribeToTaskRequestSchema>;

/** What `CreateTaskPushNotificationConfig` takes: a config that names its task. */
export const CreateTaskPushNotificationConfigRequestSchema = TaskPushNotificationConfigSchema.extend({ taskId: callerId });
export type CreateTaskPushNotificationConfigRequest = z.infer<typeof CreateTaskPushNotificationConfigRequestSchema>;

const configOfTask = { tenant: callerId.optional(), taskId: callerId, id: callerId };

export const GetTaskPushNotificationConfigRequestSchema = z.strictObject(configOfTask);
export type GetTaskPushNotificationConfigRequest = z.infer<typeof GetTaskPushNotificationConfigRequestSchema>;

export const DeleteTaskPushNotificationConfigRequestSchema = z.strictObject(configOfTask);
export type DeleteTaskPushNotificationConfigRequest = z.infer<typeof DeleteTaskPushNotificationConfigRequestSchema>;

export const ListTaskPushNotificationConfigsRequestSchema = z.strictObject({
	tenant: callerId.optional(),
	taskId: callerId,
	pageSize: int32(0).optional(),
	pageToken: callerId.optional(),
});
export type ListTaskPushNotificationConfigsRequest = z.infer<typeof ListTaskPushNotificationConfigsRequestSchema>;

export const GetExtendedAgentCardRequestSchema = z.strictObject({ tenant: callerId.optional() });
export type GetExtendedAgentCardRequest = z.infer<typeof GetExtendedAgentCardRequestSchema>;
