// The page's buttons and its list of what happened. Nothing here waits for the desk's script: a call made before it has come is queued.
const log = document.getElementById("log");
const note = (text) => {
	const line = document.createElement("li");
	line.textContent = text;
	log.append(line);
};
window.EarthOnline ||= [];
const ask = (call) => window.EarthOnline.push(call);

ask((api) => {
	const chat = api.get("desk");
	for (const event of ["ready", "open", "close", "unread", "online"])
		chat.on(event, (detail) => note(detail === undefined || detail === null ? event : `${event}: ${JSON.stringify(detail)}`));
});
for (const button of document.querySelectorAll("[data-call]"))
	button.addEventListener("click", () => ask((api) => api.get("desk")[button.dataset.call](button.dataset.words)));
for (const button of document.querySelectorAll("[data-theme-word]"))
	button.addEventListener("click", () => ask((api) => api.setTheme(button.dataset.themeWord)));
