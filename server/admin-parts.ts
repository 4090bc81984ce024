/** What the table of admin.ts and its parts are made of: one operation, and the shapes that many arguments share. */
import { z } from "zod";
import type { Engine } from "./engine/engine.js";

/** A desk that is open, as far as commands need it. */
export interface Administered {
	engine: Pick<Engine, "desk" | "desks" | "owner" | "presets" | "pictures">;
	/** The origin under which it is reached now: of a server whose port the system chose, once it listens. */
	readonly publicUrl: string;
}

/** A handle, an id, a word. */
export const name = z.string().max(200);

/** One thing that can be asked. Only the shapes of its arguments are read here; what they mean is judged by the engine. */
export function operation<A extends z.ZodTuple, R>(args: A, run: (desk: Administered, ...args: z.output<A>) => Promise<R>) {
	return { args, run };
}
