/**
 * What every process that serves the same store has to act on: a desk that is another one now, somebody who is shut out (reliability.md
 * G-20). Which writes leave which notices is said here and nowhere else. A notice is written in the transaction of its cause and told after its commit,
 * so no process can write the one without the other.
 */
import { appDecides } from "./apps-operations.js";
import { presenceOf } from "./desks.js";
import { embedDecides } from "./embeds-operations.js";
import type { ShutOut } from "./engine.js";
import * as people from "./people-operations.js";
import { presetDecides } from "./presets-operations.js";
import { settingsOf } from "./settings.js";
import { siteDecides } from "./sites-operations.js";

export type Notice =
	/** A desk's row changed; null: one is new. `presence`: whether, or when, somebody is there has changed with it. */
	| { about: "desk"; deskId: number | null; presence?: true }
	/** Only that it has to be looked again who may be here: what is so stands in the store. */
	| { about: "access"; who: ShutOut };

/** A rule, and what is told once what it decided is on disk; nothing where nothing is written. */
function telling<R, I extends object, D extends { plan: unknown; answer: unknown }>(
	decide: (rows: R, input: I) => D,
	notices: (decided: D, input: I, rows: R) => Notice[],
): (rows: R, input: I) => D & { notices?: readonly Notice[] } {
	return (rows, input) => {
		const decided = decide(rows, input);
		return { ...decided, notices: decided.plan === null ? [] : notices(decided, input, rows) };
	};
}

const shutOut = (who: ShutOut): Notice => ({ about: "access", who });
const deskChanged = (_decided: unknown, { deskId }: { deskId: number }): Notice[] => [{ about: "desk", deskId }];

/** What became narrower holds for those that are in already. */
function settingsChanged(before: string | undefined, after: string, deskId: number, now: number): Notice[] {
	const [old, next] = [settingsOf(before ?? "{}"), settingsOf(after)];
	const isNarrower = (name: "guests" | "a2a" | "allowAnySite"): boolean => old[name] && !next[name];
	const [was, is] = [presenceOf(old, now), presenceOf(next, now)];
	const isSame = was.online === is.online && was.opensAt === is.opensAt;
	const notices: Notice[] = [isSame ? { about: "desk", deskId } : { about: "desk", deskId, presence: true }];
	if (isNarrower("a2a")) notices.push(shutOut({ deskId, everybody: true }));
	if (isNarrower("guests")) notices.push(shutOut({ deskId }));
	if (isNarrower("allowAnySite")) notices.push(shutOut({ deskId, site: "*" }));
	return notices;
}

/** The rules that leave notices, by the names under which `operations.ts` lists them. */
export const noticeDecides = {
	createOwner: telling(people.decideCreateOwner, () => [{ about: "desk", deskId: null }]),
	changeProfile: telling(people.decideChangeProfile, deskChanged),
	changeDesk: telling(people.decideChangeDesk, ({ plan }, { deskId, now }, { settings }) =>
		settingsChanged(settings, plan.settings, deskId, now),
	),
	changePreset: telling(presetDecides.changePreset, deskChanged),
	decideApproval: telling(presetDecides.decideApproval, deskChanged),
	connectApp: telling(appDecides.connectApp, deskChanged),
	removeApp: telling(appDecides.removeApp, deskChanged),
	revokeGuest: telling(people.decideRevokeGuest, ({ answer }) => [shutOut({ principalId: answer.principalId })]),
	// Whoever came by another key of the account is looked at as well, and stays.
	revokeKey: telling(people.decideRevokeKey, ({ answer }) => [shutOut({ principalId: answer.principalId })]),
	setSite: telling(siteDecides.setSite, ({ answer }, { deskId }) =>
		answer.state === "blocked" ? [shutOut({ deskId, site: answer.rule })] : [],
	),
	removeSite: telling(siteDecides.removeSite, ({ answer }, { deskId }) =>
		answer.state === "allowed" ? [shutOut({ deskId, site: answer.rule })] : [],
	),
	changeSites: telling(siteDecides.changeSites, ({ plan, answer }, { deskId }) => [
		// First: whoever is looked at again is judged by what holds now.
		...(plan.settings === null ? [] : ([{ about: "desk", deskId }] satisfies Notice[])),
		...(answer.narrower ? [shutOut({ deskId, site: "*" })] : []),
	]),
	deleteEmbed: telling(embedDecides.deleteEmbed, (_decided, { deskId, number }) => [shutOut({ deskId, embed: number })]),
};
