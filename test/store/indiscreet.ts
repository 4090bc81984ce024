/**
 * Stores that leave the owner out of one question (reliability.md G-46): each is the product's with one text of SQL changed, so that it
 * takes what is there for what is theirs. A suite about isolation has to find every one of them out.
 */
import type { Driver } from "../../server/store/db.js";
import type { Steps } from "../../server/store/sql.js";

interface Indiscretion {
	/** Part of the text of the queries that it changes. */
	in: string;
	/** What says whose it is. The place of its parameter stays. */
	owner: string;
	instead: string;
}

export const INDISCRETIONS = {
	/** GetTask, SubscribeToTask: anybody's task. */
	task: { in: "where t.uid = ? and t.caller_id = ?", owner: "t.caller_id = ?", instead: "? is not null" },
	/** The same in a write: CancelTask, a message into somebody's task. */
	taskOfWrite: { in: "where t.uid = ? and t.caller_id = ?", owner: "t.caller_id = ?", instead: "? is not null" },
	/** GetTask and all that reads a task, at another desk than its own. */
	deskOfTask: { in: "where t.uid = ? and t.caller_id = ?", owner: "t.desk_id = ?", instead: "? is not null" },
	/** ListTasks: everybody's tasks. */
	tasks: { in: "order by t.status_at desc", owner: "t.caller_id = ?", instead: "? is not null" },
	/** Only how many there are. */
	count: { in: "select count(*) as n from task t", owner: "t.caller_id = ?", instead: "? is not null" },
	/** Hello, Follow, History, Events: anybody's conversation. */
	conversation: { in: "p.side = 'asker' and c.desk_id = ?", owner: "p.principal_id = ?", instead: "? is not null" },
	/** A message into anybody's conversation, seen in it. */
	conversationOfWrite: { in: "where c.uid = ? and c.desk_id = ? and exists", owner: "p.principal_id = ?", instead: "? is not null" },
	/** Retry keys that do not say whose they are. */
	keys: { in: "from message m join task t", owner: "m.caller_id = ?", instead: "? is not null" },
	/** What is noted of one person is told to all. */
	memory: {
		in: "select path, text from memory_file",
		owner: "select path, text",
		instead: "select replace(path, 'people/', 'about-') as path, text",
	},
} satisfies Record<string, Indiscretion>;

export type IndiscretionName = keyof typeof INDISCRETIONS;

/** Those that lie in what is read before a write: the writer's thread does them. */
export const OF_WRITES: readonly IndiscretionName[] = ["taskOfWrite", "conversationOfWrite", "keys"];

/** The variable that tells a writer's thread which one it has. */
export const VARIABLE = "INDISCRETION";

/** The steps of a load or a read, with their texts changed. */
export function* indiscreet<T>(name: IndiscretionName, steps: Steps<T>): Steps<T> {
	const { in: where, owner, instead } = INDISCRETIONS[name];
	let step = steps.next();
	while (!step.done) {
		const { text } = step.value;
		step = steps.next(yield { ...step.value, text: text.includes(where) ? text.replace(owner, instead) : text });
	}
	return step.value;
}

/** A driver whose reads are so. */
export const indiscreetDriver =
	(name: IndiscretionName) =>
	(driver: Driver): Driver => ({
		write: (operation, input) => driver.write(operation, input),
		read: (steps) => driver.read(() => indiscreet(name, steps())),
		onHint: (listener) => driver.onHint(listener),
		onNotice: (listener) => driver.onNotice(listener),
		backup: (to) => driver.backup(to),
		close: () => driver.close(),
	});
