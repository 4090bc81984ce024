import { AgentCard as SdkAgentCard } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { type AgentCard, AgentCardSchema } from "./a2a-card.schema.js";
import { read } from "./a2a-read.schema.js";
import { DeskError } from "./errors.js";

const skill = { id: "ask", name: "Ask", description: "Answers from the memory.", tags: ["questions"] };

const small: AgentCard = {
	name: "Mira",
	description: "Mira's front desk.",
	supportedInterfaces: [{ url: "https://desk.example/a2a/mira", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
	version: "1.0.0",
	capabilities: {},
	defaultInputModes: ["text/plain"],
	defaultOutputModes: ["text/plain"],
	skills: [skill],
};

/** Everything that a card can say. */
const full: AgentCard = {
	...small,
	supportedInterfaces: [
		{ url: "https://desk.example/a2a/mira", protocolBinding: "JSONRPC", tenant: "mira", protocolVersion: "1.0" },
		{ url: "https://desk.example/a2a/mira", protocolBinding: "HTTP+JSON", tenant: "mira", protocolVersion: "1.0" },
	],
	provider: { url: "https://desk.example", organization: "Desk" },
	documentationUrl: "https://desk.example/docs",
	iconUrl: "https://desk.example/icon.png",
	capabilities: {
		streaming: true,
		pushNotifications: false,
		extendedAgentCard: true,
		extensions: [
			{ uri: "https://desk.example/ext/v1", description: "More.", required: true, params: { max_size: 1, nested: { a_b: null } } },
		],
	},
	securitySchemes: {
		key: { apiKeySecurityScheme: { description: "A key.", location: "header", name: "X-API-Key" } },
		bearer: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
		openid: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://id.example/.well-known/openid-configuration" } },
		tls: { mtlsSecurityScheme: {} },
		code: {
			oauth2SecurityScheme: {
				oauth2MetadataUrl: "https://id.example/.well-known/oauth-authorization-server",
				flows: {
					authorizationCode: {
						authorizationUrl: "https://id.example/authorize",
						tokenUrl: "https://id.example/token",
						refreshUrl: "https://id.example/refresh",
						scopes: { a2a: "Talk to desks.", snake_case: "Stays as it is." },
						pkceRequired: true,
					},
				},
			},
		},
		machine: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "https://id.example/token", scopes: { a2a: "Talk." } } } } },
		device: {
			oauth2SecurityScheme: {
				flows: {
					deviceCode: {
						deviceAuthorizationUrl: "https://id.example/device",
						tokenUrl: "https://id.example/token",
						scopes: { a2a: "Talk." },
					},
				},
			},
		},
	},
	securityRequirements: [{ schemes: { bearer: { list: ["a2a"] } } }, { schemes: { key: { list: ["a2a"] } } }],
	skills: [
		{
			...skill,
			examples: ["When are you open?"],
			inputModes: ["text/plain"],
			outputModes: ["text/plain", "application/json"],
			securityRequirements: [{ schemes: { bearer: { list: ["a2a"] } } }],
		},
	],
	signatures: [{ protected: "eyJhbGciOiJFUzI1NiJ9", signature: "c2ln", header: { kid: "1", x_y: [] } }],
};

/** snake_case for field names alone: names in maps are the card's own. */
const snake = (card: AgentCard): unknown =>
	JSON.parse(
		JSON.stringify(card).replace(
			/"(supported|protocol|security|default|documentation|icon|push|extended|api|http|oauth2|open|mtls|authorization|token|refresh|pkce|client|device|bearer|input|output)[A-Z]\w*":/g,
			(name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
		),
	);

function fields(value: unknown): string[] {
	try {
		read(AgentCardSchema, value);
	} catch (error) {
		if (error instanceof DeskError) return error.detail.violations?.map((violation) => violation.field) ?? [];
		throw error;
	}
	return [];
}

describe("AgentCardSchema", () => {
	it.each([
		["small", small],
		["full", full],
	])("reads a %s card as it was written, in either spelling", (_, card) => {
		expect(AgentCardSchema.parse(card)).toEqual(card);
		expect(read(AgentCardSchema, card)).toEqual(card);
		expect(read(AgentCardSchema, snake(card))).toEqual(card);
	});

	it("is understood by the public SDK, and understands it", () => {
		for (const card of [small, full]) {
			expect(read(AgentCardSchema, JSON.parse(JSON.stringify(SdkAgentCard.toJSON(SdkAgentCard.fromJSON(card)))))).toEqual(card);
		}
	});

	it("keeps a capability that is stated to be off", () => {
		expect(read(AgentCardSchema, { ...small, capabilities: { streaming: false } }).capabilities).toEqual({ streaming: false });
	});

	it("drops what it does not know", () => {
		expect(
			read(AgentCardSchema, {
				...small,
				url: "https://old.example",
				securitySchemes: { future: { quantumSecurityScheme: {} }, flow: { oauth2SecurityScheme: { flows: { future: {} } } } },
			}),
		).toEqual({ ...small, securitySchemes: { future: {}, flow: { oauth2SecurityScheme: { flows: {} } } } });
	});

	it("takes a text that was left out for an empty one", () => {
		const { description, version, ...rest } = small;
		expect(read(AgentCardSchema, rest)).toEqual({ ...small, description: "", version: "" });
		expect(AgentCardSchema.safeParse(rest).success).toBe(false);
		expect([description, version]).not.toContain("");
	});

	it.each([["supportedInterfaces"], ["capabilities"], ["defaultInputModes"], ["defaultOutputModes"], ["skills"]])("requires %s", (name) => {
		expect(fields({ ...small, [name]: undefined })).toEqual([name]);
		if (name !== "capabilities") expect(fields({ ...small, [name]: [] })).toEqual([name]);
	});

	it.each([
		[
			"a card of 0.3",
			{ ...small, url: "https://x.example", protocolVersion: "0.3.0", supportedInterfaces: undefined },
			"supportedInterfaces",
		],
		[
			"an interface without a url",
			{ ...small, supportedInterfaces: [{ protocolBinding: "JSONRPC", protocolVersion: "1.0" }] },
			"supportedInterfaces[0].url",
		],
		["a skill without tags", { ...small, skills: [{ ...skill, tags: [] }] }, "skills[0].tags"],
		[
			"two schemes under one name",
			{ ...small, securitySchemes: { "my key": { mtlsSecurityScheme: {}, httpAuthSecurityScheme: { scheme: "Bearer" } } } },
			'securitySchemes["my key"]',
		],
		[
			"a scheme without its scheme",
			{ ...small, securitySchemes: { b: { httpAuthSecurityScheme: {} } } },
			"securitySchemes.b.httpAuthSecurityScheme.scheme",
		],
		[
			"a scope that is no text",
			{ ...small, securityRequirements: [{ schemes: { b: { list: [1] } } }] },
			"securityRequirements[0].schemes.b.list[0]",
		],
		["maps that are lists", { ...small, securitySchemes: [] }, "securitySchemes"],
		["parameters that are no object", { ...small, capabilities: { extensions: [{ params: "x" }] } }, "capabilities.extensions[0].params"],
	])("refuses %s", (_, card, field) => {
		expect(fields(card)).toEqual([field]);
	});
});
