import type { Suite } from "./suite.js";
export const slow: Suite = { name: "slow", what: "", run: async () => undefined };
