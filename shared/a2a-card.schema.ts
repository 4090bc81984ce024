/**
 * The Agent Card of A2A 1.0 and all that hangs on it (specification 4.4, 8), in wire form like `a2a.schema.ts`. Apart from
 * it because only who reads a card needs these at run time; the types come from there. Lists that the protocol requires
 * hold at least one element (5.7); texts that it requires may be "".
 */
import { z } from "zod";
import { explicit, oneOf, requiredText, stated, statedText, struct } from "./a2a-fields.schema.js";

const text = z.string();
const texts = z.array(text);
const someTexts = texts.min(1);
const flag = z.boolean();

const AgentInterfaceSchema = z.strictObject({
	url: requiredText,
	protocolBinding: requiredText,
	tenant: text.optional(),
	protocolVersion: requiredText,
});
export type AgentInterface = z.infer<typeof AgentInterfaceSchema>;

const AgentProviderSchema = z.strictObject({ url: statedText, organization: statedText });
export type AgentProvider = z.infer<typeof AgentProviderSchema>;

const AgentExtensionSchema = z.strictObject({
	uri: text.optional(),
	description: text.optional(),
	required: flag.optional(),
	params: struct.optional(),
});
export type AgentExtension = z.infer<typeof AgentExtensionSchema>;

const AgentCapabilitiesSchema = z.strictObject({
	streaming: explicit(flag),
	pushNotifications: explicit(flag),
	extensions: z.array(AgentExtensionSchema).optional(),
	extendedAgentCard: explicit(flag),
});
export type AgentCapabilities = z.infer<typeof AgentCapabilitiesSchema>;

/** A name of `securitySchemes` to the scopes it needs; `{}` where it needs none. */
const SecurityRequirementSchema = z.strictObject({
	schemes: z.record(text, z.strictObject({ list: texts.optional() })).optional(),
});
export type SecurityRequirement = z.infer<typeof SecurityRequirementSchema>;

const scopes = stated(z.record(text, text), {});
const FLOWS = {
	authorizationCode: z.strictObject({
		authorizationUrl: requiredText,
		tokenUrl: requiredText,
		refreshUrl: text.optional(),
		scopes,
		pkceRequired: flag.optional(),
	}),
	clientCredentials: z.strictObject({ tokenUrl: requiredText, refreshUrl: text.optional(), scopes }),
	/** Deprecated, like `password`. */
	implicit: z.strictObject({ authorizationUrl: text.optional(), refreshUrl: text.optional(), scopes: scopes.optional() }),
	password: z.strictObject({ tokenUrl: text.optional(), refreshUrl: text.optional(), scopes: scopes.optional() }),
	deviceCode: z.strictObject({ deviceAuthorizationUrl: requiredText, tokenUrl: requiredText, refreshUrl: text.optional(), scopes }),
};

const SCHEMES = {
	apiKeySecurityScheme: z.strictObject({ description: text.optional(), location: requiredText, name: requiredText }),
	httpAuthSecurityScheme: z.strictObject({ description: text.optional(), scheme: requiredText, bearerFormat: text.optional() }),
	oauth2SecurityScheme: z.strictObject({
		description: text.optional(),
		flows: z.strictObject(optionalMembers(FLOWS)).check(oneOf(Object.keys(FLOWS), { none: true })),
		oauth2MetadataUrl: text.optional(),
	}),
	openIdConnectSecurityScheme: z.strictObject({ description: text.optional(), openIdConnectUrl: requiredText }),
	mtlsSecurityScheme: z.strictObject({ description: text.optional() }),
};

/** At most one member is set: none, where it is of a kind that we do not know. */
const SecuritySchemeSchema = z.strictObject(optionalMembers(SCHEMES)).check(oneOf(Object.keys(SCHEMES), { none: true }));
export type SecurityScheme = z.infer<typeof SecuritySchemeSchema>;

const AgentSkillSchema = z.strictObject({
	id: requiredText,
	name: statedText,
	description: statedText,
	tags: someTexts,
	examples: texts.optional(),
	inputModes: texts.optional(),
	outputModes: texts.optional(),
	securityRequirements: z.array(SecurityRequirementSchema).optional(),
});
export type AgentSkill = z.infer<typeof AgentSkillSchema>;

/** A JWS over the card without its signatures (8.4). */
const AgentCardSignatureSchema = z.strictObject({ protected: requiredText, signature: requiredText, header: struct.optional() });
export type AgentCardSignature = z.infer<typeof AgentCardSignatureSchema>;

export const AgentCardSchema = z.strictObject({
	name: statedText,
	description: statedText,
	supportedInterfaces: z.array(AgentInterfaceSchema).min(1),
	provider: AgentProviderSchema.optional(),
	version: statedText,
	documentationUrl: explicit(text),
	capabilities: AgentCapabilitiesSchema,
	securitySchemes: z.record(text, SecuritySchemeSchema).optional(),
	securityRequirements: z.array(SecurityRequirementSchema).optional(),
	defaultInputModes: someTexts,
	defaultOutputModes: someTexts,
	skills: z.array(AgentSkillSchema).min(1),
	signatures: z.array(AgentCardSignatureSchema).optional(),
	iconUrl: explicit(text),
});
export type AgentCard = z.infer<typeof AgentCardSchema>;

/** The members of a oneof, each optional: present as a message even when empty. */
function optionalMembers<S extends Record<string, z.ZodType>>(members: S): { [K in keyof S]: z.ZodOptional<S[K]> } {
	return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, schema.optional()])) as {
		[K in keyof S]: z.ZodOptional<S[K]>;
	};
}
