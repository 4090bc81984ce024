/**
 * The `eol_` tools: what each is called, what it says of itself, what it takes and what it gives. One table for every door that
 * offers them (requirements.md TOOL-1), and the JSON Schema of each from the same. Shapes only: what a value means is
 * judged by the engine. Names that cross the wire are kept as they are.
 */
import { z } from "zod";
import { EMBED_NUMBER_MAX, GREETING_CHARS, MODES, THEMES } from "./embed.js";
import { LIMITS } from "./limits.js";
import { APP_ACCESS } from "./presets.js";

/** One tool. `input` and `output` are objects, so that a field may be added and nobody breaks. */
export interface ToolSchema<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
	/** A few words, as a list of tools shows them. */
	title: string;
	/** What it does, when to use it, what it answers: read by a model. */
	description: string;
	input: I;
	output: O;
}

/** What a tool's code is given, and what it gives back. */
export type InputOf<T extends ToolSchema> = z.output<T["input"]>;
export type OutputOf<T extends ToolSchema> = z.input<T["output"]>;

const tool = <I extends z.ZodObject, O extends z.ZodObject>(schema: ToolSchema<I, O>): ToolSchema<I, O> => schema;

/** Whole days of milliseconds. */
const daysOf = (ms: number): number => ms / (24 * 60 * 60 * 1000);

/** ISO 8601, UTC. */
const time = z.string().describe("ISO 8601, UTC");

const key = z.object({
	id: z.string(),
	name: z.string(),
	last4: z.string().describe("last four characters of the key"),
});

/** Who is asking. */
export const ACCOUNT_TOOLS = {
	eol_whoami: tool({
		title: "Who am I",
		description:
			"The desk that your key speaks for: its handle, its name and line, whether it takes questions from guests and whether somebody answers now. Call it first.",
		input: z.strictObject({}),
		output: z.object({
			handle: z.string(),
			name: z.string(),
			about: z.string(),
			owner_name: z.string(),
			language: z.enum(["en", "zh"]),
			suggestions: z.array(z.string()),
			guests: z.boolean().describe("whether visitors may ask without signing in; off: no embed shows"),
			online: z.boolean(),
			profile_url: z.string(),
			chat_url: z.string(),
			key: key.describe("the key that this call was made with"),
			keys: z.array(key).describe("every key of the account that is in use"),
		}),
	}),
};

const embed = z.object({
	id: z.int().describe("the embed's number: data-embed in its line"),
	mode: z.enum(MODES),
	name: z.string().describe("what its owner calls it; visitors do not see it"),
	theme: z.enum(THEMES),
	accent: z.string().nullable(),
	greeting: z.boolean(),
	greeting_text: z.string().describe("empty: the usual words, in the visitor's language"),
	code: z.string().describe("the line to paste just before </body> (for button and inline: where it shall stand)"),
	created_at: time,
	changed_at: time,
});

const embedId = z.int().min(1).max(EMBED_NUMBER_MAX);

/** Numbered embeds (EMB-2). */
export const EMBED_TOOLS = {
	eol_list_embeds: tool({
		title: "List embeds",
		description: "The owner's embeds, each with its look and the line to paste.",
		input: z.strictObject({}),
		output: z.object({ embeds: z.array(embed) }),
	}),
	eol_save_embed: tool({
		title: "Make or change an embed",
		description:
			"Without id makes an embed and answers the line to paste into a website (code). With id changes that embed's look: it shows on the website at the next page load, with nothing pasted again. What is left out stays as it is. The mode is fixed once made: for another, make a new embed.",
		input: z.strictObject({
			id: embedId.optional().describe("the embed to change; leave out to make one"),
			mode: z
				.enum(MODES)
				.optional()
				.describe(
					"floating: a button in the corner; pet: the agent itself on the page; button: a button where the line is pasted; inline: the chat itself there. Needed for a new embed",
				),
			name: z.string().max(LIMITS.embedNameChars).optional(),
			theme: z.enum(THEMES).optional().describe("auto follows the website's own light or dark"),
			accent: z.string().max(7).nullable().optional().describe("#rgb or #rrggbb; null or empty for none"),
			greeting: z.boolean().optional().describe("whether the agent says a short hello, once per visitor"),
			greeting_text: z.string().max(GREETING_CHARS).optional().describe("one line of plain text; empty for the usual words"),
		}),
		output: z.object({ embed }),
	}),
	eol_delete_embed: tool({
		title: "Delete an embed",
		description:
			"Deletes an embed for good. Websites that still carry its number stop showing the chat, and chats open there end. The number is never used again.",
		input: z.strictObject({ id: embedId }),
		output: z.object({ deleted: z.int() }),
	}),
};

const site = z.string().max(300);
const listed = {
	site: z.string().describe("https://their-site.com, or *.their-site.com for what is below it"),
	warning: z.string().optional().describe("the name may be taken for another's"),
};
const sites = z.object({
	any_site: z.boolean().describe("on: every website may show the chat but those that are blocked"),
	sites: z
		.array(
			z.object({
				...listed,
				since: time,
				last_seen: time.nullable().describe("when somebody last saw the chat there; null: never"),
				silent: z.boolean().describe(`nobody has for ${daysOf(LIMITS.siteSilentMs)} days: the domain may be somebody else's by now`),
			}),
		)
		.describe("websites that may show the chat"),
	pending: z
		.array(z.object({ ...listed, asked: z.int().describe("how often"), first_seen: time, last_seen: time }))
		.describe("websites that carry the line and wait for the owner's Allow"),
	pending_more: z.int().describe("how often others asked for which the list had no room, since it was last changed"),
	blocked: z.array(z.object({ ...listed, since: time })),
	recent: z.array(z.object({ site: z.string(), last_seen: time })).describe("where the chat has shown lately, newest first"),
});
const rules = z.array(site).max(LIMITS.siteRules);

/** Where the chat may show (SITE-1 to 3). */
export const SITE_TOOLS = {
	eol_get_embed_sites: tool({
		title: "Read where embeds may show",
		description:
			"The websites that may show the owner's chat, those that wait for the owner's Allow, those that are blocked, and where it has shown lately. One list for all embeds.",
		input: z.strictObject({}),
		output: sites,
	}),
	eol_update_embed_sites: tool({
		title: "Set where embeds may show",
		description:
			"Changes the list, all of it or nothing. sites replaces the websites that may show the chat; allow, block, unblock and remove change single ones. A website is written https://their-site.com, or *.their-site.com for its subdomains. Block, and allow what waits, only when the owner says so. Answers the list as it is then.",
		input: z.strictObject({
			sites: rules.optional().describe("the whole list of websites that may show the chat"),
			any_site: z.boolean().optional().describe('"Allow on any website"; off for a new account'),
			allow: rules.optional().describe("websites to add, or that waited"),
			block: rules.optional().describe("websites that may never show it"),
			unblock: rules.optional().describe("blocked ones that are to be unknown again"),
			remove: rules.optional().describe("websites to take off the list, whatever they say there"),
		}),
		output: sites,
	}),
};

const levels = z.enum(APP_ACCESS);
const presets = z.object({
	webSearch: z.boolean(),
	apps: z.record(z.string(), levels).describe("busy: a calendar's free and busy times only"),
});

/** What the agent may do for a visitor of an embed (PRE-1 to 3). */
export const PRESET_TOOLS = {
	eol_get_embed_presets: tool({
		title: "Read what the agent may do in embeds",
		description:
			"What the owner's agent may do, with nobody asked, for visitors who write through the chat on a website. The chat page, ask links, API and MCP do not use it.",
		input: z.strictObject({}),
		output: z.object({ presets, waiting: presets.partial().optional().describe("what waits for the owner's click") }),
	}),
	eol_update_embed_presets: tool({
		title: "Set what the agent may do in embeds",
		description:
			"Changes it. Narrowing holds at once; widening waits for the owner's own click and changes nothing until then. Writing is never allowed ahead of time.",
		input: z.strictObject({
			webSearch: z.boolean().optional(),
			apps: z.record(z.string().max(LIMITS.idChars), levels).optional(),
		}),
		output: z.object({ presets, waiting: presets.partial().optional() }),
	}),
};

/** How a tool is listed: JSON Schema as tools commonly have it. */
export interface ToolDefinition {
	name: string;
	title: string;
	description: string;
	inputSchema: object;
	outputSchema: object;
}

/** A tool as others read it. `input` says what may be sent: fields with a default need not be. */
export const definitionOf = (name: string, { title, description, input, output }: ToolSchema): ToolDefinition => ({
	name,
	title,
	description,
	inputSchema: z.toJSONSchema(input, { io: "input" }),
	outputSchema: z.toJSONSchema(output, { io: "output" }),
});

/**
 * Reads what a tool was given. A tool without a word takes no argument: `{}`.
 * @returns the input, or what is wrong with each field in one plain sentence.
 */
export function readInput<I extends z.ZodObject>(schema: ToolSchema<I>, given: unknown): { input: z.output<I> } | { wrong: string } {
	const read = schema.input.safeParse(given);
	if (read.success) return { input: read.data };
	const lines = read.error.issues.slice(0, LIMITS.violations).map((issue) => {
		const field = issue.path.map(String).join(".").slice(0, 100);
		const words = wordsOf(issue, Object.keys(schema.input.shape));
		return field === "" ? words : `${field}: ${words}`;
	});
	return { wrong: lines.join(" ") };
}

const TYPES: Readonly<Record<string, string>> = {
	string: "Give a text.",
	number: "Give a number.",
	int: "Give a whole number.",
	boolean: "Give true or false.",
	array: "Give a list.",
	object: "Give an object.",
	record: "Give an object.",
};

/** One thing that is wrong, as a sentence that says what to give instead. `names`: the arguments that there are. */
function wordsOf(issue: z.core.$ZodIssue, names: string[]): string {
	switch (issue.code) {
		case "invalid_type":
			return TYPES[issue.expected] ?? "Give a value of another type.";
		case "invalid_value":
			return `Give one of: ${issue.values.map(String).join(", ")}.`;
		case "too_big":
			return issue.origin === "string"
				? `Give at most ${issue.maximum} characters.`
				: issue.origin === "array"
					? `Give at most ${issue.maximum} entries.`
					: `Give at most ${issue.maximum}.`;
		case "too_small":
			return `Give at least ${issue.minimum}.`;
		case "unrecognized_keys": {
			const unknown = issue.keys.map((name) => JSON.stringify(name.slice(0, 40))).join(", ");
			const known = names.length === 0 ? "This tool takes none." : `Those are ${names.join(", ")}.`;
			return `There is no argument ${unknown}. ${known}`;
		}
		default:
			return "This value is none that can be taken; see the tool's schema.";
	}
}
