// The slow page's own script, which comes last: the desk did not wait for it.
document.getElementById("late").textContent = "The page's own script has come.";
