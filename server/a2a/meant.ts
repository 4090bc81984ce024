/** Whether a notice that somebody may be shut out means somebody who holds something open here, by whichever binding (reliability.md G-20). */
import type { Caller, ShutOut } from "../engine/engine.js";

/** Who holds something open: whose it is, as far as that is known, at which desk, and how they came. */
interface Open {
	principalId: number | undefined;
	deskId: number | undefined;
	provenance: Caller["provenance"];
}

/** Only a notice of a site or an embed leaves those of its desk alone who came otherwise. */
export function isMeant(who: ShutOut, { principalId, deskId, provenance }: Open): boolean {
	if (who.anybody) return true;
	if (who.principalId !== undefined) return principalId === who.principalId;
	if (deskId !== who.deskId) return false;
	if (who.embed !== undefined) return provenance.embed === String(who.embed);
	return who.site === undefined || provenance.site !== undefined;
}
