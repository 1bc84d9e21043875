// The scrubber: one place in all moments of a session; what happened there is asked for when it is looked at.

const byId = (id) => document.getElementById(id);
const scrubber = byId("scrubber"), range = byId("place"), list = byId("list"), detail = byId("moment");
const session = encodeURIComponent(scrubber?.dataset.session ?? "");
const outline = { ids: [], times: [], marks: "", context: [] };
let place = Number(scrubber?.dataset.place ?? 0), asked = new AbortController(), player = 0;

const sum = (steps) => { let all = 0; return steps.map((step) => (all += step)); };
const last = () => outline.ids.length - 1;

async function load(address, into, signal) {
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" }, signal });
    const html = await answer.text();
    if (signal?.aborted) return false;
    into.innerHTML = answer.ok ? html : "";
    return answer.ok;
  } catch { return false; }
}

function findRow() { return list.querySelector(`[data-number="${outline.ids[place]}"]`); }

function tellContext() {
  const known = outline.context.findLast((one) => one[0] <= outline.ids[place]);
  if (known) byId("context").textContent =
    `context ${known[1]} %, ${known[2].toLocaleString("en")} tokens; ${known[3].toLocaleString("en")} written`;
}

function showRow() {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const row = findRow();
  row?.setAttribute("aria-current", "step");
  if (row) list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  return row;
}

async function go(to) {
  place = Math.max(0, Math.min(to, last()));
  const number = outline.ids[place];
  if (!number) return;
  range.value = place;
  range.setAttribute("aria-valuetext", new Date(outline.times[place]).toLocaleTimeString());
  byId("count").textContent = `${place + 1} of ${outline.ids.length}`;
  tellContext();
  history.replaceState(null, "", `?at=${number}`);
  asked.abort();
  const { signal } = (asked = new AbortController());
  const parts = [load(`/moments/one?number=${number}`, detail, signal)];
  if (!showRow()) parts.push(load(`/moments/list?session=${session}&at=${number}`, list, signal).then((is) => is && showRow()));
  await Promise.all(parts);
}

function find(mark, by) {
  for (let at = place + by; at >= 0 && at <= last(); at += by) if (mark.includes(outline.marks[at])) return at;
  return place;
}

function play(on) {
  clearInterval(player);
  player = 0;
  const button = byId("play");
  button.setAttribute("aria-pressed", on);
  button.setAttribute("aria-label", on ? "pause" : "play");
  button.textContent = on ? "⏸" : "▶";
  if (!on) return;
  if (place >= last()) go(0);
  player = setInterval(() => (place < last() ? go(place + 1) : play(false)), 1200 / byId("speed").value);
}

const jump = (to) => { play(false); go(to); };
const KEYS = {
  " ": () => play(!player),
  ArrowRight: (event) => jump(event.shiftKey ? find("d", 1) : place + 1),
  ArrowLeft: (event) => jump(event.shiftKey ? find("d", -1) : place - 1),
  Home: () => jump(0),
  End: () => jump(last()),
};

function showGrowth() {
  grow.timer = 0;
  load(`/moments/track?session=${session}`, byId("track"));
  if (place === last() && !player) go(place);
}

function grow(fresh) {
  if (fresh.id <= outline.ids[last()]) return;
  const follows = place === last() && !player;
  outline.ids.push(fresh.id);
  outline.times.push(fresh.at * 1000);
  outline.marks += fresh.mark;
  range.max = last();
  if (follows) place = last();
  grow.timer ||= setTimeout(showGrowth, 400);
  byId("count").textContent = `${place + 1} of ${outline.ids.length}`;
}

async function fetchOutline() {
  for (;;) {
    try {
      const answer = await fetch(`/moments/outline?session=${session}`);
      if (answer.ok) return await answer.json();
    } catch { /* it may be there again in a moment */ }
    await new Promise((resolve) => { setTimeout(resolve, 1000); });
  }
}

async function begin() {
  const found = await fetchOutline();
  Object.assign(outline, found, { ids: sum(found.ids), times: sum(found.times) });
  range.max = last();
  showRow();
  scrubber.dataset.ready = "1";
  range.addEventListener("input", () => jump(Number(range.value)));
  byId("back").addEventListener("click", () => jump(place - 1));
  byId("on").addEventListener("click", () => jump(place + 1));
  byId("play").addEventListener("click", () => play(!player));
  byId("speed").addEventListener("change", () => player && play(true));
  byId("denial").addEventListener("click", () => jump(find("d", 1)));
  byId("prompt").addEventListener("click", () => jump(find("p", 1)));
  for (const part of [list, byId("branches")]) part?.addEventListener("click", (event) => {
    const at = outline.ids.indexOf(Number(event.target.closest("a")?.closest("[data-number]")?.dataset.number));
    if (at < 0 || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    jump(at);
  });
  document.addEventListener("keydown", (event) => {
    const own = KEYS[event.key];
    if (!own || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.matches("select, summary") || (event.key === " " && event.target.matches("button, a"))) return;
    event.preventDefault();
    event.stopPropagation();
    own(event);
  }, true);
  document.body.addEventListener("htmx:sseBeforeMessage", (event) => {
    if (event.target.id !== "grown") return;
    event.preventDefault();
    grow(JSON.parse(event.detail.data));
  });
}

if (scrubber) begin();
