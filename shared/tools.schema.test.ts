import { describe, expect, it } from "vitest";
import { ACCOUNT_TOOLS, definitionOf, EMBED_TOOLS, PRESET_TOOLS, readInput, SITE_TOOLS } from "./tools.schema.js";

const ALL = { ...ACCOUNT_TOOLS, ...EMBED_TOOLS, ...SITE_TOOLS, ...PRESET_TOOLS };

describe("the tools' table", () => {
	it.each(Object.entries(ALL))("has words and schemas of its own for %s", (name, schema) => {
		const definition = definitionOf(name, schema);
		expect(name).toMatch(/^eol_[a-z_]+$/);
		expect(definition.title).toMatch(/^\S.{3,60}$/);
		expect(definition.description).toMatch(/^[A-Z].{30,}\.$/);
		expect(definition.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
		expect(definition.outputSchema).toMatchObject({ type: "object" });
		// What crosses a wire as JSON.
		expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
	});
	it("says which arguments a tool cannot do without", () => {
		expect(definitionOf("eol_delete_embed", EMBED_TOOLS.eol_delete_embed).inputSchema).toMatchObject({ required: ["id"] });
		expect(definitionOf("eol_save_embed", EMBED_TOOLS.eol_save_embed).inputSchema).not.toHaveProperty("required");
	});
});

describe("what a tool is given", () => {
	it("is read as it is", () => {
		expect(readInput(EMBED_TOOLS.eol_save_embed, { id: 3, accent: null })).toEqual({ input: { id: 3, accent: null } });
	});
	it.each<[unknown, string]>([
		[{ id: "3" }, "id: Give a number."],
		[{ id: 1.5 }, "id: Give a whole number."],
		[{ id: 0 }, "id: Give at least 1."],
		[{ id: 1_000_000_000 }, "id: Give at most 999999999."],
		[{ mode: "x" }, "mode: Give one of: floating, pet, button, inline."],
		[{ name: 1, greeting: 1 }, "name: Give a text. greeting: Give true or false."],
		[{ x: 1 }, 'There is no argument "x". Those are id, mode, name, theme, accent, greeting, greeting_text.'],
		[{ accent: "x".repeat(8) }, "accent: Give at most 7 characters."],
		[[], "Give an object."],
		[null, "Give an object."],
	])("of %j is told what to give instead", (given, wrong) => {
		expect(readInput(EMBED_TOOLS.eol_save_embed, given)).toEqual({ wrong });
	});
	it("is told so for each entry of a list", () => {
		expect(readInput(SITE_TOOLS.eol_update_embed_sites, { allow: ["https://a.com", 2], sites: "x" })).toEqual({
			wrong: "sites: Give a list. allow.1: Give a text.",
		});
		expect(readInput(ACCOUNT_TOOLS.eol_whoami, { a: 1 })).toEqual({ wrong: 'There is no argument "a". This tool takes none.' });
		expect(readInput(PRESET_TOOLS.eol_update_embed_presets, { apps: { mail: "write" } })).toEqual({
			wrong: "apps.mail: Give one of: none, busy, read.",
		});
	});
});
