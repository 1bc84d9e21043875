// OpenCode as far as a plugin can tell: loads it, calls its hooks in order, prints what each did.
// node host.mjs PLUGIN DIRECTORY, with a list of [hook, input, output] on stdin.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [plugin, directory] = process.argv.slice(2)
const said = []
const client = {
  app: { log: async ({ body }) => said.push({ log: body.message }) },
  tui: { showToast: async ({ body }) => said.push({ toast: body.message }) },
}
const { Synaptic } = await import(pathToFileURL(plugin))
const hooks = await Synaptic({ client, directory, worktree: directory })
const results = []
for (const [hook, input, output] of JSON.parse(readFileSync(0, "utf8"))) {
  const args = output?.args
  try {
    await hooks[hook](input, output)
    results.push({ output, same: output?.args === args })
  } catch (error) {
    results.push({ thrown: error.message, output })
  }
}
await new Promise((resolve) => setTimeout(resolve, 20))
console.log(JSON.stringify({ results, said }))
