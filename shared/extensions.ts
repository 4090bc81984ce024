/** The URIs under which this product says what A2A itself has no word for (requirements.md A2A-12, A2A-23). They cross the wire. */
const BASE = "https://lobby.earthonlines.com/a2a/ext";

export const EXTENSIONS = {
	noReplyNeeded: `${BASE}/no-reply-needed/v1`,
	ackReaction: `${BASE}/ack-reaction/v1`,
	humanTakeover: `${BASE}/human-takeover/v1`,
	ended: `${BASE}/ended/v1`,
	skill: `${BASE}/skill/v1`,
	ownerWait: `${BASE}/owner-wait/v1`,
	/** Ours: what a chat needs beside messages and tasks (typing, seen, presence, microphone). WebSocket binding only. */
	chat: `${BASE}/chat/v1`,
} as const;

/** The URI by which a card lists the WebSocket binding (docs/bindings/websocket.md). */
export const WEBSOCKET_BINDING = "https://lobby.earthonlines.com/a2a/bindings/websocket/v1";
