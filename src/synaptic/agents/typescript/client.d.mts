import type { EventName, Events, HookResult } from "./types.js"

export interface EngineOptions {
  /** The dispatcher of an installation: `~/.synaptic/bin/dispatch`, as an absolute path. */
  dispatch: string
  /** In whose dialect events are told and answered; usually `synaptic`, that of orchestrators. */
  agent?: string
  /** The last word of the dispatcher's command line, where an installation has given one. */
  entry?: string
  /** Whether what cannot be checked does not run. */
  closed?: boolean
  /** Events before an act: there, a dispatcher that says nothing is a refusal. */
  before?: readonly string[]
}

export interface Said<Answer> {
  /** What the engine answered, in the dialect of the agent; an empty object for nothing. */
  answer: Partial<Answer>
  /** Why the act must not happen. */
  deny?: string
  /** Warnings, for a log. */
  log?: string
}

export class Engine {
  constructor(options: EngineOptions)
  /** A known event has known fields; every other field reaches the hooks as it is. */
  ask<Name extends string, Answer = Name extends EventName ? HookResult : Record<string, unknown>>(
    event: Name,
    payload: (Name extends EventName ? Events[Name] : object) & Record<string, unknown>,
  ): Promise<Said<Answer>>
}
