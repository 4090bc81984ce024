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
const MEBIBYTE = 1024 * 1024;
const WORDS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/** A number as texts write it: a small one in letters. */
const said = (n: number): string => WORDS[n] ?? n.toLocaleString("en-US");

describe("a text that spells a limit", () => {
	it.each([
		["docs/chat.md", "at most (.+?) a message", said(LIMITS.picturesPerMessage)],
		["docs/chat.md", "The server takes at most (.+?) MiB", String(LIMITS.pictureBytes / MEBIBYTE)],
		["docs/chat.md", "MiB, (.+?) megapixels", String(LIMITS.picturePixels / 1_000_000)],
		["docs/chat.md", "and ([\\d,]+) pixels a side", said(LIMITS.pictureSide)],
		["docs/chat.md", "A guest may send (.+?) an hour", String(LIMITS.picturesPerGuestPerHour)],
		["docs/chat.md", "; an address (.+?) a minute", String(LIMITS.picturesPerAddressPerMinute)],
		["docs/chat.md", "a minute, and (.+?) or", String(LIMITS.picturesPerAddressPerDay)],
		["docs/chat.md", "or (\\d+) MB a day", String(LIMITS.pictureBytesPerAddressPerDay / MEBIBYTE)],
		["docs/chat.md", "A desk has room for ([\\d,]+) pictures", said(LIMITS.picturesPerDesk)],
		["docs/chat.md", "pictures and (.+?) GiB", String(LIMITS.pictureBytesPerDesk / 1024 / MEBIBYTE)],
		["docs/agents.md", "at most ([\\d,]+) characters", said(LIMITS.askChars)],
		["docs/agents.md", "it waits up to (.+?) seconds", String(LIMITS.askWaitMs / 1000)],
		["docs/agents.md", "ends (.+?) days after you last asked", String(LIMITS.followUpMs / DAY)],
		["docs/agents.md", "within (\\w+) minutes are one question", said(LIMITS.askRepeatMs / MINUTE)],
		["docs/agents.md", "A guest has (.+?) questions a minute", String(LIMITS.guestMessagesPerMinute)],
		["docs/agents.md", "a minute and (.+?) an hour", String(LIMITS.guestMessagesPerHour)],
		["docs/links.md", "is free (.+?) times in ten minutes", said(LIMITS.askRepeats)],
		["docs/links.md", "It ends (.+?) days after its last question", String(LIMITS.followUpMs / DAY)],
		["docs/settings.md", "at most ([\\d,]+) characters; one that is empty", said(LIMITS.memoryFileChars)],
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
