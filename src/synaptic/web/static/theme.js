// Before the page is drawn, so that it does not flash: the colours that this browser has chosen.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* a browser that keeps nothing follows the system */ }
