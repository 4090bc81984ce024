/**
 * Agent Cards (a2a.md 1.7; requirements.md A2A-1): the site's, each desk's, and each desk's extended one. A card says only
 * what is so, with addresses of PUBLIC_URL alone, and is kept as bytes with its ETag until a desk changes.
 */
import { createHash } from "node:crypto";
import type { AgentCard, AgentInterface, AgentSkill } from "../../shared/a2a.schema.js";
import { WEBSOCKET_BINDING } from "../../shared/extensions.js";
import type { Desk } from "../engine/engine.js";
import { type Extension, HTTP_EXTENSIONS, SOCKET_EXTENSIONS } from "./extensions.js";
import { cardHeaders } from "./http.js";

export const PROTOCOL_VERSION = "1.0";

/** How long a card may be taken for true: short, since a desk that is switched off is to vanish soon. */
const CACHE_CONTROL = "public, max-age=60";

/** Media types of a message's parts by the desk's setting: exactly what `parts.ts` lets through (A2A-7). */
export const INPUT_MODES = {
	all: ["text/plain", "text/markdown", "application/json", "image/png", "image/jpeg", "image/webp"],
	"text+data": ["text/plain", "text/markdown", "application/json"],
	text: ["text/plain", "text/markdown"],
} as const;

/** What answers are made of. A caller that takes none of these is refused (A2A-14). */
export const OUTPUT_MODES = ["text/plain", "application/json"] as const;

export interface CardOptions {
	/** Read when a card is built: a server on a port of the system's choosing knows its address only then. */
	config: {
		/** Origin of the server, without a slash at its end. */
		publicUrl: string;
		brandName: string;
	};
	/** Of the program: a card's `version`. */
	version: string;
}

/** A card ready to be sent. */
export interface CardBytes {
	bytes: Uint8Array<ArrayBuffer>;
	text: string;
	etag: string;
	headers: Record<string, string>;
	/** Milliseconds, whole seconds: what If-Modified-Since is compared with. */
	modifiedAt: number;
}

export class Cards {
	private readonly ofDesk = new WeakMap<Desk, CardBytes>();
	private readonly extendedOf = new WeakMap<Desk, CardBytes>();
	private site: { desks: readonly Desk[]; card: CardBytes } | undefined;

	constructor(private readonly options: CardOptions) {}

	/** The site's card. Made anew when the desks are other ones: a desk that changed is another object. */
	siteCard(desks: readonly Desk[]): CardBytes {
		const known = this.site;
		if (known && known.desks.length === desks.length && known.desks.every((desk, i) => desk === desks[i])) return known.card;
		const changedAt = desks.reduce((latest, desk) => Math.max(latest, desk.row.changedAt), 0);
		const card = toBytes(this.buildSite(desks.filter((desk) => desk.settings.a2a)), changedAt);
		this.site = { desks: [...desks], card };
		return card;
	}

	deskCard(desk: Desk): CardBytes {
		return remember(this.ofDesk, desk, () => toBytes(this.buildDesk(desk, false), desk.row.changedAt));
	}

	extendedCard(desk: Desk): CardBytes {
		return remember(this.extendedOf, desk, () => toBytes(this.buildDesk(desk, true), desk.row.changedAt));
	}

	private interfaces(desk: Desk): AgentInterface[] {
		const url = `${this.options.config.publicUrl}/a2a/${desk.row.handle}`;
		const common = { protocolVersion: PROTOCOL_VERSION, tenant: desk.row.handle };
		return [
			{ url, protocolBinding: "JSONRPC", ...common },
			{ url, protocolBinding: "HTTP+JSON", ...common },
		];
	}

	private buildSite(desks: readonly Desk[]): AgentCard {
		const { config, version } = this.options;
		const { publicUrl, brandName } = config;
		const supportedInterfaces = desks.flatMap((desk) => this.interfaces(desk));
		// A card needs an interface: with no desk yet, the one at which a desk will be named by `tenant`.
		if (supportedInterfaces.length === 0)
			supportedInterfaces.push({ url: `${publicUrl}/a2a`, protocolBinding: "JSONRPC", protocolVersion: PROTOCOL_VERSION });
		const strictest = desks.reduce<keyof typeof INPUT_MODES>((least, desk) => narrower(least, desk.settings.parts), "all");
		return {
			name: `${brandName} front desks`,
			description:
				"People's front desk agents. Each interface is one person's desk, named by its tenant; a desk's own card and extended card say more about the person.",
			supportedInterfaces,
			provider: { organization: brandName, url: publicUrl },
			version,
			capabilities: capabilities(HTTP_EXTENSIONS),
			...security(
				desks.some((desk) => desk.settings.apiKey),
				desks.length === 0 || desks.some((desk) => desk.settings.guests),
			),
			defaultInputModes: [...INPUT_MODES[strictest]],
			defaultOutputModes: [...OUTPUT_MODES],
			skills: [
				{
					id: "ask",
					name: "Ask a person's front desk",
					description:
						"Asks the agent at a person's front desk, which answers from what the person gave it, or passes the question on to them.",
					tags: ["front desk", "questions"],
				},
			],
		};
	}

	private buildDesk(desk: Desk, extended: boolean): AgentCard {
		const { config, version } = this.options;
		const { publicUrl, brandName } = config;
		const { row, settings, face } = desk;
		const url = `${publicUrl}/a2a/${row.handle}`;
		const about = row.about.trim();
		const owner = row.ownerName.trim() || row.name;
		return {
			name: row.name,
			description: about || `The front desk of ${owner}: ask it anything you would ask them.`,
			supportedInterfaces: [
				...this.interfaces(desk),
				{
					url: `${url.replace(/^http/, "ws")}/ws`,
					protocolBinding: WEBSOCKET_BINDING,
					protocolVersion: PROTOCOL_VERSION,
					tenant: row.handle,
				},
			],
			provider: { organization: brandName, url: publicUrl },
			version,
			iconUrl: new URL(face.face, `${publicUrl}/`).href,
			capabilities: capabilities([...HTTP_EXTENSIONS, ...SOCKET_EXTENSIONS]),
			...security(settings.apiKey, settings.guests),
			defaultInputModes: [...INPUT_MODES[settings.parts]],
			defaultOutputModes: [...OUTPUT_MODES],
			skills: extended ? profileSkills(desk, owner) : [askSkill(desk, owner)],
		};
	}
}

function askSkill(desk: Desk, owner: string): AgentSkill {
	const { suggestions } = desk.face;
	return {
		id: "ask",
		name: `Ask ${desk.row.name}`,
		description: `Asks the front desk of ${owner}, which answers from what ${owner} gave it, or passes the question on.`,
		tags: ["front desk", "questions"],
		...(suggestions.length > 0 ? { examples: [...suggestions] } : {}),
	};
}

/** What the profile has to offer, a skill each: the desk itself, who its owner is, and each thing that the owner suggests to ask. */
function profileSkills(desk: Desk, owner: string): AgentSkill[] {
	const about = desk.row.about.trim();
	const skills = [askSkill(desk, owner)];
	if (about !== "") {
		skills.push({ id: "about", name: `About ${owner}`, description: about, tags: ["profile"], examples: [`Who is ${owner}?`] });
	}
	desk.face.suggestions.forEach((suggestion, i) => {
		skills.push({
			id: `suggestion-${i + 1}`,
			name: suggestion,
			description: `Answers: ${suggestion}`,
			tags: ["suggested"],
			examples: [suggestion],
		});
	});
	return skills;
}

const narrower = (a: keyof typeof INPUT_MODES, b: keyof typeof INPUT_MODES): keyof typeof INPUT_MODES =>
	INPUT_MODES[b].length < INPUT_MODES[a].length ? b : a;

function capabilities(extensions: readonly Extension[]): AgentCard["capabilities"] {
	return {
		streaming: true,
		pushNotifications: false,
		extendedAgentCard: true,
		...(extensions.length > 0 ? { extensions: extensions.map(({ uri, description }) => ({ uri, description })) } : {}),
	};
}

/** Every way to say who one is; required only where nobody is let in without (A2A-1). A scope list is never empty (a2a.md C9). */
function security(apiKey: boolean, guests: boolean): Pick<AgentCard, "securitySchemes" | "securityRequirements"> {
	const schemes: NonNullable<AgentCard["securitySchemes"]> = {
		bearer: {
			httpAuthSecurityScheme: {
				scheme: "Bearer",
				description: "A guest token (eolg_) that the first send answered with, or an account's key (eolc_).",
			},
		},
	};
	if (apiKey)
		schemes.apiKey = {
			apiKeySecurityScheme: {
				location: "header",
				name: "X-API-Key",
				description: "The same key in a header of its own; Authorization wins.",
			},
		};
	if (guests) return { securitySchemes: schemes };
	return {
		securitySchemes: schemes,
		securityRequirements: Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: ["a2a"] } } })),
	};
}

function toBytes(card: AgentCard, changedAt: number): CardBytes {
	const text = JSON.stringify(card);
	const bytes = new TextEncoder().encode(text);
	const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
	const modifiedAt = Math.floor(changedAt / 1000) * 1000;
	return { bytes, text, etag, headers: cardHeaders(etag, new Date(modifiedAt).toUTCString(), CACHE_CONTROL), modifiedAt };
}

function remember(cards: WeakMap<Desk, CardBytes>, desk: Desk, build: () => CardBytes): CardBytes {
	let card = cards.get(desk);
	if (!card) {
		card = build();
		cards.set(desk, card);
	}
	return card;
}

/** Whether the caller has these bytes already, by what it says of them (RFC 9110, 13.1: the ETag decides where there is one). */
export function isFresh(card: CardBytes, ifNoneMatch: string | undefined, ifModifiedSince: string | undefined): boolean {
	if (ifNoneMatch !== undefined)
		return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === card.etag);
	if (ifModifiedSince === undefined) return false;
	const since = Date.parse(ifModifiedSince);
	return !Number.isNaN(since) && card.modifiedAt <= since;
}
