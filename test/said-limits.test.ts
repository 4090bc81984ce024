/** Where a text spells a limit, it spells the limit that there is: change one and the other is named here. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../server/root.js";
import { GREETING_CHARS } from "../shared/embed.js";
import { LIMITS } from "../shared/limits.js";

const read = (file: string): string => readFileSync(join(PACKAGE_ROOT, file), "utf8").replace(/\s+/g, " ");

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WORDS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/** A number as texts write it: a small one in letters. */
const said = (n: number): string => WORDS[n] ?? n.toLocaleString("en-US");

describe("a text that spells a limit", () => {
	it.each([
		["docs/presets.md", "An approval waits for (.+?) days", said(LIMITS.approvalMs / DAY)],
		["docs/presets.md", "void ones are kept up to (.+?) a desk", said(LIMITS.approvalsVoidPerDesk)],
		["docs/presets.md", "What became of an approval is kept for (.+?) days", said(LIMITS.callsKeptMs / DAY)],
		["docs/presets.md", "What has not come after (.+?) seconds", said(LIMITS.callMs / 1000)],
		["docs/apps.md", "that it was made is kept for (.+?) days", said(LIMITS.callsKeptMs / DAY)],
		["docs/apps.md", "An answer may make (.+?) such calls", String(LIMITS.callsPerTurn)],
		["docs/apps.md", "a guest (.+?) a day", said(LIMITS.callsPerGuestPerDay)],
		["docs/apps.md", "a desk ([\\d,]+) a day", said(LIMITS.callsPerDeskPerDay)],
		["docs/apps.md", "cut to (.+?) characters", said(LIMITS.searchChars)],
		["docs/embed.md", "nobody has seen the chat on for (.+?) days", said(LIMITS.siteSilentMs / DAY)],
		["docs/embed.md", "your own words up to (.+?) characters", said(GREETING_CHARS)],
		["docs/tools.md", "one line, at most (.+?) characters", said(GREETING_CHARS)],
		["SECURITY.md", "it is good once, for (.+?) minutes", said(LIMITS.signInLinkMs / MINUTE)],
		["server/desk-commands.ts", "good once within (.+?) minutes", said(LIMITS.signInLinkMs / MINUTE)],
		["server/commands.ts", "once in (.+?) min:", String(LIMITS.signInLinkMs / MINUTE)],
	])("spells it as it is: %s, %s", (file, pattern, limit) => {
		const found = new RegExp(pattern).exec(read(file));
		expect(found?.[1], `${file} says nothing of the kind "${pattern}" any more`).toBe(limit);
	});
});
