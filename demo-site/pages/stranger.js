// What somebody would try who wants the chat on a site that is not on the list.
const studio = `${location.protocol}//${location.hostname === "127.0.0.1" ? "localhost" : "127.0.0.1"}:${location.port}`;
for (const frame of document.querySelectorAll("iframe")) {
	frame.src = frame.dataset.desk ? frame.dataset.desk + encodeURIComponent(studio) : studio + frame.dataset.page;
}
