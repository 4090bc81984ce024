/** What was said on this page: a page that changes all the time, or a visitor who tries again, is no reason to say it again. */
const said: Record<string, boolean> = {};

/** The one way in which the script speaks to the site's owner: a line in the console, once, that says what to do. */
export const say = (handle: string, text: string): void => {
	const line = `EarthOnline (${handle}): ${text}`;
	// biome-ignore lint/suspicious/noConsole: the console is where a site's owner looks when the chat does not show
	if (!said[line]) console.warn(line);
	said[line] = true;
};
