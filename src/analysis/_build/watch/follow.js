// Added by `make watch` while it serves a page, and in no file: ask every 100 ms whether this page is still the one.
(() => {
  const shown = document.currentScript.dataset.version;
  const ask = async () => {
    try {
      const answer = await fetch(location.pathname, { method: "HEAD", cache: "no-store" });
      if (answer.headers.get("ETag") !== shown) return location.reload();
    } catch {
      // The preview has ended or starts again: what is shown stays.
    }
    setTimeout(ask, 100);
  };
  // A page in the background asks nothing, and catches up when it is looked at.
  const wait = () => (document.hidden ? document.addEventListener("visibilitychange", wait, { once: true }) : ask());
  wait();
})();
