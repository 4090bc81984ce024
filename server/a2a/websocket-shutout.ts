/**
 * Ends the sockets of whoever is shut out (reliability.md G-20). That somebody may be is only told; who may stay is looked up, for all that may be
 * meant, many at once, and what holds for several of them is asked once.
 */
import type { Engine } from "../engine/engine.js";
import { manyAtOnce } from "./batches.js";
import { isMeant } from "./meant.js";
import type { SocketParts } from "./websocket-parts.js";

/** What is to be looked at again of a socket. */
export interface Look {
	/** Its credential. Where nobody's was ended, thousands need not be looked up. */
	credential: boolean;
	checkSite: Engine["embed"]["check"];
}

/** Looks again from here on, whenever somebody may have been shut out. Returns what stops it. */
export function endThoseShutOut(parts: SocketParts): () => void {
	return parts.engine.onShutOut((who) => {
		parts.shutOuts++;
		const meant = [...parts.sessions].filter(
			({ caller, deskId }) => caller && isMeant(who, { principalId: caller.principal?.id, deskId, provenance: caller.provenance }),
		);
		const look: Look = { credential: who.anybody === true || who.principalId !== undefined, checkSite: askedOnce(parts.engine) };
		void manyAtOnce(meant, (session) => session.recheck(look));
	});
}

/** A site is judged once for all who came by it. */
function askedOnce({ embed }: Engine): Look["checkSite"] {
	const asked = new Map<string, ReturnType<Look["checkSite"]>>();
	return (desk, site, number) => {
		const at = `${desk.row.id} ${site} ${number ?? ""}`;
		const answer = asked.get(at) ?? embed.check(desk, site, number);
		asked.set(at, answer);
		return answer;
	};
}
