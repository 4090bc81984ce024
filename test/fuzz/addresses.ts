/** What addresses, verbs and types of content are made of, for requests that are HTTP and little else. */
import { words } from "./generate.js";

export const VERBS = words("GET¦POST¦PUT¦PATCH¦DELETE¦HEAD¦OPTIONS¦TRACE¦PROPFIND¦get¦FOO¦M-SEARCH");
export const TYPES = words(
	"application/json¦application/json; charset=utf-8¦application/a2a+json¦text/plain¦application/x-www-form-urlencoded",
	"¦multipart/form-data; boundary=x¦*/*¦;¦",
);
export const RPC_PATHS = words(
	"/a2a/mira¦/a2a/mira/¦/a2a¦/a2a/¦/a2a/mira/mira¦/a2a/nobody¦/a2a/MIRA¦/a2a//mira¦/a2a/mira?x=1¦/a2a/mira?token=x",
	"¦/a2a/%6dira",
);
export const REST = words(
	"message:send¦message:stream¦tasks¦/¦tsk_01kdvdna00aa56jgsnzcvmjzg1¦:cancel¦:subscribe¦pushNotificationConfigs",
	"¦extendedAgentCard¦card¦.well-known/agent-card.json¦%3A¦%2F¦..¦%¦?¦pageSize=¦10¦&¦historyLength=¦A2A-Version=1.0",
	"¦__proto__¦ws",
);
export const SITE = words(
	"/¦@mira¦@¦chat¦embed¦embed/mira¦embed.js¦assets/¦face.svg¦icon.svg¦site.css¦sign-in¦sign-in.js¦agent¦healthz¦readyz",
	"¦metrics¦?site=¦https://¦site.com¦&theme=dark¦&accent=%23fff¦?lang=zh¦%2e%2e¦%00¦//¦\\¦.well-known/",
);

/** What fits into the first line of a request: everything else as percent signs. */
export const target = (text: string): string => text.toWellFormed().replace(/[^!-~]/gu, (char) => encodeURIComponent(char));
