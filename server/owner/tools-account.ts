/** The tool by which an owner's agent learns whose it is (requirements.md TOOL-1). */
import { ACCOUNT_TOOLS } from "../../shared/tools.schema.js";
import { runs, type ToolTable } from "./tools-run.js";

const keyOf = ({ uid, name, last4 }: { uid: string; name: string; last4: string }) => ({ id: uid, name, last4 });

export const accountTools: ToolTable = {
	eol_whoami: runs(ACCOUNT_TOOLS.eol_whoami, async ({ owner, desk, key, publicUrl }) => {
		const { handle, name, about, ownerName, language } = desk.row;
		return {
			handle,
			name,
			about,
			owner_name: ownerName,
			language,
			suggestions: desk.face.suggestions,
			guests: desk.settings.guests,
			online: desk.face.online,
			profile_url: `${publicUrl}/@${handle}`,
			chat_url: `${publicUrl}/@${handle}/chat`,
			key: keyOf(key),
			keys: (await owner.keys(handle)).map(keyOf),
		};
	}),
};
