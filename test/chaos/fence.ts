import type { Suite } from "./suite.js";
export const fence: Suite = { name: "fence", what: "", run: async () => undefined };
