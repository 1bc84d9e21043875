// The first page and the inbox: lists that change in place, and never under the hand.

const byId = (id) => document.getElementById(id);
const board = document.querySelector("[data-board]");
const fresh = byId("fresh");
const SETTLE = 700;  // after a list has moved, a click may have been meant for what was there before
const STILL = 2500;  // a hand that has not moved for so long is not about to click
let moved = -SETTLE, touched = -STILL, shape = null;

// ---- how long ago

function showAges() {
  const now = Date.now() / 1000;
  for (const one of document.querySelectorAll("time[data-at]")) {
    const at = Number(one.dataset.at), past = Math.max(0, now - at);
    if (!at) continue;
    const [size, unit] = [[86400, "d"], [3600, "h"], [60, "m"]].find(([size]) => past >= size) ?? [1, "s"];
    const text = `${Math.floor(past / size)}${unit} ago`;
    if (one.textContent !== text) one.textContent = text;
  }
}

setInterval(showAges, 1000);

// ---- one element made like another, without making it anew: focus, selection and open details stay

function patch(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  const from = [...fresh.childNodes], to = [...old.childNodes];
  const isAlike = from.length === to.length && from.every((one, at) => one.nodeName === to[at].nodeName);
  if (!isAlike) { old.replaceChildren(...from); window.htmx.process(old); return; }
  from.forEach((one, at) => {
    if (one.nodeType === Node.ELEMENT_NODE) patch(to[at], one);
    else if (to[at].data !== one.data) to[at].data = one.data;
  });
}

function isBusy(old, fresh) {
  if (!old.hasAttribute("data-settled")) return old.matches(".htmx-request, :has(.htmx-request)");
  return Boolean(old.querySelector("[name=sure]")) || Number(fresh.dataset.seen) <= Number(old.dataset.seen);
}

function patchItem(fresh) {
  const old = byId(fresh.id);
  if (!old || isBusy(old, fresh)) return;
  const wasChosen = old.classList.contains("chosen");
  patch(old, fresh);
  old.classList.toggle("chosen", wasChosen);
}

// ---- what comes and goes waits until nobody reads or is about to click

const isReading = () => scrollY > 40 || performance.now() - touched < STILL ||
  board.contains(document.activeElement) || Boolean(board.querySelector(".chosen"));

const listOf = (name) => board.querySelector(`[data-list="${name}"]`);

function countMissing() {
  return [...shape.items.keys()].filter((id) => listOf(shape.items.get(id)) && byId(id)?.parentElement !== listOf(shape.items.get(id)));
}

function settle() {
  for (const [name, ids] of shape.lists) {
    const list = listOf(name);
    if (!list) continue;
    const wanted = new Set(ids);
    for (const one of [...list.children]) if (!wanted.has(one.id) && !shape.items.has(one.id)) one.remove();
    let before = null;
    for (const id of ids) {
      const one = byId(id) ?? shape.waiting.get(id);
      if (!one) continue;
      if (one.parentElement !== list) {
        if (before) before.after(one); else list.prepend(one);
        window.htmx.process(one);
      }
      before = one;
    }
  }
  shape.waiting.clear();
  moved = performance.now();
  fresh.hidden = true;
  showAges();
}

function take(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const root = template.content.firstElementChild, lists = [...root.querySelectorAll("ul[data-ids]")];
  const waiting = shape?.waiting ?? new Map();
  shape = { lists: [], items: new Map(), waiting };
  for (const list of lists) {
    const ids = list.dataset.ids.split(" ").filter(Boolean);
    shape.lists.push([list.dataset.list, ids]);
    for (const id of ids) shape.items.set(id, list.dataset.list);
  }
  for (const one of [...root.querySelectorAll("ul[data-ids] > li")]) {
    if (byId(one.id)) patchItem(one); else waiting.set(one.id, one);
  }
  const summary = byId("summary"), further = byId("further");
  if (summary.textContent !== root.dataset.summary) summary.textContent = root.dataset.summary;
  if (further) { further.hidden = root.dataset.further === "0"; further.textContent = `${root.dataset.further} more in the inbox`; }
  showAges();
  offer();
}

function offer() {
  if (!shape) return;
  const missing = countMissing(), gone = [...board.querySelectorAll("[data-list] > li")].some((one) => !shape.items.has(one.id));
  if (!missing.length && !gone) { fresh.hidden = true; return; }
  if (!isReading()) { settle(); return; }
  const count = missing.filter((id) => !id.startsWith("g-") && !byId(id)).length;
  fresh.hidden = !count;
  if (count) fresh.textContent = `${count} new`;
}

document.body.addEventListener("htmx:sseBeforeMessage", (event) => {
  if (!board.contains(event.target)) return;
  event.preventDefault();
  take(event.detail.data);
});
setInterval(offer, 1000);
fresh.addEventListener("click", () => { scrollTo(0, 0); settle(); });
addEventListener("pointermove", () => { touched = performance.now(); }, { passive: true });

// ---- acts

board.addEventListener("click", (event) => {
  const isHand = event.detail > 0;
  if (!isHand || !event.target.closest(".acts button") || performance.now() - moved > SETTLE) return;
  event.preventDefault();
  event.stopPropagation();
  byId("told").textContent = "The page has just moved. Press again.";
  setTimeout(() => { byId("told").textContent = ""; }, 3000);
}, true);

// A row that has just been put there is not htmx's yet, and the browser would leave the page.
board.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  event.preventDefault();
  window.htmx.process(event.target);
  setTimeout(() => event.target.requestSubmit(event.submitter));  // a form that is being submitted ignores it
});

let chosen = "";
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.target.matches?.("[data-item]")) chosen = event.target.matches(".chosen, :focus-within") || document.activeElement === document.body ? event.target.id : "";
});

function keepChosen() {
  const row = chosen && byId(chosen);
  showAges();
  if (!row) return;
  if (!row.classList.contains("chosen")) document.querySelector(".chosen")?.classList.remove("chosen");
  row.classList.add("chosen");
  const first = row.querySelector("[data-first]") ?? row.querySelector("summary");
  if (!row.contains(document.activeElement)) first?.focus({ preventScroll: true });
}

document.body.addEventListener("htmx:afterSwap", keepChosen);
document.body.addEventListener("htmx:afterSettle", () => { keepChosen(); chosen = ""; });  // settling takes the class away

showAges();
