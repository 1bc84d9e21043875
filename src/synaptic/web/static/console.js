// What pages need besides htmx: keys, colours, and rows that come while somebody reads.

const MOST_ROWS = 400;
const byId = (id) => document.getElementById(id);
const rows = document.querySelector("[data-rows]");
const fresh = byId("fresh");
const held = [];

// ---- colours

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not kept */ }
}

byId("theme")?.addEventListener("click", switchTheme);
byId("keys")?.addEventListener("click", () => byId("key-help").showModal());

// ---- whether new events arrive

function showState(state, words) {
  const live = byId("live");
  live.dataset.state = state;
  live.firstElementChild.textContent = words;
}

document.body.addEventListener("htmx:sseOpen", () => showState("on", "live"));
document.body.addEventListener("htmx:sseError", () => showState("lost", "not reached"));
document.body.addEventListener("htmx:sendError", () => showState("lost", "not reached"));
document.body.addEventListener("htmx:responseError", (event) => tell(event.detail.xhr.responseText));

// ---- a browser has six connections to an address, and each stream holds one: pages that nobody sees let go of theirs

const UNSEEN = 3000;
const streams = new Set();
let unseen = 0;

class SeenStream {
  constructor(address) {
    Object.assign(this, { address: new URL(address, location), listeners: [], source: null });
    streams.add(this);
    this.addEventListener("anew", () => { this.close(); showState("lost", "the journal has begun anew: reload"); });
    if (!document.hidden) this.open();
  }

  get readyState() { return this.source?.readyState ?? EventSource.CONNECTING; }

  open() {
    if (this.source) return;
    this.source = new EventSource(this.address);
    this.source.onopen = (event) => this.onopen?.(event);
    this.source.onerror = (event) => {
      if (this.readyState === EventSource.CLOSED) streams.delete(this);  // whoever wanted it makes another one
      this.onerror?.(event);
    };
    for (const [name, note] of this.listeners) this.source.addEventListener(name, note);
  }

  rest() { this.source?.close(); this.source = null; }

  close() { this.rest(); streams.delete(this); }

  addEventListener(name, take) {
    const note = (event) => {
      if (event.lastEventId) this.address.searchParams.set("after", event.lastEventId);
      take(event);
    };
    this.listeners.push([name, note, take]);
    this.source?.addEventListener(name, note);
  }

  removeEventListener(name, take) {
    for (const [one, note, known] of this.listeners) if (one === name && known === take) this.source?.removeEventListener(one, note);
    this.listeners = this.listeners.filter(([one, , known]) => one !== name || known !== take);
  }
}

window.htmx.createEventSource = (address) => new SeenStream(address);
document.addEventListener("visibilitychange", () => {
  clearTimeout(unseen);
  if (document.hidden) unseen = setTimeout(() => streams.forEach((one) => one.rest()), UNSEEN);
  else streams.forEach((one) => one.open());
});

export function tell(text) {
  const told = byId("told");
  told.textContent = text;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { told.textContent = ""; }, 8000);
}

// ---- rows that come while somebody reads: nothing moves under the eyes or the hand

function isReading() {
  return scrollY > 40 || rows.contains(document.activeElement) || Boolean(rows.querySelector(".chosen"));
}

function showHeld() {
  for (const html of held.splice(0)) addRow(html);
  fresh.hidden = true;
}

function addRow(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const row = template.content.firstElementChild;
  if (!row || byId(row.id)) return;  // a stream that was cut repeats what it is not sure of
  rows.prepend(row);
  while (rows.children.length > MOST_ROWS) rows.lastElementChild.remove();
}

if (rows) {
  document.body.addEventListener("htmx:sseBeforeMessage", (event) => {
    if (event.target !== rows) return;
    event.preventDefault();
    document.querySelector(".empty")?.remove();
    const html = event.detail.data;
    if (!isReading()) { addRow(html); return; }
    held.push(html);
    if (held.length > MOST_ROWS) held.shift();
    fresh.hidden = false;
    fresh.textContent = `${held.length} new`;
  });
  fresh?.addEventListener("click", () => { choose(null); scrollTo(0, 0); document.activeElement?.blur(); showHeld(); });
}

// ---- keys

function choose(row) {
  document.querySelector(".chosen")?.classList.remove("chosen");
  if (!row) return;
  row.classList.add("chosen");
  row.querySelector("a, button, summary")?.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = [...document.querySelectorAll("[data-rows] > :not(.further), [data-item]")].filter((one) => one.checkVisibility());
  const at = all.findIndex((one) => one.classList.contains("chosen"));
  choose(all[Math.min(Math.max(at + by, 0), all.length - 1)] ?? null);
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  t: switchTheme,
  n: () => fresh && !fresh.hidden && fresh.click(),
  "?": () => byId("key-help").showModal(),
  "/": () => document.querySelector("[data-search]")?.focus(),
  Escape: () => { choose(null); document.activeElement?.blur(); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches?.("input:not([type=checkbox]), textarea, select");
  if (isTyping && event.key !== "Escape") return;
  if (document.querySelector("dialog[open]")) return;
  const own = KEYS[event.key] ?? null;
  // A key of a row is for the chosen one alone: none is acted on that nobody has pointed at.
  const key = `[data-key="${CSS.escape(event.key)}"]`;
  const named = own ? null : document.querySelector(`.chosen ${key}`) ?? document.querySelector(`${key}:not([data-item] *)`);
  if (!own && !named) return;
  event.preventDefault();
  if (own) own(); else if ("careful" in named.dataset) named.focus(); else named.click();
});

// ---- filters take effect when they are changed

document.querySelector("[data-filters]")?.addEventListener("change", (event) => event.currentTarget.requestSubmit());
document.querySelector("[data-filters]")?.addEventListener("submit", (event) => {
  for (const field of event.currentTarget.querySelectorAll("input")) if (!field.value) field.disabled = true;
});
addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("[data-filters] input:disabled")) field.disabled = false;
});
