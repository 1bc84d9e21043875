// Every event goes to the engine. The installed file holds the client itself, in the place of this import.
import { Engine } from "./typescript/client.mjs"

const DISPATCH = "@DISPATCH@"
const ENTRY = "@ENTRY@"
const CLOSED = "@CLOSED@" // what cannot be checked does not run

const TOLD = new Set(["session.created", "session.idle", "session.deleted", "session.error", "session.compacted"])
const TOLD_OF_CHILDREN = new Set(["session.created", "session.idle"])

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
  const [agent, before] = ["opencode", ["tool.execute.before"]]
  const engine = new Engine({ dispatch: DISPATCH, agent, entry: ENTRY, closed: CLOSED, before })
  let servers = []

  const aside = (call) => Promise.resolve().then(call).catch(() => {}) // no word to the user is worth a failed step
  const ask = async (event, id, payload) => {
    const whole = { hook_event_name: event, directory, parentID: parents.get(id), ...payload }
    const { answer, deny, log } = await engine.ask(event, whole)
    const message = answer.message
    if (log) aside(() => client.app.log({ body: { service: "synaptic", level: "warn", message: log } }))
    if (message) aside(() => client.tui.showToast({ body: { title: "Synaptic", message, variant: "warning" } }))
    return { ...answer, deny }
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
