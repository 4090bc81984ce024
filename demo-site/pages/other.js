// Links to the pages that need another site than this one: the same server under its number is another origin.
const other = location.hostname === "127.0.0.1" ? "localhost" : "127.0.0.1";
for (const link of document.querySelectorAll("a[data-other]"))
	link.href = `${location.protocol}//${other}:${location.port}${link.dataset.other}`;
