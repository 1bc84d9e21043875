// Every event goes to the daemon's socket; without a daemon to the dispatcher, which is the same engine.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { dirname, join } from "node:path"

const DISPATCH = "@DISPATCH@"
const ENTRY = "@ENTRY@"
const CLOSED = "@CLOSED@" // what cannot be checked does not run

const SOCKET = join(dirname(dirname(DISPATCH)), "run", "daemon.sock")
const SILENCE = 5000 // a living daemon sends a byte each second
const [REQUEST_HEAD, ANSWER_HEAD] = [16, 14]
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const NEEDED = /^(HOME|USER|LOGNAME|PATH|SHELL|LANG|LANGUAGE|TZ|TMPDIR|VIRTUAL_ENV|LC_.*|XDG_.*|SYNAPTIC_.*)$/
const TOLD = new Set(["session.created", "session.idle", "session.deleted", "session.error", "session.compacted"])
const TOLD_OF_CHILDREN = new Set(["session.created", "session.idle"])

const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => NEEDED.test(name)))

// Sorts by time, as the dispatcher's own.
function callId() {
  let [time, id] = [Date.now(), ""]
  for (let i = 0; i < 10; i++, time = Math.floor(time / 32)) id = ALPHABET[time % 32] + id
  return id + [...randomBytes(16)].map((byte) => ALPHABET[byte & 31]).join("")
}

function frame(event, text) {
  const meta = ["plugin", callId(), "opencode", event]
  const variables = Object.entries(environment()).map(([name, value]) => `${name}=${value}`)
  const parts = [meta.join("\0"), variables.join("\0"), text].map((part) => Buffer.from(part))
  const head = Buffer.alloc(REQUEST_HEAD)
  head.write("SYN1")
  parts.forEach((part, i) => head.writeUInt32LE(part.length, 4 + 4 * i))
  return Buffer.concat([head, ...parts])
}

// The answer once it is whole, null for bytes that are none, undefined while there is more to come.
function parsed(bytes) {
  if (bytes.length < ANSWER_HEAD) return undefined
  if (bytes.toString("latin1", 0, 4) !== "SYN1" || bytes[4] !== 0) return null
  const middle = ANSWER_HEAD + bytes.readUInt32LE(6)
  const end = middle + bytes.readUInt32LE(10)
  if (bytes.length < end) return undefined
  const [stdout, stderr] = [bytes.toString("utf8", ANSWER_HEAD, middle), bytes.toString("utf8", middle, end)]
  return { exit: bytes[5], stdout, stderr }
}

function overSocket(event, text) {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const socket = connect({ path: SOCKET })
    const done = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(SILENCE, () => done(null))
    socket.on("error", () => done(null))
    socket.on("close", () => done(null))
    socket.on("connect", () => socket.write(frame(event, text)))
    socket.on("data", (piece) => {
      bytes = Buffer.concat([bytes, piece])
      let dots = 0
      while (bytes[dots] === 46) dots++
      bytes = bytes.subarray(dots)
      const answer = parsed(bytes)
      if (answer !== undefined) done(answer)
    })
  })
}

function overDispatcher(event, text) {
  return new Promise((resolve) => {
    const [out, err] = [[], []]
    const failed = (error, unheard = false) => resolve({ failed: `${DISPATCH}: ${error.message}`, unheard })
    try {
      const child = spawn(DISPATCH, ["opencode", event, ENTRY], { env: environment(), stdio: "pipe" })
      child.on("error", failed)
      child.on("close", (exit, signal) => {
        if (exit === null) return failed(new Error(`ended by ${signal}`), true)
        resolve({ exit, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
      })
      child.stdin.on("error", () => {})
      child.stdout.on("data", (piece) => out.push(piece))
      child.stderr.on("data", (piece) => err.push(piece))
      child.stdin.end(text)
    } catch (error) {
      failed(error)
    }
  })
}

// A dispatcher that ran and said nothing is a guard that has not spoken: before a tool runs, that is no allow.
function understood(event, { exit, stdout, stderr, failed, unheard }) {
  if (exit === 2) return { deny: stderr.trim() || "refused without a reason" }
  try {
    if (!failed) return { log: stderr.trim(), ...(stdout.trim() ? JSON.parse(stdout) : {}) }
  } catch (error) {
    failed = `the answer is no JSON: ${error.message}`
    unheard = true
  }
  const hint = `${failed}; type: synaptic doctor`
  if (CLOSED === true || (unheard && event === "tool.execute.before"))
    return { deny: `synaptic: blocked, because it could not be checked: ${hint}` }
  return { log: `synaptic: this call was NOT checked: ${hint}` }
}

// In place: another object would be ignored.
function replace(target, source) {
  for (const key of Object.keys(target)) if (!(key in source)) delete target[key]
  Object.assign(target, source)
}

function append(output, text) {
  if (typeof output.output === "string") output.output += `\n\n${text}`
  else if (Array.isArray(output.content)) output.content.push({ type: "text", text })
}

function result(output) {
  const texts = Array.isArray(output.content) ? output.content.map((part) => part.text ?? "") : []
  return { title: output.title, output: output.output ?? texts.join("\n"), metadata: { exit: output.metadata?.exit } }
}

export const Synaptic = async ({ client, directory }) => {
  const parents = new Map() // sub-agents' sessions, and whose they are
  const starting = new Map() // sessions whose start is being told: nothing of theirs overtakes it
  let servers = []

  const aside = (call) => Promise.resolve().then(call).catch(() => {}) // no word to the user is worth a failed step
  const ask = async (event, id, payload) => {
    const whole = { hook_event_name: event, directory, parentID: parents.get(id), ...payload }
    const text = JSON.stringify(whole)
    const said = understood(event, (await overSocket(event, text)) ?? (await overDispatcher(event, text)))
    const [log, message] = [said.log, said.message]
    if (log) aside(() => client.app.log({ body: { service: "synaptic", level: "warn", message: log } }))
    if (message) aside(() => client.tui.showToast({ body: { title: "Synaptic", message, variant: "warning" } }))
    return said
  }
  const server = (tool) => servers.find((name) => tool.startsWith(`${name.replace(/[^a-zA-Z0-9_-]/g, "_")}_`))

  return {
    config: async (config) => {
      servers = Object.keys(config.mcp ?? {}).sort((a, b) => b.length - a.length)
    },
    event: async ({ event }) => {
      const { sessionID, info } = event.properties ?? {}
      const id = sessionID ?? info?.id
      if (event.type === "session.created" && info?.parentID) parents.set(id, info.parentID)
      const child = parents.has(id)
      if (!id || !(child ? TOLD_OF_CHILDREN : TOLD).has(event.type)) return
      const told = ask(child ? `sub${event.type}` : event.type, id, { event }).finally(() => starting.delete(id))
      if (event.type === "session.created") starting.set(id, told)
      await told
    },
    "chat.message": async (input, output) => {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      await starting.get(input.sessionID)
      if (parents.has(input.sessionID) || !texts.length) return // whoever asks a sub-agent is no person
      const parts = texts.map(({ type, text }) => ({ type, text }))
      const said = await ask("chat.message", input.sessionID, { input, output: { parts } })
      if (said.deny) throw new Error(said.deny)
      const last = texts[texts.length - 1]
      if (said.context) output.parts.push({ ...last, id: `${last.id}1`, text: said.context, synthetic: true })
    },
    "tool.execute.before": async (input, output) => {
      await starting.get(input.sessionID)
      const payload = { input, output: { args: output.args }, mcp_server: server(input.tool) }
      const said = await ask("tool.execute.before", input.sessionID, payload)
      if (said.deny) throw new Error(said.deny)
      if (said.args) replace(output.args, said.args)
    },
    "tool.execute.after": async (input, output) => {
      const payload = { input, output: result(output), mcp_server: server(input.tool) }
      const said = await ask("tool.execute.after", input.sessionID, payload)
      if (said.context) append(output, said.context)
    },
    "experimental.session.compacting": async (input, output) => {
      const said = await ask("experimental.session.compacting", input.sessionID, { input })
      if (said.context) output.context.push(said.context)
    },
  }
}
