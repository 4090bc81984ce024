// Whether the browser holds this page to be isolated, in words.
document.getElementById("isolated").textContent = crossOriginIsolated
	? "This page is isolated: the browser says so (crossOriginIsolated is true)."
	: "This page is not isolated.";
