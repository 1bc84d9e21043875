// The way of an event to the engine: the daemon's socket, and without a daemon the dispatcher, which is the same engine.
// Nothing is decided here but what an agent needs when nobody answers.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { dirname, join } from "node:path"

const SILENCE = 5000 // a living daemon sends a byte each second
const [REQUEST_HEAD, ANSWER_HEAD] = [16, 14]
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const NEEDED = /^(HOME|USER|LOGNAME|PATH|SHELL|LANG|LANGUAGE|TZ|TMPDIR|VIRTUAL_ENV|LC_.*|XDG_.*|SYNAPTIC_.*)$/

const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => NEEDED.test(name)))

// Sorts by time, as the dispatcher's own.
function callId() {
  let [time, id] = [Date.now(), ""]
  for (let i = 0; i < 10; i++, time = Math.floor(time / 32)) id = ALPHABET[time % 32] + id
  return id + [...randomBytes(16)].map((byte) => ALPHABET[byte & 31]).join("")
}

function folder() {
  try {
    return process.cwd()
  } catch {
    return "" // it is gone
  }
}

function frame(agent, event, text) {
  const meta = ["plugin", callId(), agent, event, folder()]
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

function overSocket(path, request) {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const socket = connect({ path })
    const done = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(SILENCE, () => done(null))
    socket.on("error", () => done(null))
    socket.on("close", () => done(null))
    socket.on("connect", () => socket.write(request))
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

function overDispatcher(dispatch, words, text) {
  return new Promise((resolve) => {
    const [out, err] = [[], []]
    const failed = (error, unheard = false) => resolve({ failed: `${dispatch}: ${error.message}`, unheard })
    try {
      const child = spawn(dispatch, words, { env: environment(), stdio: "pipe" })
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

export class Engine {
  constructor({ dispatch, agent = "synaptic", entry = "", closed = false, before = ["PreToolUse", "PreAbilityCall"] }) {
    Object.assign(this, { dispatch, agent, entry, closed, before })
    this.socket = join(dirname(dirname(dispatch)), "run", "daemon.sock")
  }

  async ask(event, payload) {
    const text = JSON.stringify(payload)
    const words = [this.agent, event, ...(this.entry ? [this.entry] : [])]
    const heard = await overSocket(this.socket, frame(this.agent, event, text))
    return this.understand(event, heard ?? (await overDispatcher(this.dispatch, words, text)))
  }

  // A dispatcher that ran and said nothing is a guard that has not spoken: before a tool runs, that is no allow.
  understand(event, { exit, stdout, stderr, failed, unheard }) {
    let answer = {}
    try {
      if (!failed && stdout.trim()) answer = Object(JSON.parse(stdout))
    } catch (error) {
      failed = `the answer is no JSON: ${error.message}`
      unheard = true
    }
    if (exit === 2) return { answer, deny: answer.error || stderr.trim() || "refused without a reason" }
    if (!failed) return { answer, deny: answer.deny, log: stderr.trim() }
    const hint = `${failed}; type: synaptic doctor`
    if (this.closed === true || (unheard && this.before.includes(event)))
      return { answer, deny: `synaptic: blocked, because it could not be checked: ${hint}` }
    return { answer, log: `synaptic: this call was NOT checked: ${hint}` }
  }
}
