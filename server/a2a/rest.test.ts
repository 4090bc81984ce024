import { describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { routeOf } from "./rest.js";

const route = (path: string) => routeOf(path.split("/"));

describe("the paths of HTTP+JSON", () => {
	it.each([
		["message:send", { POST: "SendMessage" }, {}],
		["message%3Asend", { POST: "SendMessage" }, {}],
		["message:stream", { POST: "SendStreamingMessage" }, {}],
		["tasks", { GET: "ListTasks" }, {}],
		["tasks/tsk_1", { GET: "GetTask" }, { id: "tsk_1" }],
		["tasks/tsk_1:cancel", { POST: "CancelTask" }, { id: "tsk_1" }],
		["tasks/tsk_1%3Acancel", { POST: "CancelTask" }, { id: "tsk_1" }],
		["tasks/tsk_1:subscribe", { GET: "SubscribeToTask", POST: "SubscribeToTask" }, { id: "tsk_1" }],
		["tasks/a:b:cancel", { POST: "CancelTask" }, { id: "a:b" }],
		["tasks/a%3Ab", { GET: "GetTask" }, { id: "a:b" }],
		["tasks/a%2Fb", { GET: "GetTask" }, { id: "a/b" }],
		[
			"tasks/t/pushNotificationConfigs",
			{ POST: "CreateTaskPushNotificationConfig", GET: "ListTaskPushNotificationConfigs" },
			{ taskId: "t" },
		],
		[
			"tasks/t/pushNotificationConfigs/c",
			{ GET: "GetTaskPushNotificationConfig", DELETE: "DeleteTaskPushNotificationConfig" },
			{ taskId: "t", id: "c" },
		],
		["extendedAgentCard", { GET: "GetExtendedAgentCard" }, {}],
	])("%s", (path, verbs, named) => expect(route(path)).toEqual({ verbs, path: named }));

	it.each([
		"",
		"message",
		"message:delete",
		"tasks/",
		"tasks/t:toString",
		"tasks/t:unknown",
		"tasks/t/",
		"tasks/t/other",
		"tasks/t/pushNotificationConfigs/",
		"tasks/t/pushNotificationConfigs/c/d",
		"v1/tasks",
		"__proto__",
	])("nothing stands at %j", (path) => expect(route(path)).toBeUndefined());

	it.each(["tasks/%", "tasks/%ff", "tasks/%zz:cancel"])("refuses %s, which cannot be decoded", (path) =>
		expect(() => route(path)).toThrow(DeskError),
	);
});
