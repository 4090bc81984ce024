/** The one way in which the script speaks to the site's owner: a line in the console that says what to do. */
export const say = (handle: string, text: string): void => {
	// biome-ignore lint/suspicious/noConsole: the console is where a site's owner looks when the chat does not show
	console.warn(`EarthOnline (${handle}): ${text}`);
};
