// Runs before the first paint and has no imports: it applies what appearance.ts stored.
(function () {
  var root = document.documentElement;
  try {
    var stored = JSON.parse(localStorage.getItem("causeway.appearance") || "{}");
    if (stored.theme === "light" || stored.theme === "dark") root.dataset.theme = stored.theme;
    if (stored.density === "comfortable" || stored.density === "dense") root.dataset.density = stored.density;
    if (stored.rail === "collapsed") root.dataset.rail = "collapsed";
  } catch (_error) {
    // A browser without storage shows the system's theme.
  }
})();
