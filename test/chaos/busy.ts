import type { Suite } from "./suite.js";
export const busy: Suite = { name: "busy", what: "", run: async () => undefined };
